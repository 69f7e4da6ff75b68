import path from "node:path";

import { expect, test } from "vitest";

import { scratchFolder } from "../../../bench/support/export-once.ts";
import { drawPlan } from "../../../bench/verdicts/plan.ts";
import { traceOf } from "../../../bench/verdicts/traces.ts";
import { trial } from "../../../bench/verdicts/trial.ts";
import { judgeTrace } from "../../../src/main/traces/judge.ts";
import { readTrace, writeTrace } from "../../../src/main/traces/lines.ts";
import { Score } from "../../../src/main/traces/score.ts";

/** By their seeds: a calm day, some with contradictions or wrong clocks, a liar all day, one with 90 incidents. */
const DAYS = [10, 14, 81, 89, 100, 121, 123];
const GIVEN = { poll: 15_000 } as const;

test("days that are written as traces and judged again give the very same score, all figures", async () => {
  await using folder = await scratchFolder();
  const [first, again] = [new Score(), new Score()];
  for (const seed of DAYS) {
    trial(1, seed, ["Bellwether"], GIVEN, new Map([["Bellwether", first]]));
    const file = path.join(folder.path, `${seed}.trace.gz`);
    await writeTrace(file, traceOf(drawPlan(seed, GIVEN)));
    const { told, known } = await judgeTrace(readTrace(file), { name: drawPlan(seed, GIVEN).name });
    if (known === undefined) throw new Error(`the trace of ${seed} has no truth`);
    again.add(known.watched, known.truth, told);
  }
  const figures = (score: Score) => Object.entries(score).filter(([name]) => name !== "mistakes");
  expect(figures(again)).toEqual(figures(first));
  const named = (score: Score) => score.mistakes.map(({ world, at, kind, what }) => [world, at, kind, what]);
  expect(named(again)).toEqual(named(first));
  // The days have something to be scored.
  expect(first.calmDays).toBe(1);
  expect(first.kinds["snapshot.overdue"].caught + first.kinds["node.lying"].caught).toBeGreaterThan(20);
}, 300_000);
