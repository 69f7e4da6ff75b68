import { expect } from "vitest";

import { hoursOf } from "../../bench/support/days-of-three.ts";
import { configFor, observationOf, SourcesJudge } from "../../bench/verdicts/engine.ts";
import { drawPlan } from "../../bench/verdicts/plan.ts";
import { World } from "../../bench/verdicts/world.ts";
import { parseAlertsConfig } from "../../src/alerts/alerts-config.ts";
import { JudgeInMemory } from "../../src/alerts/judge/judge-in-memory.ts";
import type { RuleIndex } from "../../src/alerts/judge/judge.ts";
import type { ConditionKind } from "../../src/alerts/judge/kinds/kinds.ts";
import type { Reading } from "../../src/alerts/judge/kinds/reading.ts";
import type { Episode } from "../../src/alerts/judge/rules/episode.ts";
import { type Rule, ruleFor } from "../../src/alerts/judge/rules/rules.ts";
import { inOrder, trialEpisode } from "../../src/alerts/trial/trial.ts";
import { encodeChunk } from "../../src/looks/columns.ts";
import { type Look, lookToText } from "../../src/looks/look.ts";
import { pageReader } from "../../src/looks/read.ts";
import { tryRules } from "../../src/main/trial.ts";
import type { Store } from "../../src/store/store.ts";
import { fromMillis, toMillis } from "../../src/units/time.ts";
import { findingsOrNothing } from "../../src/watchers/kept.ts";
import { keptMarkets } from "../../src/watchers/markets/kept-markets.ts";
import { marketReadings, type MarketRecord, type MarketsState } from "../../src/watchers/markets/markets.ts";
import { unknownBecause } from "../../src/watchers/schedule.ts";
import { keptRound } from "../../src/watchers/sources/kept-round.ts";
import { SourcesState } from "../../src/watchers/sources/sources-state.ts";
import { blind } from "../alerts/readings.ts";
import { SeededRandom } from "../campaign/seeded-random.ts";

const NETWORK = "mainnet";
export const HOUR = 3_600_000;

/** Each kind that nodes have a threshold for, sensitive and patient. */
const TRIED: readonly (readonly [ConditionKind, Readonly<Record<string, number>>])[] = [
  ["node.lagging", { behind: 2000, blocks: 3, for: 0 }],
  ["node.lagging", { behind: 90_000, blocks: 500 }],
  ["node.down", { rounds: 1 }],
  ["node.down", { rounds: 9 }],
  ["node.refuses", { for: 10_000 }],
  ["network.stalled", { for: 5000, criticalFor: 20_000 }],
  ["network.stalled", { for: 90_000, criticalFor: 400_000 }],
  ["network.disagree", { for: 5000, criticalFor: 20_000 }],
  ["network.clock", { drift: 1500, for: 0 }],
  ["network.clock", { drift: 100_000 }],
  ["watch.blind", { rounds: 2 }],
];

/** Which of them are far from nearly all that is seen. */
const PATIENT = new Set([1, 3, 6, 9]);

function indexOf(rule: Rule, created: number): RuleIndex {
  return { rules: (kind) => (kind === rule.kind ? [rule] : []), subscribers: () => [{ created }] };
}

/**
 * A world as a bot lived through it, with the looks that it kept and the episodes of each rule that it opened; both only
 * from the moment on at which somebody subscribed.
 */
