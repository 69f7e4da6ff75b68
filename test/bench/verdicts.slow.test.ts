import { expect, test } from "vitest";

import { trial } from "../../bench/verdicts/trial.ts";
import { type Kind, Score, SCORED } from "../../src/main/traces/score.ts";

/** Ten days, by their seeds: a calm one, some with contradictions or wrong clocks, six with a liar all day, one with 90 incidents. */
const DAYS = [10, 14, 41, 81, 83, 89, 92, 100, 121, 123];

/** What was due in these days, and how much of it was told at least; false alarms and wrong ends at most. */
const FLOOR: Readonly<Record<Kind, { due: number; told: number; wrong: number; endedWrongly: number }>> = {
  "network.stalled": { due: 46, told: 46, wrong: 0, endedWrongly: 0 },
  "network.disagree": { due: 8, told: 8, wrong: 0, endedWrongly: 0 },
  "watch.blind": { due: 2, told: 2, wrong: 0, endedWrongly: 0 },
  "node.lagging": { due: 9, told: 9, wrong: 0, endedWrongly: 0 },
  "node.down": { due: 6, told: 6, wrong: 0, endedWrongly: 0 },
  "node.lying": { due: 37, told: 37, wrong: 0, endedWrongly: 0 },
  "network.clock": { due: 3, told: 3, wrong: 0, endedWrongly: 0 },
  "network.time-back": { due: 42, told: 42, wrong: 0, endedWrongly: 0 },
  "node.refuses": { due: 2, told: 2, wrong: 0, endedWrongly: 0 },
  "node.slow": { due: 4, told: 4, wrong: 0, endedWrongly: 0 },
  "network.slow": { due: 1, told: 1, wrong: 0, endedWrongly: 0 },
  "snapshot.overdue": { due: 3, told: 3, wrong: 0, endedWrongly: 0 },
};

// Where the score gets better, the floor moves there.
test("scores no lower than before on ten seeded days", () => {
  const score = new Score();
  for (const seed of DAYS) trial(1, seed, ["Bellwether"], { poll: 15_000 }, new Map([["Bellwether", score]]));
  const now = SCORED.map((kind) => {
    const { due, caught: told, wrong, endedWrongly } = score.kinds[kind];
    return [kind, { due, told, wrong, endedWrongly }] as const;
  });
  const fallen = now.filter(([kind, { told, wrong, endedWrongly }]) => {
    const floor = FLOOR[kind];
    return told < floor.told || wrong > floor.wrong || endedWrongly > floor.endedWrongly;
  });
  expect(fallen).toEqual([]);
  // The days are the same as when the floor was laid.
  expect(now.map(([kind, { due }]) => [kind, due])).toEqual(SCORED.map((kind) => [kind, FLOOR[kind].due]));
});
