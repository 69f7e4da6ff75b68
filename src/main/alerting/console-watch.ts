import type {
  HoldingSilence,
  OpenAlert,
  StallState,
  StallTold,
  WatchedNetwork,
  WatchState,
} from "../../adapters/web/alerts/watch.ts";
import { CONSOLE } from "../../adapters/web/platform.ts";
import type { AlertsConfig } from "../../alerts/alerts-config.ts";
import { destinationKey, type Platforms } from "../../alerts/destination.ts";
import { isDrill } from "../../alerts/judge/rules/episode.ts";
import { timeToText } from "../../alerts/judge/kinds/kind.ts";
import { deliveriesOf } from "../../alerts/deliver/outbox/queries.ts";
import { parseNotificationState } from "../../alerts/deliver/outbox/notification-state.ts";
import type { Silence } from "../../alerts/route/silence.ts";
import { isSilenceActive, matchesSilence, silenceActiveUntil, parseSilence } from "../../alerts/route/silence.ts";
import type { Episode, Machine } from "../../alerts/judge/rules/episode.ts";
import { episodeId, parseEpisode, parseMachine } from "../../alerts/judge/rules/episode.ts";
import { happening } from "../../alerts/words/condition-words.ts";
import { silencePlaceWords, silenceScopeWords } from "../../alerts/words/silence-words.ts";
import { type Clock, systemClock } from "../../api/clock.ts";
import type { Verdict } from "../../api/verdict/verdict.ts";
import { episodeLabel, worstFirst } from "../../answers/alerts/episodes/episodes.ts";
import { plainText } from "../../reply/plain-text.ts";
import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import type { Store } from "../../store/store.ts";
import { type Milliseconds, type Nanoseconds, toMillis } from "../../units/time.ts";
import { sourceThresholds } from "../../watchers/sources/sources.ts";
import type { Alerting } from "./alerting.ts";
import type { GuidedIncident } from "./guided-incident.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";

export interface ConsoleWatchDependencies {
  readonly store: Pick<Store, "read">;
  readonly config: AlertsConfig;
  readonly platforms: Platforms;
  readonly alerting: Pick<Alerting, "verdict">;
  readonly networks: readonly string[];
  readonly incident?: Pick<GuidedIncident, "since" | "resume"> | undefined;
  readonly clock?: Clock;
}

const STALLED_RULE = "network.stalled";

/** The current state of the networks, for the console. */
export function consoleWatch(dependencies: ConsoleWatchDependencies): () => Promise<WatchState> {
  const { store, config, platforms, alerting, networks, incident, clock = systemClock } = dependencies;
  const { motionMillis } = sourceThresholds(config);
  const timing = {
    everyMillis: config.poll.time,
    suspiciousMillis: motionMillis,
    firesMillis: config.stalled.for,
    keepMillis: Math.max(config.keep.for, (config.keep.rounds - 1) * config.poll.time),
  };
  return async () => {
    // The page may ask before the watch begins: a standstill from before a restart goes on.
    await incident?.resume();
    const at = toMillis(clock.wallClock());
    const { machines, episodes, silences, told } = await store.read(async ({ alerts: tables }) => {
      const { watch } = tables;
      const rows = [];
      for (const network of networks) rows.push(...(await watch.machines(network)));
      const all = (await tables.subscriptions.silences(at)).map(parseSilence);
      const rest = (await watch.openEpisodes()).filter((one) => !isDrill(one));
      const open = rest.map(parseEpisode);
      const shown = new Map<string, StallTold>();
      for (const { id, network, rule, subject } of open) {
        // Only the guided incident counts them.
        const counted = incident?.since(network) !== undefined && rule === STALLED_RULE && subject === "";
        if (counted) shown.set(id, await toldOf(tables, id));
      }
      return {
        machines: rows,
        episodes: open,
        silences: all.filter((one) => isSilenceActive(one, at)),
        told: shown,
      };
    });
    const watched = networks.map((network): WatchedNetwork => {
      const row = machines.find((one) => one.network === network && one.rule === STALLED_RULE && one.subject === "");
      const machine = row === undefined ? undefined : parseMachine(row);
      const verdict = alerting.verdict(network);
      const since = incident?.since(network);
      const context: StallContext = {
        verdict,
        sinceVerdict: clock.monotonicMillis() - (verdict?.atMillis ?? 0),
        since,
        told,
      };
      return {
        network,
        nodes: nodesOf(verdict),
        ...(verdict === undefined ? {} : { verdict: verdictOf(verdict) }),
        stalled: stallOf(machine, context, config),
        ...(since === undefined ? {} : { incident: { since: timeToText(since) } }),
      };
    });
    return {
      networks: watched,
      open: worstFirst(episodes, networks).map((episode) => openAlert(episode, silences, at)),
      silences: silences.map((one) => holdingSilence(one, at, platforms)),
      timing,
    };
  };
}