function live(seed: number, hours: number, failing: number, subscribed: number) {
  const length = hours * HOUR;
  const drawn = drawPlan(seed);
  const plan = { ...drawn, length, away: drawn.away.filter(({ to }) => to < length) };
  const config = configFor(plan);
  const rules = TRIED.map(([kind, given]) => ruleFor(kind, given, config));
  const engines = rules.map((rule) => {
    const index =
      subscribed === 0 ? indexOf(rule, Number.NEGATIVE_INFINITY) : { rules: () => [], subscribers: () => [] };
    return { rule, engine: new JudgeInMemory(index, config), episodes: new Map<string, Episode>() };
  });
  const judge = new SourcesJudge(config);
  const looks: Look[] = [];
  let [process, rounds] = [0, 0];
  let last: readonly Reading[] = [];
  for (const round of new World(plan).rounds()) {
    if (round.process !== process) for (const { engine } of engines) engine.restart();
    process = round.process;
    rounds += 1;
    const isThere = rounds * plan.poll > subscribed;
    if (isThere && subscribed > 0 && looks.length === 0) {
      const created = Number(round.wallClock / 1_000_000n);
      for (const { engine, rule } of engines) engine.settle(indexOf(rule, created), config);
    }
    const failure = failing > 0 && rounds % failing === 0 && last.length > 0 ? "no answer within 30 s" : undefined;
    const kept = failure === undefined ? judge.judge(round) : undefined;
    last = kept?.readings ?? last.map((reading) => unknownBecause({ message: failure ?? "" }, reading));
    const why = failure === undefined ? {} : { failure };
    const observation = { ...observationOf(round, last, plan.poll), ...why };
    for (const { engine, episodes } of engines) {
      for (const [id, episode] of engine.see(observation, round.dueMillis).episodes) episodes.set(id, episode);
    }
    const seen =
      kept === undefined
        ? why
        : {
            seen: keptRound(SourcesState.encode(kept.state), kept.verdict, { readings: kept.readings, events: [] }),
          };
    const { dueMillis } = round;
    if (isThere) looks.push({ run: `process ${process}`, dueMillis, every: plan.poll, at: observation.at, ...seen });
  }
  const episodes = engines.map((one) => [...one.episodes.values()].map(trialEpisode).toSorted(inOrder));
  return { looks, rules, config, episodes };
}

/** So many looks are packed together: of a calm piece of an hour none is judged. */
const PIECE = 90;

/** The looks as a store has them, those of each watcher: all packed but the last ones. */
async function stored(looks: ReadonlyMap<string, readonly Look[]>): Promise<Pick<Store, "read">> {
  const all = new Map<string, Awaited<ReturnType<typeof storedOf>>>();
  for (const [watcher, own] of looks) all.set(watcher, await storedOf(own));
  type Query = { readonly watcher: string; readonly after: number; readonly limit: number };
  const tables = {
    looks: {
      packed: async ({ watcher, after, limit }: Query) =>
        (all.get(watcher)?.chunks ?? []).filter(({ first }) => first > after).slice(0, limit),
      tailBetween: async ({ watcher, after, limit }: Query) =>
        (all.get(watcher)?.rows ?? []).filter((row) => row.number > after).slice(0, limit),
    },
  };
  return { read: async (ask) => ask(tables as never) };
}

async function storedOf(looks: readonly Look[]) {
  const pieces = [...hoursOf(looks)].flatMap((hour) => [...piecesOf(hour)]);
  const tail = pieces.pop() ?? [];
  let number = 0;
  const chunks: { first: number; last: number; first_at: number; last_at: number; bytes: Uint8Array }[] = [];
  for (const piece of pieces) {
    const times = piece.map(({ at }) => toMillis(at));
    const row = { first: number + 1, last: (number += piece.length), bytes: await encodeChunk(piece) };
    chunks.push({ ...row, first_at: Math.min(...times), last_at: Math.max(...times) });
  }
  const rows = tail.map((look) => ({ number: (number += 1), at: toMillis(look.at), data: lookToText(look) }));
  return { chunks, rows };
}

function* piecesOf(hour: readonly Look[]): Generator<readonly Look[]> {
  for (let from = 0; from < hour.length; from += PIECE) yield hour.slice(from, from + PIECE);
}

/**
 * A trial over the looks that were kept of a world, from the moment on at which somebody subscribed, has the episodes that
 * the engine opened and closed from then on; gives their number.
 */
