// The watcher of markets: states and trading modes as events; auctions, prices and distances from bounds as readings.

import { setImmediate } from "node:timers/promises";

import { z } from "zod";

import type { AlertEvent, MarketSide } from "../../alerts/judge/kinds/event.ts";
import { DecimalText, timeFromText, TimeText, timeToText } from "../../alerts/judge/kinds/kind.ts";
import { marketFactsOf, marketPace, nearestBound } from "../../alerts/judge/kinds/market-facts.ts";
import { exactPrice, extremeFact, type MarketFacts } from "../../alerts/judge/kinds/market-measure.ts";
import type { Reading } from "../../alerts/judge/kinds/reading.ts";
import type { Answer, ApiClient, AsOf, CallOptions } from "../../api/api-client.ts";
import { isAuctionMode, isLiveState, isOverState, type MarketData } from "../../api/model/market.ts";
import type { MarketNames } from "../../api/model/names.ts";
import { storedAs } from "../../api/verdict/memory.ts";
import { formatDecimal } from "../../units/decimal.ts";
import { type Milliseconds, type Nanoseconds, toMillis } from "../../units/time.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import { isPlausibleTime } from "../block-time.ts";
import { countObservation, observationCounter, observationKey } from "../snapshot-schema.ts";
import { NodeSelector } from "../sources/node-selector.ts";
import type { WatchContext, Watcher, WatcherOptions } from "../watcher.ts";
import { keptMarkets, MAX_KEPT_MARKETS } from "./kept-markets.ts";
import { extremesOf, ValueHistory, withValue } from "./value-history.ts";

/** Markets that a node no longer lists are remembered up to this number, so that they are not new when they come back. */
const MAX_ABSENT_MARKETS = 500;
/** After reading so many markets, a few milliseconds' work, the watcher yields to the event loop. */
const MARKETS_BEFORE_YIELD = 1000;

/** A market as it was last seen. Prices in the market's units, where its decimals are known. */
const marketRecord = z.object({
  label: z.string().exactOptional(),
  state: z.string().exactOptional(),
  tradingMode: z.string().exactOptional(),
  trigger: z.string().exactOptional(),
  extension: z.string().exactOptional(),
  auctionStart: TimeText.exactOptional(),
  auctionEnd: TimeText.exactOptional(),
  price: DecimalText.exactOptional(),
  /** The bound of price monitoring that is nearest to the price. */
  nearest: z
    .object({
      bound: DecimalText.exactOptional(),
      side: z.enum(["lower", "upper"]),
      distancePercent: DecimalText,
    })
    .exactOptional(),
  /** Of the markets that subscriptions name: their values, and what those were whose changes are told. */
  values: z.record(z.string(), DecimalText).exactOptional(),
  history: z.record(z.string(), ValueHistory).exactOptional(),
  /** The market is not listed any more; this is its last state. */
  absent: z.literal(true).exactOptional(),
});
export type MarketRecord = z.infer<typeof marketRecord>;

/**
 * The markets of a network, by id. Stored as it is: for 20,000 markets, converting them takes longer than the rest of an
 * observation.
 */
export const MarketsState = z.object({
  ...observationCounter,
  node: z.string(),
  /** The network's time that the answer is as of. */
  time: TimeText.exactOptional(),
  /** The node is behind an earlier answer, so that nothing in its own is new. */
  behind: z.boolean(),
  /** Of the watcher's own clock, which goes on evenly whatever the wall clock does, and when that moment was. */
  moment: z.number().exactOptional(),
  /** In how long it is asked again: soon, where subscriptions name values and the answer is short. */
  every: z.number().positive().exactOptional(),
  readAt: TimeText.exactOptional(),
  markets: z.record(z.string(), marketRecord),
});
export type MarketsState = z.infer<typeof MarketsState>;

