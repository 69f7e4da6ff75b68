import { setImmediate } from "node:timers/promises";

import { formatDuration, type Milliseconds } from "../../units/duration.ts";
import { fromMillis, type Nanoseconds, toMillis } from "../../units/nanoseconds.ts";
import { type AlertDependencies, randomId } from "../dependencies.ts";
import type { AlertEvent } from "../kinds/event.ts";
import type { Reading } from "../kinds/reading.ts";
import { OutboxBatch } from "../outbox/batch.ts";
import { writeBatch } from "../outbox/outbox.ts";
import { isJudgedAlways, type subscriptionIndexReader } from "../routing/subscription-index.ts";
import {
  type Episode,
  episodeId,
  episodeRow,
  freshMachine,
  isOpen,
  type Machine,
  machineKey,
  machineRow,
} from "../rules/episode.ts";
import { judgeReading, type Rule, type Timing, timingOf } from "../rules/rules.ts";
import { NetworkStateCache, RuleSubjectMap } from "../rules/state-cache.ts";
import { type Change, clearAbsence, ROUNDS_UNTIL_GONE, step, type Step, stepAbsent } from "../rules/state-machine.ts";
import { ruleWords } from "../wording/subscription-words.ts";
import { planEvents } from "./plan-events.ts";
import { planOpen } from "./plan-open.ts";

/** One observation of a network by a watcher, judged. */
interface Observation {
  readonly network: string;
  /** Its name and interval. */
  readonly watcher: { readonly name: string; readonly every: Milliseconds };
  /** Plain JSON. */
  readonly snapshot: unknown;
  readonly readings: readonly Reading[];
  readonly events: readonly AlertEvent[];
  /** Wall clock of the observation. */
  readonly at: Nanoseconds;
  /** Local monotonic clock: when the observation was due, by which durations are counted. Default: now. */
  readonly dueMillis?: Milliseconds;
  /** Why the observation failed: subjects without a reading may then still exist. */
  readonly failure?: unknown;
}

/** The results of an observation. */
export interface ObservationResult {
  readonly changes: readonly { readonly episode?: string; readonly rule: string; readonly change: Change }[];
  /** The number of planned messages. */
  readonly owed: number;
}

export type ProcessObservation = (observation: Observation) => Promise<ObservationResult>;

/** A rule and a subject. */
type RuleSubject = readonly [rule: string, subject: string];

/** This process's memory of a network's machines. */
interface ProcessMemory {
  /** Those that had a reading. */
  readonly judged: RuleSubjectMap<true>;
  /** Those that were not ok when this process first observed them, as logged. */
  readonly resumed: RuleSubjectMap<true>;
  /** Those whose last reading was unknown. */
  readonly unseen: RuleSubjectMap<boolean>;
}

/** Serializing a longer snapshot is followed by a yield to the event loop. */
const YIELD_ABOVE_CHARACTERS = 1_000_000;

/** This process's memory of a watcher's observations. */
interface WatcherProgress {
  monotonicMillis: Milliseconds;
  /** The last observation that was not blind. */
  known: Nanoseconds | undefined;
  /** How long the network was not observed before the first one. */
  readonly downtimeMillis: Milliseconds;
}

/**
 * Stores an observation together with the deliveries that it causes, in one transaction: after a crash either both are
 * there, or the next observation finds the same difference again. Observations of one watcher must not overlap.
 */