export async function expectAsLive(seed: number, hours: number, failing: number, subscribed = 0): Promise<number> {
  const { looks, rules, config, episodes } = live(seed, hours, failing, subscribed);
  const store = await stored(new Map([["sources", looks]]));
  const request = { network: NETWORK, from: 0, to: Number.MAX_SAFE_INTEGER, config };
  const each = rules.map((rule) => ({ rules: [rule], subjects: [] }));
  // Beside sensitive rules patient ones pass over less.
  for (const isIn of [() => true, (index: number) => PATIENT.has(index)]) {
    const tried = each.filter((_, index) => isIn(index));
    const { trials } = await tryRules(pageReader(store), { ...request, tried });
    expect(trials.map((one) => one.episodes)).toEqual(episodes.filter((_, index) => isIn(index)));
  }
  return episodes.flat().length;
}

/** Each kind that markets and lists have a threshold for. */
const TRIED_LISTS: readonly (readonly [ConditionKind, Readonly<Record<string, number | string>>])[] = [
  ["market.auction", { for: 0 }],
  ["market.auction", { for: 120_000 }],
  ["market.price", { high: "105" }],
  ["market.price", { low: "94", high: "101", when: "within" }],
  ["market.bound", { percent: "2" }],
  ["market.bound", { percent: "0.1" }],
  ["market.value", { if: "spread_above_3_back_1" }],
  ["market.value", { if: "mark_changes_5%_within_10m" }],
  ["checkpoint.overdue", { factor: 2, atLeast: 60_000 }],
  ["checkpoint.overdue", { factor: 9, atLeast: 60_000 }],
  ["snapshot.overdue", { factor: 2, atLeast: 0 }],
  ["watch.blind", { rounds: 2 }],
];
const LISTS = { sources: 5000, markets: 15_000, checkpoints: 30_000, snapshots: 60_000 } as const;
const START = 1_717_416_000_000;

/** The same of drawn looks at markets and lists, beside which the nodes are not seen at times. */
export async function expectListsAsLive(seed: number): Promise<number> {
  const random = new SeededRandom(seed);
  const config = parseAlertsConfig(JSON.stringify({ flap: { episodes: 3, within: "10m" } }));
  const rules = TRIED_LISTS.map(([kind, given]) => ruleFor(kind, given, config));
  const engines = rules.map((rule) => {
    const engine = new JudgeInMemory(indexOf(rule, Number.NEGATIVE_INFINITY), config);
    return { engine, episodes: new Map<string, Episode>() };
  });
  const drawn = new DrawnLists(random);
  const looks = new Map<string, Look[]>(Object.keys(LISTS).map((name) => [name, []]));
  let [run, kept]: [number, MarketsState | undefined] = [0, undefined];
  const last = new Map<string, readonly Reading[]>();
  for (let millis = 0; millis < HOUR; millis += LISTS.sources) {
    if (random.next() < 0.003) {
      for (const { engine } of engines) engine.restart();
      [run, kept] = [run + 1, undefined];
      millis += random.pick([0, 15_000, 400_000]);
    }
    for (const [place, [name, every]] of Object.entries(LISTS).entries()) {
      if (millis % every !== 0) continue;
      const before = last.get(name);
      const failure = before !== undefined && random.next() < 0.05 ? { failure: "no answer within 30 s" } : {};
      const dueMillis = millis + place;
      const findings = { readings: drawn.readings(name), events: [] };
      const isSeen = failure.failure === undefined;
      const readings = isSeen
        ? findings.readings
        : (before ?? []).map((reading) => unknownBecause({ message: "no answer within 30 s" }, reading));
      last.set(name, readings);
      const { markets } = drawn;
      const seen =
        name === "markets"
          ? keptMarkets(
              markets,
              kept,
              { findings, named: () => new Set(), isWhole: random.next() < 0.1 },
              { markets: 9 },
            )
          : (findingsOrNothing(findings) ?? {});
      if (name === "markets" && isSeen) kept = markets;
      const at = fromMillis(START + dueMillis);
      const common = { dueMillis, at, ...failure };
      looks.get(name)?.push({ run: `run ${run}`, every, ...common, ...(isSeen ? { seen } : {}) });
      const observation = { network: NETWORK, watcher: { name, every }, snapshot: {}, readings, events: [], ...common };
      for (const { engine, episodes } of engines) {
        for (const [id, episode] of engine.see(observation, dueMillis).episodes) episodes.set(id, episode);
      }
    }
  }
  const tried = rules.map((rule) => ({ rules: [rule], subjects: [] }));
  const request = { network: NETWORK, from: 0, to: Number.MAX_SAFE_INTEGER, config, tried };
  const episodes = engines.map((one) => [...one.episodes.values()].map(trialEpisode).toSorted(inOrder));
  const { trials, damaged } = await tryRules(pageReader(await stored(looks)), request);
  expect([trials.map((one) => one.episodes), damaged]).toEqual([episodes, 0]);
  return episodes.flat().length;
}

