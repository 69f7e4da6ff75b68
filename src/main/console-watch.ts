import type { OpenAlert, StallWatch, WatchedNetwork, WatchState } from "../adapters/web/watch-state.ts";
import type { AlertsConfig } from "../alerts/alerts-config.ts";
import { Episode, episodeId, Machine } from "../alerts/episode.ts";
import { timeToText } from "../alerts/json-units.ts";
import { systemClock, type Clock } from "../api/clock.ts";
import type { Verdict } from "../api/verdict.ts";
import type { Store } from "../store/store.ts";
import type { Milliseconds } from "../units/duration.ts";
import { sourceThresholds } from "../watchers/sources.ts";
import type { Alerting } from "./alerting.ts";
import type { GuidedIncident } from "./guided-incident.ts";

export interface ConsoleWatchParts {
  readonly store: Pick<Store, "transaction">;
  readonly config: AlertsConfig;
  readonly alerting: Pick<Alerting, "verdict">;
  readonly networks: readonly string[];
  readonly incident?: Pick<GuidedIncident, "since"> | undefined;
  readonly clock?: Clock;
}

const RULE = "network.stalled";

/** How things stand, for the console. */
export function consoleWatch(parts: ConsoleWatchParts): () => Promise<WatchState> {
  const { store, config, alerting, networks, incident, clock = systemClock } = parts;
  const { stalledMillis } = sourceThresholds(config);
  const timing = {
    everyMillis: config.poll.time,
    suspiciousMillis: stalledMillis,
    firesMillis: config.stalled.for,
    keepMillis: Math.max(config.keep.for, (config.keep.rounds - 1) * config.poll.time),
  };
  return async () => {
    const { machines, episodes } = await store.transaction(async ({ alerts: { watch } }) => {
      const rows = [];
      for (const network of networks) rows.push(...(await watch.machines(network)));
      return { machines: rows, episodes: await watch.openEpisodes() };
    });
    const watched = networks.map((network): WatchedNetwork => {
      const row = machines.find((one) => one.network === network && one.rule === RULE && one.subject === "");
      const machine = row === undefined ? undefined : Machine.parse(JSON.parse(row.data));
      const verdict = alerting.verdict(network);
      const sinceLook = verdict === undefined ? 0 : clock.monotonicMillis() - verdict.atMillis;
      const since = incident?.since(network);
      return {
        network,
        nodes: nodesOf(verdict),
        ...(verdict === undefined ? {} : { verdict: verdictOf(verdict) }),
        stalled: stallOf(machine, sinceLook, config),
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

function stallOf(machine: Machine | undefined, sinceLook: Milliseconds, config: AlertsConfig): StallWatch {
  if (machine === undefined || machine.phase === "ok") return { phase: "ok" };
  const { phase, heldMillis, rounds } = machine;
  const every = config.poll.time;
  if (phase === "pending") {
    return { phase, leftMillis: untilLook(config.stalled.for - heldMillis, every) - sinceLook };
  }
  const episode = episodeId(machine, machine.number);
  if (phase === "firing") return { phase, episode };
  const missing = Math.max(config.keep.for - heldMillis, (config.keep.rounds - rounds) * every);
  return { phase, episode, leftMillis: untilLook(missing, every) - sinceLook };
}

/** What is due in so long is seen by the next look after it. */
function untilLook(millis: Milliseconds, every: Milliseconds): Milliseconds {
  return Math.max(1, Math.ceil(millis / every)) * every;
}

function openAlert(episode: Episode): OpenAlert {
  const { id, kind, network, subject, severity, state, began, acknowledged } = episode;
  return {
    episode: id,
    kind,
    network,
    subject,
    severity,
    state: state === "recovering" ? "recovering" : "firing",
    began,
    ...(acknowledged === undefined ? {} : { acknowledged }),
  };
}