export function observationProcessor(
  dependencies: AlertDependencies,
  readIndex: ReturnType<typeof subscriptionIndexReader>,
): ProcessObservation {
  const { store, config, clock, simulated, newId = randomId } = dependencies;
  const progress = new Map<string, WatcherProgress>();
  const memories = new Map<string, ProcessMemory>();
  const blind = new Set<string>();
  const caches = new Map<string, NetworkStateCache>();

  return async (observation) => {
    const { network, watcher, at } = observation;
    const atMillis = toMillis(at);
    const key = `${network}/${watcher.name}`;
    const monotonicMillis = observation.dueMillis ?? clock.monotonicMillis();
    const isBlind = blindness(observation.readings) ?? blind.has(network);
    dependencies.onStep?.("observed");
    const memory = memories.get(network) ?? emptyMemory();
    memories.set(network, memory);
    const { judged, resumed, unseen } = memory;
    const snapshot = JSON.stringify(observation.snapshot);
    if (snapshot.length > YIELD_ABOVE_CHARACTERS) await setImmediate();

    const done = await store.transaction(async ({ alerts: tables }) => {
      const stored = await tables.watch.snapshot(network, watcher.name);
      const last = progress.get(key);
      const downtimeMillis = last?.downtimeMillis ?? (stored === undefined ? 0 : Math.max(0, atMillis - stored.at));
      const seen = last === undefined ? (stored === undefined ? undefined : fromMillis(stored.at)) : last.known;
      const elapsedMillis = last === undefined ? 0 : monotonicMillis - last.monotonicMillis;
      const index = await readIndex(tables, atMillis);
      const cache = caches.get(network) ?? new NetworkStateCache(network);
      caches.set(network, cache);
      const { machines, open } = await cache.load(tables);
      const batch = new OutboxBatch();
      const changedMachines = new Map<string, Machine>();
      const changedEpisodes = new Map<string, Episode>();
      const changes: ObservationResult["changes"][number][] = [];
      const judgedNow: RuleSubject[] = [];
      const unseenNow: (readonly [...RuleSubject, boolean])[] = [];
      const resumedNow: RuleSubject[] = [];

      /** Whether the process before this one judged it, too. */
      const wasJudged = (rule: Rule, reading: Reading): boolean =>
        isJudgedAlways(rule) ||
        index.subscribers(rule.id, reading).some(({ created }) => created <= atMillis - downtimeMillis);

      const evaluate = (reading: Reading, rule: Rule): void => {
        const { subject } = reading;
        const ruleSubject = [rule.id, subject] as const;
        const existing = machines.get(...ruleSubject);
        const judgement = judgeReading(rule, reading);
        const wasJudgedHere = judged.has(...ruleSubject);
        if (judgement.state !== "unknown" && !wasJudgedHere) judgedNow.push(ruleSubject);
        const isUnseen = judgement.state === "unknown";
        const wasUnseen = unseen.get(...ruleSubject) === true;
        if (isUnseen !== wasUnseen) unseenNow.push([...ruleSubject, isUnseen]);
        // Good, and good before: true of nearly all readings.
        if (existing === undefined && judgement.state !== "bad") return;
        const known = existing ?? freshMachine({ ...reading, rule: rule.id });
        // A machine that was ok is not stored when its reading becomes unknown.
        const machine = { ...clearAbsence(known), watcher: watcher.name, ...(wasUnseen ? { known: false } : {}) };
        const timing = timingOf(rule, watcher.every);
        if (downtimeMillis > 0 && machine.phase !== "ok" && !wasJudgedHere && !resumed.has(...ruleSubject)) {
          const number = machine.number + (machine.phase === "pending" ? 1 : 0);
          const detail = downtimeWords(machine, downtimeMillis, timing);
          batch.decisions.push({ what: "restarted", network, episode: episodeId(machine, number), detail });
          resumedNow.push(ruleSubject);
        }
        const result = step(machine, open.get(episodeId(machine, machine.number)), {
          judgement,
          reading,
          timing,
          config,
          at,
          elapsedMillis,
          // An observation without this rule did not see it good.
          ...(seen !== undefined && (wasJudgedHere || (last === undefined && wasJudged(rule, reading)))
            ? { previous: seen }
            : {}),
          ...(wasJudgedHere ? {} : { downtimeMillis }),
        });
        apply(known, result, rule.id, reading);
      };
      const apply = (before: Machine, result: Step, rule: string, of: DecisionSubject): void => {
        if (!isSame(before, result.machine)) {
          machines.set(rule, of.subject, result.machine);
          changedMachines.set(machineKey(rule, of.subject), result.machine);
        }
        const { episode } = result;
        if (episode !== undefined && episode !== open.get(episode.id)) {
          changedEpisodes.set(episode.id, episode);
          if (isOpen(episode)) open.set(episode.id, episode);
          else open.delete(episode.id);
        }
        for (const change of result.changes) {
          const named = episode === undefined ? {} : { episode: episode.id };
          changes.push({ rule, change, ...named });
          const detail = detailOf(result.machine, episode, of);
          // Pending and dismissed belong to the history of the next episode.
          const coming = { episode: episodeId(result.machine, before.number + 1) };
          const logged = change === "pending" || change === "dismissed" ? coming : named;
          batch.decisions.push({ what: change, network, ...logged, detail });
        }
      };
      for (const given of observation.readings) {
        const reading: Reading = isBlind && given.kind !== "watch.blind" ? { ...given, state: "unknown" } : given;
        for (const rule of index.rules(reading.kind, reading)) evaluate(reading, rule);
      }
      // Subjects without a reading in a good observation, though this watcher had them: a market that is gone, a node
      // that is not configured any more.
      const read = new Set(observation.readings.map(({ kind, subject }) => machineKey(kind, subject)));
      const { readings } = observation;
      const sees = readings.length === 0 || readings.some(({ state }) => state !== "unknown");
      if (!isBlind && sees && observation.failure === undefined && last !== undefined) {
        for (const machine of machines.values()) {
          if (machine.watcher !== watcher.name || machine.phase === "ok") continue;
          if (read.has(machineKey(machine.kind, machine.subject))) continue;
          const result = stepAbsent(machine, open.get(episodeId(machine, machine.number)), at);
          const why = `not spoken of in ${ROUNDS_UNTIL_GONE} looks: the subject is gone`;
          apply(machine, result, machine.rule, { subject: machine.subject, why });
        }
      }

      const changed = new Set(changes.flatMap(({ episode }) => (episode === undefined ? [] : [episode])));
      await planOpen(
        {
          tables,
          index,
          config,
          episodes: [...changedEpisodes.values()].filter(({ id }) => changed.has(id)),
          open: [...open.values()],
          machine: (episode) => machines.get(episode.rule, episode.subject),
          simulated,
          at: atMillis,
          newId,
        },
        batch,
      );
      // Events of the very first observation are not sent: it only records the current state.
      if (stored !== undefined && observation.events.length > 0) {
        const { events } = observation;
        const subscriptions = index.eventSubscriptions(network);
        const { silences } = index;
        planEvents({ events, simulated: simulated.has(network), subscriptions, silences, at: atMillis, newId }, batch);
        const counts = [...Map.groupBy(events, (event) => event.kind)].map(([kind, all]) => `${all.length} ${kind}`);
        batch.decisions.push({ what: "seen", network, detail: counts.join(", ") });
      }
      await tables.watch.putMachines([...changedMachines.values()].map(machineRow));
      await tables.watch.putEpisodes([...changedEpisodes.values()].map(episodeRow));
      await writeBatch(tables, batch, atMillis, newId, dependencies.chunkRows);
      await tables.watch.putSnapshot(network, watcher.name, atMillis, snapshot);
      dependencies.onStep?.("observation written");
      return {
        changes,
        downtimeMillis,
        known: seen,
        judgedNow,
        unseenNow,
        resumedNow,
        owed: batch.deliveries.length + batch.rollingUpdates.length,
      };
    });

    dependencies.onStep?.("observation committed");
    progress.set(key, { monotonicMillis, downtimeMillis: done.downtimeMillis, known: isBlind ? done.known : at });
    for (const [rule, subject] of done.judgedNow) judged.set(rule, subject, true);
    for (const [rule, subject, isUnseen] of done.unseenNow) unseen.set(rule, subject, isUnseen);
    for (const [rule, subject] of done.resumedNow) resumed.set(rule, subject, true);
    if (isBlind) blind.add(network);
    else blind.delete(network);
    if (done.owed > 0) dependencies.onOwed?.();
    return { changes: done.changes, owed: done.owed };
  };
}

