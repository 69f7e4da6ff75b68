import { type AlertsConfig, watcherNames } from "../../alerts/alerts-config.ts";
import type { AlertEngine } from "../../alerts/engine/engine.ts";
import type { Clock } from "../../api/clock.ts";
import type { Verdict } from "../../api/verdict/verdict.ts";
import { decodeSources, judgeRound, SourcesSnapshot } from "../../watchers/sources/sources-state.ts";
import { sourceThresholds } from "../../watchers/sources/sources.ts";
import { toMillis } from "../../units/nanoseconds.ts";
import type { LastObservation } from "./alerting.ts";

export interface FollowedDependencies {
  readonly engine: Pick<AlertEngine, "snapshot" | "lastObservedAt">;
  readonly config: AlertsConfig;
  readonly clock: Clock;
}

/** A network that another process watches, as the store tells of it. */
export interface FollowedNetwork {
  readonly observations: readonly LastObservation[];
  readonly verdict?: Verdict;
}

/** The watcher that judges the nodes. */
const SOURCES = "sources";

/** What the watchers of another process have stored last of a network. */
export async function followNetwork(
  network: string,
  { engine, config, clock }: FollowedDependencies,
): Promise<FollowedNetwork> {
  const observations: LastObservation[] = [];
  for (const { name, every } of watcherNames(config)) {
    const at = await engine.lastObservedAt(network, name);
    if (at !== undefined) observations.push({ network, watcher: name, every, at });
  }
  const stored = await engine.snapshot(network, SOURCES);
  const state = decodeSources(SourcesSnapshot.safeParse(stored?.data).data);
  if (state === undefined) return { observations };
  // The same round judged again, by this process's monotonic clock: a node may count as missing once too often.
  const awayMillis = toMillis(clock.wallClock()) - toMillis(state.round.wallClock);
  const round = { ...state.round, atMillis: clock.monotonicMillis() - awayMillis };
  return { observations, verdict: judgeRound("", round, state, sourceThresholds(config)) };
}
