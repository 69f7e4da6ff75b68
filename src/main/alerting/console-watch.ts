import type { OpenAlert, StallState, WatchedNetwork, WatchState } from "../../adapters/web/alerts/watch.ts";
import type { AlertsConfig } from "../../alerts/alerts-config.ts";
import { isDrill } from "../../alerts/drill.ts";
import { timeToText } from "../../alerts/kinds/json-fields.ts";
import { Episode, episodeId, Machine } from "../../alerts/rules/episode.ts";
import { type Clock, systemClock } from "../../api/clock.ts";
import type { Verdict } from "../../api/verdict/verdict.ts";
import type { Store } from "../../store/store.ts";
import type { Milliseconds } from "../../units/duration.ts";
import type { Nanoseconds } from "../../units/nanoseconds.ts";
import { sourceThresholds } from "../../watchers/sources/sources.ts";
import type { Alerting } from "./alerting.ts";
import type { GuidedIncident } from "./guided-incident.ts";

export interface ConsoleWatchDependencies {
  readonly store: Pick<Store, "transaction">;
  readonly config: AlertsConfig;
  readonly alerting: Pick<Alerting, "verdict">;
  readonly networks: readonly string[];
  readonly incident?: Pick<GuidedIncident, "since" | "resume"> | undefined;
  readonly clock?: Clock;
}

const STALLED_RULE = "network.stalled";

/** The current state of the networks, for the console. */
export function consoleWatch(dependencies: ConsoleWatchDependencies): () => Promise<WatchState> {
  const { store, config, alerting, networks, incident, clock = systemClock } = dependencies;
  const { stalledMillis } = sourceThresholds(config);
  const timing = {
    everyMillis: config.poll.time,
    suspiciousMillis: stalledMillis,
    firesMillis: config.stalled.for,
    keepMillis: Math.max(config.keep.for, (config.keep.rounds - 1) * config.poll.time),
  };
  return async () => {
    // The page may ask before the watch begins: a standstill from before a restart goes on.
    await incident?.resume();
    const { machines, episodes } = await store.transaction(async ({ alerts: { watch } }) => {
      const rows = [];
      for (const network of networks) rows.push(...(await watch.machines(network)));
      return { machines: rows, episodes: (await watch.openEpisodes()).filter((one) => !isDrill(one)) };
    });
    const watched = networks.map((network): WatchedNetwork => {
      const row = machines.find((one) => one.network === network && one.rule === STALLED_RULE && one.subject === "");
      const machine = row === undefined ? undefined : Machine.parse(JSON.parse(row.data));
      const verdict = alerting.verdict(network);
      const since = incident?.since(network);
      const context: StallContext = {
        verdict,
        sinceVerdict: clock.monotonicMillis() - (verdict?.atMillis ?? 0),
        since,
      };
      return {
        network,
        nodes: nodesOf(verdict),
        ...(verdict === undefined ? {} : { verdict: verdictOf(verdict) }),
        stalled: stallOf(machine, context, config),
        ...(since === undefined ? {} : { incident: { since: timeToText(since) } }),
      };
    });
    return { networks: watched, open: episodes.map(({ data }) => openAlert(Episode.parse(JSON.parse(data)))), timing };
  };
}

function nodesOf(verdict: Verdict | undefined): WatchedNetwork["nodes"] {
  return (verdict?.nodes ?? []).map(({ node, state, why, time, height, roundTripMillis }) => ({
    node,
    state,
    ...(why === undefined ? {} : { why }),
    ...(time === undefined ? {} : { time: timeToText(time) }),
    ...(height === undefined ? {} : { height: height.toString() }),
    ...(roundTripMillis === undefined ? {} : { roundTripMillis }),
  }));
}

function verdictOf({ network, why, stillMillis, at }: Verdict): NonNullable<WatchedNetwork["verdict"]> {
  return { state: network, why, ...(stillMillis === undefined ? {} : { stillMillis }), at: timeToText(at) };
}

interface StallContext {
  /** The last verdict of this process, and its age. */
  readonly verdict: Verdict | undefined;
  readonly sinceVerdict: Milliseconds;
  /** When the network was made to stand still. */
  readonly since: Nanoseconds | undefined;
}

/** Counts on from the state machine's last observation; unknown before the first observation of a process. */
function stallOf(machine: Machine | undefined, context: StallContext, config: AlertsConfig): StallState {
  const { verdict, sinceVerdict } = context;
  const left = (millis: Milliseconds): Pick<StallState, "leftMillis"> =>
    verdict === undefined ? {} : { leftMillis: millis - sinceVerdict };
  if (machine === undefined || machine.phase === "ok") {
    return { phase: "ok", ...(context.since === undefined ? {} : left(untilSuspicious(context, config))) };
  }
  const { phase, heldMillis, rounds } = machine;
  if (phase === "pending") return { phase, ...left(config.stalled.for - heldMillis) };
  const episode = episodeId(machine, machine.number);
  if (phase === "firing") return { phase, episode };
  return {
    phase,
    episode,
    ...left(Math.max(config.keep.for - heldMillis, (config.keep.rounds - rounds) * config.poll.time)),
  };
}

/** From the last observation on; the next one sees any blocks since, and the time counts from there. */
function untilSuspicious({ verdict, since }: StallContext, config: AlertsConfig): Milliseconds {
  const { stalledMillis } = sourceThresholds(config);
  if (verdict === undefined) return stalledMillis;
  if (since !== undefined && since > verdict.at) return config.poll.time + stalledMillis;
  const age = verdict.basis === "age" ? (verdict.ageMillis ?? 0) : 0;
  return stalledMillis - Math.max(verdict.stillMillis ?? 0, age);
}

function openAlert(episode: Episode): OpenAlert {
  const { id, kind, network, subject, severity, state, began, beganBefore, acknowledged } = episode;
  return {
    episode: id,
    kind,
    network,
    subject,
    severity,
    state: state === "recovering" ? "recovering" : "firing",
    began,
    ...(beganBefore === undefined ? {} : { beganBefore }),
    ...(acknowledged === undefined ? {} : { acknowledged }),
  };
}
