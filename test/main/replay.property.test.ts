import * as fc from "fast-check";
import { expect, test } from "vitest";

import { configFor, observationOf, SourcesJudge } from "../../bench/verdicts/engine.ts";
import { drawPlan } from "../../bench/verdicts/plan.ts";
import { World } from "../../bench/verdicts/world.ts";
import type { AlertsConfig } from "../../src/alerts/alerts-config.ts";
import { JudgeInMemory } from "../../src/alerts/judge/judge-in-memory.ts";
import type { Reading } from "../../src/alerts/judge/kinds/reading.ts";
import { CHANGES } from "../../src/alerts/judge/rules/state-machine.ts";
import { buildSubscriptionIndex } from "../../src/alerts/route/subscription-index.ts";
import { Chunk } from "../../src/looks/chunk.ts";
import { encodeChunk } from "../../src/looks/columns.ts";
import type { Look } from "../../src/looks/look.ts";
import { changeOf, type KeptSettings, Replay, type ReplayedChange, settingsOf } from "../../src/main/replay.ts";
import { toMillis } from "../../src/units/nanoseconds.ts";
import { unknownBecause } from "../../src/watchers/schedule.ts";
import { keptRound } from "../../src/watchers/sources/kept-round.ts";
import { SourcesState } from "../../src/watchers/sources/sources-state.ts";
import { runs } from "../support/runs.ts";

const NETWORK = "mainnet";
const HOUR = 3_600_000;

/** A world as a bot lived through it: what it kept, and each change that it decided. */
function live(seed: number, hours: number, failing: number) {
  const length = hours * HOUR;
  const drawn = drawPlan(seed);
  // Restarts in every phase: the last one before the end, if there was none.
  const away = drawn.away.filter(({ to }) => to < length);
  const restart = { from: length / 2 + (seed % 1000) * 100, to: length / 2 + (seed % 1000) * 100 + 20_000 };
  const plan = { ...drawn, length, away: away.length > 0 ? away : [restart] };
  const first = configFor(plan);
  // From the second process on, other settings hold.
  const second: AlertsConfig = { ...first, lagging: { ...first.lagging, behind: 20_000 } };
  const looks: Look[] = [];
  const decided: ReplayedChange[] = [];
  const settings: Look[] = [];
  const judge = new SourcesJudge(first);
  const engine = new JudgeInMemory(buildSubscriptionIndex([], [], first), first);
  let process = -1;
  let last: readonly Reading[] = [];
  let count = 0;
  for (const round of new World(plan).rounds()) {
    const config = round.process === 0 ? first : second;
    if (round.process !== process) {
      process = round.process;
      engine.restart();
      judge.settle(config);
      engine.settle(buildSubscriptionIndex([], [], config), config);
      const seen = { version: "1", nodes: ["a"], config: JSON.parse(JSON.stringify(config)) };
      settings.push({ run: `process ${process}`, dueMillis: 0, every: 0, at: observationOf(round, [], 1).at, seen });
    }
    count += 1;
    const failure = failing > 0 && count % failing === 0 && last.length > 0 ? "no answer within 30 s" : undefined;
    const kept = failure === undefined ? judge.judge(round) : undefined;
    last = kept?.readings ?? last.map((reading) => unknownBecause({ message: failure ?? "" }, reading));
    const why = failure === undefined ? {} : { failure };
    const observation = { ...observationOf(round, last, plan.poll), ...why };
    const { at } = observation;
    const { decisions } = engine.see(observation, round.dueMillis);
    decided.push(...decisions.flatMap((one) => changeOf(one, NETWORK, toMillis(at)) ?? []));
    const seen =
      kept === undefined
        ? why
        : {
            seen: keptRound(SourcesState.encode(kept.state), kept.verdict, { readings: kept.readings, events: [] }),
          };
    looks.push({ run: `process ${process}`, dueMillis: round.dueMillis, every: plan.poll, at, ...seen });
  }
  return { looks, decided, settings: settings.map(settingsOf) };
}

async function replayed(looks: readonly Look[], settings: readonly KeptSettings[]): Promise<readonly ReplayedChange[]> {
  const replay = new Replay({
    network: NETWORK,
    settings,
    subscriptions: [],
    changed: (config) => config,
    onGap: () => undefined,
  });
  const found: ReplayedChange[] = [];
  for (let from = 0; from < looks.length; from += 500) {
    const chunk = new Chunk(await encodeChunk(looks.slice(from, from + 500)));
    for (const look of chunk.looks()) found.push(...replay.see("sources", look));
  }
  return found;
}

test("kept looks that are judged again give every change that was decided, and no other", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(100_000), fc.constantFrom(0, 7, 40), async (seed, failing) => {
      const { looks, decided, settings } = live(seed, 1, failing);
      expect(await replayed(looks, settings)).toEqual(decided);
    }),
    runs(20),
  );
});

test("each change of a condition is read out of its decision, and nothing else is one", () => {
  const read = (what: string) => changeOf({ what, episode: `market.price{high=5}|${NETWORK}|m1|2` }, NETWORK, 7);
  expect(CHANGES.map((one) => read(one))).toEqual(
    CHANGES.map((change) => ({ at: 7, change, rule: "market.price{high=5}", subject: "m1" })),
  );
  expect(CHANGES).toContain("surpassed");
  expect(read("seen")).toBeUndefined();
});

test("a look that differs shows as a difference", async () => {
  for (let seed = 1; ; seed += 1) {
    const { looks, decided, settings } = live(seed, 1, 0);
    if (!decided.some(({ change }) => change === "fired")) continue;
    const calm = looks.map((look) => ({ ...look, seen: look.seen === undefined ? {} : (looks[0]?.seen ?? {}) }));
    expect(await replayed(calm as Look[], settings)).not.toEqual(decided);
    return;
  }
});
