import * as fc from "fast-check";
import { expect, test } from "vitest";

import { DEFAULT_ALERTS_CONFIG } from "../../../src/alerts/alerts-config.ts";
import { ruleFor } from "../../../src/alerts/judge/rules/rules.ts";
import { type Look, lookToText } from "../../../src/looks/look.ts";
import type { ReadPage } from "../../../src/looks/read.ts";
import { tryNewestFirst } from "../../../src/main/alerting/newest-first.ts";
import { tryRules } from "../../../src/main/trial.ts";
import { fromMillis } from "../../../src/units/time.ts";
import { runs } from "../../support/runs.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const EVERY = 600_000;
const FROM = 1_800_000_000_000;
const DAYS = 8;
const config = DEFAULT_ALERTS_CONFIG;

const REQUEST = {
  network: "mainnet",
  from: FROM,
  to: FROM + DAYS * DAY,
  config,
  tried: [{ rounds: 1 }, { rounds: 9 }].map((given) => ({
    rules: [ruleFor("node.down", given, config)],
    subjects: [],
  })),
};

/** Looks that are alike, and then, for five hours at most, some that show nothing, or none. */
interface Stretch {
  readonly state: "good" | "bad";
  readonly looks: number;
  readonly unseen: "unknown" | "none";
  readonly unseenLooks: number;
}

const stretches = fc.array(
  fc.record<Stretch>({
    state: fc.constantFrom("good", "bad"),
    looks: fc.integer({ min: 1, max: 60 }),
    unseen: fc.constantFrom("unknown", "none"),
    unseenLooks: fc.integer({ min: 0, max: 30 }),
  }),
  { minLength: 30, maxLength: 50 },
);

function readerOf(all: readonly Stretch[]): ReadPage {
  const states = all.flatMap(({ state, looks, unseen, unseenLooks }) => [
    ...Array.from({ length: looks }, () => state),
    ...Array.from({ length: unseenLooks }, () => unseen),
  ]);
  const rows = states.flatMap((state, number) => {
    const millis = number * EVERY;
    if (state === "none" || millis > DAYS * DAY) return [];
    const seen = { facts: { "node.down": { "node-1": { state } }, "watch.blind": { "": { state: "good" } } } };
    const look: Look = { run: "a", every: EVERY, dueMillis: millis, at: fromMillis(FROM + millis), seen };
    return [{ network: "mainnet", watcher: "sources", number, at: FROM + millis, data: lookToText(look) }];
  });
  return async ({ from, to }) => {
    const tail = rows.filter(({ at }) => at >= from && at <= to);
    return { chunks: [], tail, last: states.length, isEnd: true };
  };
}

test("spans that are judged one after the other, the newest first, come to what one pass comes to", async () => {
  await fc.assert(
    fc.asyncProperty(stretches, fc.integer({ min: 1, max: 40 }), async (all, tick) => {
      const readPage = readerOf(all);
      let now = 0;
      const answer = await tryNewestFirst(readPage, REQUEST, 10_000_000, () => (now += tick));
      expect(answer).toEqual(await tryRules(readPage, REQUEST));
    }),
    runs(30),
  );
});

test("where the time is over the newest days are counted, and no older ones", async () => {
  const looks = Math.floor((DAYS * DAY) / EVERY / 12);
  const states = Array.from({ length: looks }, () => ["good", "bad"] as const).flat();
  const readPage = readerOf(states.map((state) => ({ state, looks: 6, unseen: "none", unseenLooks: 0 })));
  const { trials } = await tryRules(readPage, REQUEST);
  for (const limit of [500, 600, 700, 900]) {
    let now = 0;
    const { isCut, seen, gaps, ...answer } = await tryNewestFirst(readPage, REQUEST, limit, () => (now += 1));
    const from = seen?.from ?? 0;
    expect({ isCut, gaps, to: seen?.to }).toEqual({ isCut: true, gaps: [], to: FROM + looks * 12 * EVERY - EVERY });
    expect(from).toBeGreaterThan(FROM);
    const newest = trials.map(({ episodes }) => episodes.filter(({ fired }) => fired >= from));
    expect(answer.trials.map(({ episodes }) => episodes)).toEqual(newest);
    expect(newest[0]?.length).toBeGreaterThan(0);
  }
});
