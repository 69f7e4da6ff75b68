import type { AlertsConfig } from "../alerts/alerts-config.ts";
import type { Answer, CallOptions } from "../api/api-client.ts";
import type { MarketData } from "../api/market-data.ts";
import type { Nanoseconds } from "../units/nanoseconds.ts";
import { BestSource } from "./best-source.ts";
import { keptAs } from "./kept-as.ts";
import { marketEvents, marketReadings } from "./market-findings.ts";
import { marketRecordOf } from "./market-record.ts";
import { MarketsState, type MarketRecord, type MarketsSnapshot } from "./market-state.ts";
import { nextLook } from "./run-counter.ts";
import type { Watcher } from "./watcher.ts";

/** Markets that a node no longer lists are remembered, so that they are not new when they come back, up to so many. */
const MAX_ABSENT = 500;

/** Markets that change state or mode, and each one's auction, price and distance from the bounds of price monitoring. */
export function marketsWatcher(options: {
  readonly network: string;
  /** How many are configured. */
  readonly nodes: number;
  readonly config: Pick<AlertsConfig, "poll">;
  readonly source?: BestSource;
}): Watcher<MarketsSnapshot> {
  const { network, nodes, config, source = new BestSource() } = options;
  return {
    name: "markets",
    every: config.poll.rest,
    snapshot: keptAs(MarketsState),
    async observe(api, watched, signal) {
      const call: CallOptions = { lane: "watchers", fresh: true, signal };
      const before = watched.before === undefined ? undefined : MarketsState.decode(watched.before);
      const answer = await source.from(api).getMarketsData(call);
      const named = await api.getMarketNames({ lane: "watchers", signal });
      const names = new Map(named.map((market) => [market.id, market]));
      const { node, receivedAt } = answer.asOf;
      const time = timeOf(answer);
      const counter = nextLook(before, receivedAt);
      if (before?.time !== undefined && time !== undefined && time < before.time) {
        return MarketsState.encode({ ...before, ...counter, node, behind: true });
      }
      const records = answer.value.flatMap((data): [string, MarketRecord][] =>
        data.market === undefined ? [] : [[data.market, marketRecordOf(data, names.get(data.market))]],
      );
      return MarketsState.encode({
        ...counter,
        node,
        ...(time === undefined ? {} : { time }),
        behind: false,
        markets: { ...absent(before, new Set(records.map(([id]) => id))), ...Object.fromEntries(records) },
      });
    },
    judge(before, after, at) {
      const state = MarketsState.decode(after);
      return {
        readings: marketReadings(network, nodes, state),
        events: before === undefined ? [] : marketEvents(network, MarketsState.decode(before), state, at),
      };
    },
  };
}

/** The network's time that the answer speaks for: told in a header, else the latest that a market carries. */
function timeOf({ asOf, value }: Answer<readonly MarketData[]>): Nanoseconds | undefined {
  if (asOf.blockTime !== undefined) return asOf.blockTime;
  let latest: Nanoseconds | undefined;
  for (const { timestamp } of value) {
    if (timestamp !== undefined && (latest === undefined || timestamp > latest)) latest = timestamp;
  }
  return latest;
}

/** What was known of markets that are not listed now; the ones longest gone stand first and are forgotten first. */
function absent(before: MarketsState | undefined, listed: ReadonlySet<string>): Record<string, MarketRecord> {
  const gone = Object.entries(before?.markets ?? {}).filter(([id]) => !listed.has(id));
  return Object.fromEntries(gone.slice(-MAX_ABSENT).map(([id, market]) => [id, { ...market, absent: true }]));
}