/** Markets that change state or mode, and each one's auction, price and distance from the bounds of price monitoring. */
export function marketsWatcher(
  options: Pick<WatcherOptions, "network" | "nodes" | "config" | "selector" | "looks">,
): Watcher<MarketsState> {
  const { network, nodes, config, looks = { markets: MAX_KEPT_MARKETS }, selector = new NodeSelector() } = options;
  const momentOf = evenClock();
  return {
    name: "markets",
    every: config.poll.rest,
    pace: ({ every = config.poll.rest }) => every,
    snapshot: storedAs(MarketsState),
    async observe(api, context, signal) {
      const call: CallOptions = { lane: "watchers", fresh: true, signal };
      const { before } = context;
      const answer = await selector.clientFor(api).getMarketsData(call);
      const names = await namesOf(api, answer.value, before, signal);
      const { node, receivedAt } = answer.asOf;
      const time = timeOf(answer);
      const counter = countObservation(before, receivedAt);
      if (time !== undefined && before?.time !== undefined && isPast(time, timeFromText(before.time), answer.asOf)) {
        return { ...before, ...counter, node, behind: true };
      }
      const moment = momentOf(before, receivedAt, context.dueMillis);
      const watched = new Set(context.subjects("market.value"));
      const isWatched = watched.size > 0 || context.subjects("market.price").length > 0;
      const records: [string, MarketRecord][] = [];
      for (const [index, data] of answer.value.entries()) {
        if (data.market !== undefined) {
          const record = marketRecordOf(data, names.get(data.market));
          const values = watched.has(data.market) ? marketFactsOf(data, names.get(data.market)) : undefined;
          // What a node leaves out of a market that is over was said before.
          const last = isOverState(data.marketState) ? before?.markets[data.market]?.values : undefined;
          const told = values && valuesOf(data.market, { ...last, ...values }, context, moment);
          records.push([data.market, { ...record, ...told }]);
        }
        if (index % MARKETS_BEFORE_YIELD === MARKETS_BEFORE_YIELD - 1) await setImmediate();
      }
      if (records.length >= MARKETS_BEFORE_YIELD) await setImmediate();
      return {
        ...counter,
        node,
        ...(time === undefined ? {} : { time: timeToText(time) }),
        behind: false,
        moment,
        ...(isWatched && answer.bytes !== undefined ? { every: marketPace(config, answer.bytes) } : {}),
        readAt: timeToText(receivedAt),
        markets: { ...absentMarkets(before, new Set(records.map(([id]) => id))), ...Object.fromEntries(records) },
      };
    },
    judge(before, after, at) {
      return {
        readings: marketReadings(network, nodes, after),
        events: before === undefined ? [] : marketEvents(network, before, after, at),
      };
    },
    kept(after, { before, ...seen }) {
      return keptMarkets(after, before, seen, looks);
    },
  };
}

/** A clock that goes by the monotonic one, and at the first observation of a process by the wall clock, which may go back. */
function evenClock() {
  let origin: { readonly moment: Milliseconds; readonly now: Milliseconds } | undefined;
  return (before: MarketsState | undefined, receivedAt: Nanoseconds, due: Milliseconds | undefined): Milliseconds => {
    const wall = toMillis(receivedAt);
    const now = due ?? wall;
    const { moment: last = 0, readAt } = before ?? {};
    const away = readAt === undefined ? 0 : wall - toMillis(timeFromText(readAt));
    origin ??= { now, moment: last + Math.max(0, away) };
    return Math.max(last, origin.moment + now - origin.now);
  };
}

/** The values of a market, with the least and the most of each time over which subscriptions ask for changes. */
function valuesOf(
  market: string,
  facts: MarketFacts,
  { before, changes }: WatchContext<MarketsState>,
  moment: Milliseconds,
): Pick<MarketRecord, "values" | "history"> {
  const asked = Map.groupBy(changes?.get(market) ?? [], ({ fact }) => fact);
  if (asked.size === 0) return { values: { ...facts } };
  const values: Record<string, string> = { ...facts };
  const history: Record<string, ValueHistory> = {};
  for (const [fact, all] of asked) {
    const known = before?.markets[market]?.history?.[fact];
    const value = facts[fact];
    const span = Math.max(...all.map(({ within }) => within));
    const now = value === undefined ? known : withValue(known, moment, value, span);
    if (now === undefined) continue;
    history[fact] = now;
    for (const { within } of all) {
      const [low, high] = extremesOf(now, moment, within) ?? [];
      if (low === undefined || high === undefined) continue;
      values[extremeFact(fact, "low", within)] = low;
      values[extremeFact(fact, "high", within)] = high;
    }
  }
  return { values, history };
}

