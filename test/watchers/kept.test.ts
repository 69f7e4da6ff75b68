import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { SourcesJudge, configFor } from "../../bench/verdicts/engine.ts";
import { drawPlan } from "../../bench/verdicts/plan.ts";
import { World } from "../../bench/verdicts/world.ts";
import { Chunk } from "../../src/looks/chunk.ts";
import { encodeChunk } from "../../src/looks/columns.ts";
import type { Look } from "../../src/looks/look.ts";
import type { Nanoseconds } from "../../src/units/time.ts";
import { type Changes, changesOf, keptFindings, keptReadings, withChanges } from "../../src/watchers/kept.ts";
import { LookHistory } from "../../src/watchers/look-history.ts";
import { keptMarkets } from "../../src/watchers/markets/kept-markets.ts";
import type { MarketsState } from "../../src/watchers/markets/markets.ts";
import { keptRound, roundOf } from "../../src/watchers/sources/kept-round.ts";
import { snapshotOf } from "../../src/watchers/sources/sources-state.ts";
import { runs } from "../support/runs.ts";

describe("what changed of a record", () => {
  const record = fc.letrec<{ value: Changes }>((tie) => ({
    value: fc.dictionary(
      fc.constantFrom("a", "b", "c", "d"),
      fc.oneof({ maxDepth: 3 }, fc.string(), fc.integer(), fc.array(fc.integer(), { maxLength: 3 }), tie("value")),
    ),
  })).value;

  test("leads from one to the other", () => {
    fc.assert(
      fc.property(record, record, (before, after) => {
        const changes = changesOf(before, after);
        expect(JSON.parse(JSON.stringify(withChanges(before, changes ?? {})))).toEqual(
          JSON.parse(JSON.stringify(after)),
        );
        expect(changesOf(after, after)).toBeUndefined();
      }),
      runs(200),
    );
  });

  test("names only what differs, and what is gone", () => {
    const before = { m: { price: "1.5", state: "ACTIVE", bound: "2" }, n: { price: "3" } };
    const after = { m: { price: "1.6", state: "ACTIVE" }, n: { price: "3" } };
    expect(changesOf(before, after)).toEqual({ m: { price: "1.6", bound: null } });
  });
});

test("what is judged of an overdue list is read back, and what a later version kept beside it is not", () => {
  const of = { network: "mainnet", nodes: 3 };
  const facts = { sinceMillis: 4_000_000.5, usualMillis: 900_000, lastBlock: "12345678901234567890" };
  const overdue = { kind: "snapshot.overdue", ...of, subject: "", state: "good", seenBy: ["a"], facts } as const;
  const kept = JSON.parse(JSON.stringify(keptFindings({ readings: [overdue], events: [] }))) as Changes;
  expect(kept["facts"]).toBeDefined();
  const later = { facts: { ...(kept["facts"] as Changes), "disk.full": { "": { state: "bad" } } } };
  expect(keptReadings(later, of)).toEqual([{ ...overdue, seenBy: [] }]);
  expect(keptReadings({}, of)).toEqual([]);
});

test("the rounds of a world are kept as they were given, through the chunk", async () => {
  for (const seed of [1, 2, 3]) {
    const plan = { ...drawPlan(seed), length: 3_600_000, away: [] };
    const judge = new SourcesJudge(configFor(plan));
    const given: unknown[] = [];
    const looks: Look[] = [];
    for (const round of new World(plan).rounds()) {
      const { run, poll, verdict, readings } = judge.judge(round);
      given.push(poll);
      const seen = keptRound(snapshotOf(run, poll, verdict), verdict, { readings, events: [] });
      looks.push({ run, dueMillis: round.dueMillis, every: plan.poll, at: round.wallClock as Nanoseconds, seen });
    }
    const kept = [...new Chunk(await encodeChunk(looks)).looks()];
    expect(kept.map(({ seen }) => roundOf(seen))).toEqual(given);
  }
});

test("the markets beyond those of which looks are kept are named: subscribed ones come first, gone ones are none", () => {
  const markets = { a: { label: "A/B" }, b: {}, c: { label: "C/D" }, d: { absent: true as const }, e: {} };
  const after = { count: 1, since: "1", node: "n", behind: false, markets } as unknown as MarketsState;
  const beyond: (readonly string[])[] = [];
  const seen = { findings: { readings: [], events: [] }, named: () => new Set(["e"]) };
  const kept = keptMarkets(after, undefined, seen, { markets: 2, onBeyond: (names) => void beyond.push(names) });
  expect(Object.keys((kept as { readonly markets: object }).markets)).toEqual(["a", "e"]);
  expect(beyond).toEqual([["b", "C/D"]]);
});

test("a look that says all of the markets is enough to go on from, and changes nothing for who saw those before it", () => {
  const seen = { findings: { readings: [], events: [] }, named: () => new Set<string>() };
  const of = (markets: object) => ({ looks: 1, since: "1", node: "n", behind: false, markets }) as MarketsState;
  const states = [
    of({ a: { state: "STATE_ACTIVE", price: "1", values: { mark: "1" } }, b: { price: "5" } }),
    of({ a: { state: "STATE_ACTIVE", price: "2" }, b: { price: "5", absent: true } }),
    of({ a: { state: "STATE_ACTIVE", price: "3" }, b: { price: "5" } }),
  ];
  const looks = states.map((after, index): Look => {
    const kept = keptMarkets(after, states[index - 1], { ...seen, isWhole: index === 1 }, { markets: 9 });
    return { run: "a", dueMillis: index, every: 1, at: 0n as Nanoseconds, seen: kept };
  });
  const readBy = (from: number) => {
    const history = new LookHistory("mainnet", { onGap: () => undefined, onRestart: () => undefined });
    return looks.slice(from).map((look) => history.marketsAfter(look));
  };
  expect(readBy(0)).toEqual(states);
  expect(readBy(1)).toEqual(states.slice(1));
  // Before one that says all only what changed is known.
  expect(readBy(2)).toEqual([{ since: "0", looks: 1, node: "", behind: false, markets: { a: { price: "3" }, b: {} } }]);
});

test("after a restart whose first look failed, the markets of the run before are forgotten", () => {
  const history = new LookHistory("mainnet", { onGap: () => undefined, onRestart: () => undefined });
  const look = { dueMillis: 1, every: 1, at: 0n as Nanoseconds };
  const markets = (a: Changes) => ({ looks: 1, since: "1", node: "n", behind: false, markets: { a } });
  const see = (run: string, a: Changes) => history.marketsAfter({ ...look, run, seen: markets(a) });
  see("a", { price: "1", absent: true });
  history.see("markets", { ...look, run: "b", failure: "no answer" }, () => []);
  expect(see("b", { price: "2" })).toEqual(markets({ price: "2" }));
});