/** What is seen of markets and lists: most of it goes on from look to look. */
class DrawnLists {
  readonly #random: SeededRandom;
  readonly #since: Record<string, number | undefined> = {};
  markets: MarketsState = { since: "1", looks: 1, node: "node-1", behind: false, markets: {} };

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  readings(watcher: string): readonly Reading[] {
    const [random, common] = [this.#random, { network: NETWORK, subject: "", nodes: 0, seenBy: [] }];
    if (watcher === "sources") {
      return [blind(random.next() < 0.02 ? "bad" : "good")];
    }
    if (watcher === "markets") {
      const ids = ["a", "b", "c"];
      const markets = ids.map((id) => [id, this.#market(this.markets.markets[id])] as const);
      const { looks } = this.markets;
      const behind = random.next() < 0.05;
      this.markets = { ...this.markets, looks: looks + 1, behind, markets: Object.fromEntries(markets) };
      return marketReadings(NETWORK, 0, this.markets);
    }
    const kind = watcher === "checkpoints" ? "checkpoint.overdue" : "snapshot.overdue";
    const every = watcher === "checkpoints" ? LISTS.checkpoints : LISTS.snapshots;
    const since = random.next() < 0.1 ? 0 : (this.#since[kind] ?? 0) + every;
    this.#since[kind] = since;
    const isKnown = random.next() > 0.05;
    const facts = isKnown ? { sinceMillis: since, usualMillis: 120_000, lastBlock: "7" } : { lastBlock: "7" };
    return [{ kind, ...common, state: isKnown ? "good" : "unknown", facts }];
  }

  #market(before: MarketRecord | undefined): MarketRecord {
    const random = this.#random;
    if (before !== undefined && random.next() < 0.7) return before;
    if (random.next() < 0.1) return { state: "STATE_ACTIVE", absent: true };
    const price = String(Math.round(random.between(90, 110)));
    const isAuction = random.next() < 0.3;
    const values = {
      ...(random.next() < 0.9 ? { mark: price, spread: String(random.pick([1, 2, 2.5, 4])) } : {}),
      ...(random.next() < 0.9 ? { "mark low 10m": "92", "mark high 10m": String(random.pick([95, 110])) } : {}),
    };
    const distancePercent = String(random.pick([0, 0.5, 1.5, 3]));
    return {
      label: "Market",
      state: random.pick(["STATE_ACTIVE", "STATE_ACTIVE", "STATE_ACTIVE", "STATE_SUSPENDED", "STATE_SETTLED"]),
      tradingMode: isAuction ? "TRADING_MODE_MONITORING_AUCTION" : "TRADING_MODE_CONTINUOUS",
      ...(isAuction ? { auctionStart: String(fromMillis(START - 1000)) } : {}),
      ...(random.next() < 0.9 ? { price } : {}),
      ...(random.next() < 0.9 ? { nearest: { side: "upper" as const, distancePercent } } : {}),
      ...(random.next() < 0.9 ? { values } : {}),
    };
  }
}