function holdingSilence(silence: Silence, at: Milliseconds, platforms: Platforms): HoldingSilence {
  const { id, by, reason, scope } = silence;
  return withoutUndefined({
    id,
    what: plainText(silenceScopeWords(silence)),
    where: plainText(silencePlaceWords(silence, platforms)),
    network: scope.network,
    by,
    reason,
    leftMillis: silenceActiveUntil(silence, at) - at,
    untilOver: silence.untilOver && (true as const),
  });
}

/** What became of an episode's alert, by place. */
async function toldOf(tables: AlertTables, episode: string): Promise<StallTold> {
  const { deliveries } = await deliveriesOf(tables, episode);
  const triggers = deliveries.filter(({ phase }) => phase === "trigger");
  const states = (await tables.watch.notificationStates([episode])).map(parseNotificationState);
  const kept: Record<string, number> = {};
  for (const { state, by = "nothing" } of states) if (state === "suppressed") kept[by] = (kept[by] ?? 0) + 1;
  return {
    sent: triggers.filter(({ shown }) => shown !== null).length,
    waiting: triggers.filter(({ state, shown }) => shown === null && (state === "owed" || state === "sending")).length,
    kept,
  };
}

function nodesOf(verdict: Verdict | undefined): WatchedNetwork["nodes"] {
  return (verdict?.nodes ?? []).map(({ node, state, vote, why, time, height, roundTripMillis }) =>
    withoutUndefined({ node, state, vote, why, time: time?.toString(), height: height?.toString(), roundTripMillis }),
  );
}

function verdictOf({ network, why, stillMillis, at, frontier }: Verdict): NonNullable<WatchedNetwork["verdict"]> {
  const [time, height] = [frontier?.time.toString(), frontier?.height?.toString()];
  return withoutUndefined({ state: network, why, stillMillis, at: timeToText(at), time, height });
}

interface StallContext {
  /** The last verdict of this process, and its age. */
  readonly verdict: Verdict | undefined;
  readonly sinceVerdict: Milliseconds;
  /** When the network was made to stand still. */
  readonly since: Nanoseconds | undefined;
  /** By episode, for the guided incident. */
  readonly told: ReadonlyMap<string, StallTold>;
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
  const told = context.told.get(episode);
  if (phase === "firing") return { phase, episode, ...(told === undefined ? {} : { told }) };
  return {
    phase,
    episode,
    ...left(Math.max(config.keep.for - heldMillis, (config.keep.rounds - rounds) * config.poll.time)),
  };
}

/** From the last observation on; the next one sees any blocks since, and the time counts from there. */
function untilSuspicious({ verdict, since }: StallContext, config: AlertsConfig): Milliseconds {
  const { motionMillis } = sourceThresholds(config);
  if (verdict === undefined) return motionMillis;
  if (since !== undefined && since > verdict.at) return config.poll.time + motionMillis;
  const age = verdict.basis === "age" ? (verdict.ageMillis ?? 0) : 0;
  return motionMillis - Math.max(verdict.stillMillis ?? 0, age);
}

function openAlert(episode: Episode, silences: readonly Silence[], at: Milliseconds): OpenAlert {
  const { id, kind, network, subject, severity, state, began, beganBefore, acknowledged } = episode;
  const told = { destination: destinationKey(CONSOLE), network, kind, subject };
  return withoutUndefined({
    episode: id,
    what: plainText(happening(episode)),
    kind,
    network,
    subject,
    label: episodeLabel(episode),
    severity,
    state: state === "recovering" ? ("recovering" as const) : ("firing" as const),
    began,
    beganBefore,
    acknowledged: acknowledged && { by: acknowledged.by, at: acknowledged.at },
    silenced: silences.some((one) => matchesSilence(one, told, at)) ? (true as const) : undefined,
  });
}
