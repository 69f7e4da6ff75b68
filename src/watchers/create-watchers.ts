import type { AlertsConfig } from "../alerts/alerts-config.ts";
import type { Clock } from "../api/clock.ts";
import type { Verdict } from "../api/verdict/verdict.ts";
import { NodeSelector } from "./best-source.ts";
import { bundlesWatcher } from "./bundles.ts";
import { checkpointsWatcher } from "./checkpoints.ts";
import { marketsWatcher } from "./markets.ts";
import { nodeVersionsWatcher } from "./node-versions.ts";
import { ordersWatcher } from "./orders.ts";
import { rotationsWatcher } from "./rotations.ts";
import { snapshotsWatcher } from "./snapshots.ts";
import { sourcesWatcher } from "./sources.ts";
import { stakesWatcher } from "./stakes.ts";
import type { Watcher } from "./watcher.ts";

/** Everybody who watches a network. */
export function createWatchers(given: {
  readonly network: string;
  /** How many are configured. */
  readonly nodes: number;
  readonly config: AlertsConfig;
  readonly clock?: Clock;
  /** Told of every verdict on the network. */
  readonly onVerdict?: (verdict: Verdict) => void;
}): readonly Watcher<unknown>[] {
  const options = { ...given, source: new NodeSelector() };
  return [
    sourcesWatcher(options),
    checkpointsWatcher(options),
    snapshotsWatcher(options),
    rotationsWatcher(options),
    marketsWatcher(options),
    nodeVersionsWatcher(options),
    ordersWatcher(options),
    stakesWatcher(options),
    bundlesWatcher(options),
  ];
}
