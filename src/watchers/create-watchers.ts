import type { AlertsConfig } from "../alerts/alerts-config.ts";
import type { Clock } from "../api/clock.ts";
import type { Verdict } from "../api/verdict/verdict.ts";
import { checkpointsWatcher, rotationsWatcher, snapshotsWatcher } from "./history/lists.ts";
import { nodeHistoriesWatcher } from "./history/node-histories.ts";
import { marketsWatcher } from "./markets/markets.ts";
import { NodeSelector } from "./sources/node-selector.ts";
import { nodeVersionsWatcher } from "./sources/node-versions.ts";
import { sourcesWatcher } from "./sources/sources.ts";
import { bundlesWatcher } from "./subjects/bundles.ts";
import { ordersWatcher } from "./subjects/orders.ts";
import { stakesWatcher } from "./subjects/stakes.ts";
import type { Watcher, WatcherOptions } from "./watcher.ts";

/** All watchers of a network. */
export function createWatchers(given: {
  readonly network: string;
  /** The number of configured nodes. */
  readonly nodes: number;
  readonly config: AlertsConfig;
  readonly clock: Clock;
  /** Names the watch in looks that are kept. */
  readonly run?: string;
  readonly looks?: WatcherOptions["looks"] & {};
  /** Called with every verdict on the network. */
  readonly onVerdict?: (verdict: Verdict) => void;
}): readonly Watcher<unknown>[] {
  const options = { ...given, selector: new NodeSelector() };
  return [
    sourcesWatcher(options),
    checkpointsWatcher(options),
    snapshotsWatcher(options),
    rotationsWatcher(options),
    marketsWatcher(options),
    nodeVersionsWatcher(options),
    nodeHistoriesWatcher(options),
    ordersWatcher(options),
    stakesWatcher(options),
    bundlesWatcher(options),
  ];
}