/** By id. Names are cached for long, so that they are fetched anew where a market is new. */
async function namesOf(
  api: ApiClient,
  listed: readonly MarketData[],
  before: MarketsState | undefined,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, MarketNames>> {
  const call: CallOptions = { lane: "watchers", signal };
  let named = await api.getMarketNames(call);
  const known = new Set([...named.map(({ id }) => id), ...Object.keys(before?.markets ?? {})]);
  if (before !== undefined && listed.some(({ market }) => market !== undefined && !known.has(market))) {
    named = await api.getMarketNames({ ...call, fresh: true });
  }
  return new Map(named.map((market) => [market.id, market]));
}

/** The network's time that the answer is as of: from a header, else the latest of a market. */
function timeOf({ asOf, value }: Answer<readonly MarketData[]>): Nanoseconds | undefined {
  const times = asOf.blockTime === undefined ? value.map(({ timestamp }) => timestamp) : [asOf.blockTime];
  let latest: Nanoseconds | undefined;
  for (const time of times) {
    if (time !== undefined && isPlausibleTime(time, asOf) && (latest === undefined || time > latest)) latest = time;
  }
  return latest;
}

function isPast(time: Nanoseconds, reached: Nanoseconds, asOf: AsOf): boolean {
  return time < reached && isPlausibleTime(reached, asOf);
}

/** The last state of markets that are not listed now; those absent longest come first and are forgotten first. */
function absentMarkets(before: MarketsState | undefined, listed: ReadonlySet<string>): Record<string, MarketRecord> {
  const gone = Object.entries(before?.markets ?? {}).filter(([id]) => !listed.has(id));
  return Object.fromEntries(gone.slice(-MAX_ABSENT_MARKETS).map(([id, market]) => [id, { ...market, absent: true }]));
}

/** The conditions of every listed market. */
export function marketReadings(network: string, nodes: number, state: MarketsState): readonly Reading[] {
  return Object.entries(state.markets).flatMap(([subject, market]) => {
    if (market.absent === true) return [];
    const { label, price, nearest, values } = market;
    const over = isOverState(market.state) ? market.state : undefined;
    const common = { network, subject, nodes, seenBy: [state.node], ...withoutUndefined({ label, over }) };
    const unknown = state.behind ? { why: `${state.node} stands behind what was seen before` } : {};
    const known = (bad: boolean): Reading["state"] => (state.behind ? "unknown" : bad ? "bad" : "good");
    return [
      {
        kind: "market.auction",
        ...common,
        ...unknown,
        ...(state.behind ? {} : auctionSince(market)),
        state: known(isInAuction(market)),
        facts: auctionFacts(market),
      },
      {
        kind: "market.price",
        ...common,
        ...unknown,
        state: over === undefined && price === undefined ? "unknown" : known(false),
        facts: state.behind ? {} : withoutUndefined({ price }),
      },
      {
        kind: "market.bound",
        ...common,
        ...unknown,
        state: over === undefined && nearest === undefined ? "unknown" : known(false),
        facts: state.behind || nearest === undefined ? {} : { ...withoutUndefined({ price }), ...nearest },
      },
      ...(values === undefined
        ? []
        : [
            {
              kind: "market.value" as const,
              ...common,
              ...unknown,
              state: over === undefined && Object.keys(values).length === 0 ? "unknown" : known(false),
              facts: state.behind ? {} : values,
            } as const,
          ]),
    ] satisfies Reading[];
  });
}

/** Markets whose state or trading mode has changed since the observation before, and new ones; by id. */
function marketEvents(
  network: string,
  before: MarketsState,
  after: MarketsState,
  at: Nanoseconds,
): readonly AlertEvent[] {
  if (after.behind) return [];
  return Object.entries(after.markets)
    .filter(([id, market]) => differs(before.markets[id], market))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([subject, market]) => {
      const known = before.markets[subject];
      return {
        kind: "market.state",
        network,
        subject,
        key: `${subject}/${observationKey(after)}`,
        at: timeToText(at),
        node: after.node,
        ...withoutUndefined({ label: market.label, before: known && sideOf(known) }),
        ...(isOverState(market.state) ? { over: true, ...withoutUndefined({ price: market.price }) } : {}),
        after: sideOf(market),
      };
    });
}

function differs(known: MarketRecord | undefined, market: MarketRecord): boolean {
  return known === undefined || known.state !== market.state || known.tradingMode !== market.tradingMode;
}

/** A closed market keeps its last trading mode for ever. */
function isInAuction({ state, tradingMode }: MarketRecord): boolean {
  return isLiveState(state) && isAuctionMode(tradingMode);
}

function auctionFacts(market: MarketRecord): Extract<Reading, { kind: "market.auction" }>["facts"] {
  const { tradingMode, trigger, extension, auctionStart: start, auctionEnd: end } = market;
  return withoutUndefined({ tradingMode, ...(isInAuction(market) ? { trigger, extension, start, end } : {}) });
}

/** The node knows when an auction began, even without an observation then. */
function auctionSince(market: MarketRecord): { since?: string } {
  const { auctionStart } = market;
  return isInAuction(market) && auctionStart !== undefined && timeFromText(auctionStart) > 0n
    ? { since: auctionStart }
    : {};
}

function sideOf({ state, tradingMode, trigger }: MarketRecord): MarketSide {
  return withoutUndefined({ state, tradingMode, trigger });
}

/** The watched fields of one market. */
export function marketRecordOf(data: MarketData, names: MarketNames | undefined): MarketRecord {
  const { markPrice, marketState, marketTradingMode, trigger, extensionTrigger, auctionStart, auctionEnd } = data;
  const label = names?.code ?? names?.name;
  const price = markPrice === undefined || markPrice <= 0n ? undefined : markPrice;
  const shown = price === undefined ? undefined : exactPrice(price, names);
  const nearest = price === undefined ? undefined : nearestBound(data, price);
  return withoutUndefined({
    label,
    state: marketState,
    tradingMode: marketTradingMode,
    trigger,
    // Named only where there was one.
    extension: extensionTrigger?.endsWith("_UNSPECIFIED") === true ? undefined : extensionTrigger,
    auctionStart: auctionStart?.toString(),
    auctionEnd: auctionEnd?.toString(),
    price: shown,
    nearest: nearest && {
      ...withoutUndefined({ bound: exactPrice(nearest.bound, names) }),
      side: nearest.side,
      distancePercent: formatDecimal(nearest.distance, { group: false }),
    },
  });
}