function emptyMemory(): ProcessMemory {
  return { judged: new RuleSubjectMap(), resumed: new RuleSubjectMap(), unseen: new RuleSubjectMap() };
}

type DecisionSubject = Pick<Reading, "subject" | "why"> & { readonly label?: string };

/** The detail of a decision, for people: `market.price of BTC/USDT, above 70,000`. */
function detailOf(
  { kind, rule }: Machine,
  episode: Episode | undefined,
  { subject, label, why }: DecisionSubject,
): string {
  const known = episode !== undefined && "label" in episode.last ? episode.last.label : undefined;
  const of = subject === "" ? "" : ` of ${label ?? known ?? subject}`;
  const thresholds = ruleWords(rule);
  return `${kind}${of}${thresholds === "" ? "" : `, ${thresholds}`}${why === undefined ? "" : `: ${why}`}`;
}

/** What a downtime of the bot means for a machine that was not ok. */
function downtimeWords({ phase }: Machine, downtimeMillis: Milliseconds, { patienceMillis }: Timing): string {
  const away = `nobody looked for ${formatDuration(downtimeMillis)}`;
  if (phase === "firing") return away;
  if (phase === "pending" && downtimeMillis <= patienceMillis) return `${away}, which does not count towards the alert`;
  return `${away}: what was ${phase} is counted from the beginning again`;
}

/** Whether the watcher is blind; undefined if the observation does not say. */
function blindness(readings: readonly Reading[]): boolean | undefined {
  const reading = readings.find(({ kind }) => kind === "watch.blind");
  return reading === undefined ? undefined : reading.state === "bad";
}

/** A machine that is ok, and was, need not be written: only the others have timers. */
function isSame(before: Machine, after: Machine): boolean {
  if (before === after) return true;
  if (before.phase !== "ok" || after.phase !== "ok") return false;
  return before.number === after.number && before.flapping === after.flapping;
}
