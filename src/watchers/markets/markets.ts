import { setImmediate } from "node:timers/promises";

import { timeFromText, timeToText } from "../../alerts/kinds/json-fields.ts";
import type { Answer, ApiClient, AsOf, CallOptions } from "../../api/api-client.ts";
import type { MarketData } from "../../api/model/market.ts";
import type { MarketNames } from "../../api/model/names.ts";
import type { Nanoseconds } from "../../units/nanoseconds.ts";
import { isPlausibleTime } from "../block-time.ts";
import { countObservation, storedAs } from "../snapshot-schema.ts";
import { NodeSelector } from "../sources/node-selector.ts";
import type { Watcher, WatcherOptions } from "../watcher.ts";
import { marketEvents, marketReadings } from "./market-findings.ts";
import { type MarketRecord, marketRecordOf, MarketsState } from "./market-state.ts";

/** Markets that a node no longer lists are remembered, so that they are not new when they come back, up to so many. */
const MAX_ABSENT_MARKETS = 500;
/** So many markets are read at once: a few milliseconds' work, after which others have their turn. */
const MARKETS_BEFORE_YIELD = 1000;

/** Markets that change state or mode, and each one's auction, price and distance from the bounds of price monitoring. */
export function marketsWatcher(
  options: Pick<WatcherOptions, "network" | "nodes" | "config" | "source">,
): Watcher<MarketsState> {
  const { network, nodes, config, source = new NodeSelector() } = options;
  return {
    name: "markets",
    every: config.poll.rest,
    snapshot: storedAs(MarketsState),
    async observe(api, watched, signal) {
      const call: CallOptions = { lane: "watchers", fresh: true, signal };
      const { before } = watched;
      const answer = await source.clientFor(api).getMarketsData(call);
      const names = await namesOf(api, answer.value, before, signal);
      const { node, receivedAt } = answer.asOf;
      const time = timeOf(answer);
      const counter = countObservation(before, receivedAt);
      if (time !== undefined && before?.time !== undefined && isPast(time, timeFromText(before.time), answer.asOf)) {
        return { ...before, ...counter, node, behind: true };
      }
      const records: [string, MarketRecord][] = [];
      for (const [index, data] of answer.value.entries()) {
        if (data.market !== undefined) records.push([data.market, marketRecordOf(data, names.get(data.market))]);
        if (index % MARKETS_BEFORE_YIELD === MARKETS_BEFORE_YIELD - 1) await setImmediate();
      }
      if (records.length >= MARKETS_BEFORE_YIELD) await setImmediate();
      return {
        ...counter,
        node,
        ...(time === undefined ? {} : { time: timeToText(time) }),
        behind: false,
        markets: { ...absentMarkets(before, new Set(records.map(([id]) => id))), ...Object.fromEntries(records) },
      };
    },
    judge(before, after, at) {
      return {
        readings: marketReadings(network, nodes, after),
        events: before === undefined ? [] : marketEvents(network, before, after, at),
      };
    },
  };
}

/** By id. Names are kept for long: what is new since the last look may be newer than they are, and is asked for once. */
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

/** The network's time that the answer speaks for: told in a header, else the latest that a market carries. */
function timeOf({ asOf, value }: Answer<readonly MarketData[]>): Nanoseconds | undefined {
  const told = asOf.blockTime === undefined ? value.map(({ timestamp }) => timestamp) : [asOf.blockTime];
  let latest: Nanoseconds | undefined;
  for (const time of told) {
    if (time !== undefined && isPlausibleTime(time, asOf) && (latest === undefined || time > latest)) latest = time;
  }
  return latest;
}

function isPast(time: Nanoseconds, reached: Nanoseconds, asOf: AsOf): boolean {
  return time < reached && isPlausibleTime(reached, asOf);
}

/** What was known of markets that are not listed now; the ones longest gone stand first and are forgotten first. */
function absentMarkets(before: MarketsState | undefined, listed: ReadonlySet<string>): Record<string, MarketRecord> {
  const gone = Object.entries(before?.markets ?? {}).filter(([id]) => !listed.has(id));
  return Object.fromEntries(gone.slice(-MAX_ABSENT_MARKETS).map(([id, market]) => [id, { ...market, absent: true }]));
}
