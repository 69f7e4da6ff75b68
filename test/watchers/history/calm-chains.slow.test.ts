import { expect, test } from "vitest";
import { z } from "zod";

import { DEFAULT_ALERTS_CONFIG } from "../../../src/alerts/alerts-config.ts";
import { judgeReading, ruleFor } from "../../../src/alerts/judge/rules/rules.ts";
import type { History } from "../../../src/api/histories.ts";
import { SeededRandom } from "../../../src/simulator/seeded-random.ts";
import { fromMillis } from "../../../src/units/time.ts";
import { checkpointsWatcher } from "../../../src/watchers/history/lists.ts";
import { type HistoryState, historyState } from "../../../src/watchers/history/history.ts";
import { updateHistory } from "../../../src/watchers/history/history-update.ts";

const DAY = 86_400_000;
const START = 1_682_942_400_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const POLL = DEFAULT_ALERTS_CONFIG.poll.checkpoints;
const RULE = ruleFor("checkpoint.overdue", {}, DEFAULT_ALERTS_CONFIG);

interface Row {
  readonly block: bigint;
  readonly hash: string;
}
const history: Pick<History<Row>, "blockOf" | "nameOf"> = {
  blockOf: ({ block }) => block,
  nameOf: ({ hash }) => hash,
};

/** The times of the blocks of some days (milliseconds from a day before the first look), with a jitter of a half. */
function chain(blockAt: (millis: number) => number, until: number, seed: string): readonly number[] {
  const random = new SeededRandom(seed);
  const times: number[] = [];
  for (let time = -DAY; time < until; time += blockAt(time) * (0.5 + random.unit("block", times.length))) {
    times.push(Math.round(time));
  }
  return times;
}

/** The states that the reading of overdue checkpoints has over a day of looks, but for those in which the bot was away. */
function watch(
  times: readonly number[],
  spacing: number,
  options: { readonly away?: readonly [from: number, to: number]; readonly quietFrom?: number } = {},
): { readonly bad: readonly number[]; readonly good: readonly number[] } {
  const { away = [DAY, DAY], quietFrom = Infinity } = options;
  const watcher = checkpointsWatcher({ network: "mainnet", nodes: 1, config: DEFAULT_ALERTS_CONFIG });
  const seen = { bad: [] as number[], good: [] as number[] };
  const rows: Row[] = [];
  let [height, due] = [-1, -DAY];
  let state: HistoryState | undefined;
  for (let now = 0; now < DAY; now += now < 2 * HOUR ? POLL : MINUTE) {
    for (let next = times[height + 1]; next !== undefined && next <= now; next = times[height + 1]) {
      height += 1;
      // A checkpoint is in the first block at or after its time.
      if (next < due || next >= quietFrom) continue;
      rows.unshift({ block: BigInt(height), hash: `h${height}` });
      due = (Math.floor(next / spacing) + 1) * spacing;
    }
    if (now >= away[0] && now < away[1]) continue;
    const asOf = {
      network: "mainnet",
      node: "a:1",
      simulated: false,
      receivedAt: fromMillis(START + now),
      blockHeight: BigInt(height),
      blockTime: fromMillis(START + times[height]!),
    };
    const there = rows.slice(0, 150).map((node) => ({ cursor: undefined, node, asOf }));
    state = updateHistory(history, state, { rows: there, complete: false, asOf }).state;
    if (now % MINUTE !== 0) continue;
    const stored: unknown = JSON.parse(JSON.stringify({ history: z.encode(historyState, state), fresh: [] }));
    const [reading] = watcher.judge(undefined, watcher.snapshot.parse(stored), asOf.receivedAt).readings;
    const judged = judgeReading(RULE, reading!).state;
    if (judged === "good" || judged === "bad") seen[judged].push(now);
    if (now % HOUR === 0) state = historyState.parse((stored as { history: unknown }).history);
  }
  return seen;
}

test.each([
  [400, MINUTE],
  [400, 30 * MINUTE],
  [5000, 5 * MINUTE],
  [5000, 30 * MINUTE],
])("a day of blocks of %i ms with a checkpoint every %i ms: nothing is overdue", (block, spacing) => {
  const { bad, good } = watch(
    chain(() => block, DAY, "calm"),
    spacing,
  );
  expect(bad).toEqual([]);
  // It is judged for most of the day.
  expect(good.length).toBeGreaterThan((DAY / MINUTE) * 0.75);
});

test.each([
  [5000, 400],
  [400, 5000],
])("nor where the chain goes from blocks of %i ms to %i ms while the bot is away", (before, after) => {
  const change = 4 * HOUR;
  const times = chain((time) => (time < change ? before : after), DAY, "changed");
  const { bad, good } = watch(times, 30 * MINUTE, { away: [change - 10 * MINUTE, change + 10 * MINUTE] });
  expect(bad).toEqual([]);
  expect(good.length).toBeGreaterThan((DAY / MINUTE) * 0.75);
});

test.each([400, 5000])(
  "a checkpoint that does not come is overdue at blocks of %i ms, after three spacings",
  (block) => {
    const quietFrom = 2 * HOUR;
    const { bad } = watch(
      chain(() => block, DAY, "quiet"),
      30 * MINUTE,
      { quietFrom },
    );
    const sinceLast = bad[0]! - (quietFrom - 30 * MINUTE);
    expect(sinceLast / (90 * MINUTE)).toBeGreaterThan(0.9);
    expect(sinceLast / (90 * MINUTE)).toBeLessThan(1.15);
  },
);
