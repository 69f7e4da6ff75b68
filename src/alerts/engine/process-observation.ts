import { setImmediate } from "node:timers/promises";

import { formatDuration, type Milliseconds } from "../../units/duration.ts";
import { fromMillis, type Nanoseconds, toMillis } from "../../units/nanoseconds.ts";
import { type AlertDependencies, randomId } from "../dependencies.ts";
import type { AlertEvent } from "../kinds/event.ts";
import { timeFromText } from "../kinds/json-fields.ts";
import type { Reading } from "../kinds/reading.ts";
import { OutboxBatch } from "../outbox/batch.ts";
import { writeBatch } from "../outbox/outbox.ts";
import { isJudgedAlways, type subscriptionIndexReader } from "../routing/subscription-index.ts";
import { type Episode, episodeId, freshMachine, isOpen, type Machine } from "../rules/episode.ts";
import { judgeReading, type Rule, type Timing, timingOf } from "../rules/rules.ts";
import { NetworkStateCache, RuleSubjectMap } from "../rules/state-cache.ts";
import { type Change, clearAbsence, ROUNDS_UNTIL_GONE, step, type Step, stepAbsent } from "../rules/state-machine.ts";
import { ruleWords } from "../wording/subscription-words.ts";
import { planEvents } from "./plan-events.ts";
import { planOpen } from "./plan-open.ts";

/** One look of a watcher at a network, judged. */
export interface Observation {
  readonly network: string;
  /** Its name, and how often it looks. */
  readonly watcher: { readonly name: string; readonly every: Milliseconds };
  /** Plain JSON. */
  readonly snapshot: unknown;
  readonly readings: readonly Reading[];
  readonly events: readonly AlertEvent[];
  /** Wall clock of the look. */
  readonly at: Nanoseconds;
  /** Local monotonic clock: when the look was due, by which durations are counted. Default: now. */
  readonly dueMillis?: Milliseconds;
  /** Why the look failed: what it does not speak of may then be there all the same. */
  readonly failure?: unknown;
}

/** What a round came to. */
export interface ObservationResult {
  readonly changes: readonly { readonly episode?: string; readonly rule: string; readonly change: Change }[];
  /** How many messages it owes. */
  readonly owed: number;
}

export type ProcessObservation = (round: Observation) => Promise<ObservationResult>;

/** A rule and a subject. */
type RuleSubject = readonly [rule: string, subject: string];

/** Of a network's machines, in this process. */
interface ProcessMemory {
  /** Those that have had a reading. */
  readonly judged: RuleSubjectMap<true>;
  /** Those under way of which the log says that this process came back to them. */
  readonly returned: RuleSubjectMap<true>;
  /** Those that the last round could not see. */
  readonly unseen: RuleSubjectMap<boolean>;
}

/** After writing down so many characters others have their turn. */
const YIELD_ABOVE_CHARACTERS = 1_000_000;

/** What this process remembers of a watcher's rounds. */
interface WatcherProgress {
  monotonicMillis: Milliseconds;
  /** The last round that could see. */
  known: Nanoseconds | undefined;
  /** How long nobody had looked before the first round. */
  readonly awayMillis: Milliseconds;
}

/**
 * Keeps what a watcher saw together with what it thereby owes, in one transaction: after a crash either both are
 * there, or the next look finds the same difference again. Rounds of one watcher must not overlap.
 */
export function observationProcessor(
  parts: AlertDependencies,
  readChoices: ReturnType<typeof subscriptionIndexReader>,
): ProcessObservation {
  const { store, config, clock, simulated, newId = randomId } = parts;
  const rounds = new Map<string, WatcherProgress>();
  /** What this process knows of the machines of each network. */
  const processes = new Map<string, ProcessMemory>();
  const blind = new Set<string>();
  const states = new Map<string, NetworkStateCache>();

  return async (round) => {
    const { network, watcher, at } = round;
    const atMillis = toMillis(at);
    const key = `${network}/${watcher.name}`;
    const monotonicMillis = round.dueMillis ?? clock.monotonicMillis();
    const isBlind = blindness(round.readings) ?? blind.has(network);
    parts.onStep?.("observed");
    const here = processes.get(network) ?? emptyMemory();
    processes.set(network, here);
    const { judged, returned, unseen } = here;
    const snapshot = JSON.stringify(round.snapshot);
    if (snapshot.length > YIELD_ABOVE_CHARACTERS) await setImmediate();

    const done = await store.transaction(async ({ alerts: tables }) => {
      const stored = await tables.watch.snapshot(network, watcher.name);
      const last = rounds.get(key);
      const awayMillis = last?.awayMillis ?? (stored === undefined ? 0 : Math.max(0, atMillis - stored.at));
      const seen = last === undefined ? (stored === undefined ? undefined : fromMillis(stored.at)) : last.known;
      const elapsedMillis = last === undefined ? 0 : monotonicMillis - last.monotonicMillis;
      const choices = await readChoices(tables, atMillis);
      const state = states.get(network) ?? new NetworkStateCache(network);
      states.set(network, state);
      const { machines, open } = await state.load(tables);
      const book = new OutboxBatch();
      const changedMachines = new Map<string, Machine>();
      const changedEpisodes = new Map<string, Episode>();
      const changes: ObservationResult["changes"][number][] = [];
      const readNow: RuleSubject[] = [];
      const sightings: (readonly [...RuleSubject, boolean])[] = [];
      const cameBackTo: RuleSubject[] = [];

      /** Whether the process that looked last before this one judged it, too. */
      const wasJudged = (rule: Rule, reading: Reading): boolean =>
        isJudgedAlways(rule) ||
        choices.subscribers(rule.id, reading).some(({ created }) => created <= atMillis - awayMillis);

      const look = (reading: Reading, rule: Rule): void => {
        const { subject } = reading;
        const place = [rule.id, subject] as const;
        const kept = machines.get(...place);
        const judgement = judgeReading(rule, reading);
        const isMet = judged.has(...place);
        if (judgement.state !== "unknown" && !isMet) readNow.push(place);
        const isUnseen = judgement.state === "unknown";
        const wasUnseen = unseen.get(...place) === true;
        if (isUnseen !== wasUnseen) sightings.push([...place, isUnseen]);
        // All is well and was: nearly every one of many readings.
        if (kept === undefined && judgement.state !== "bad") return;
        const known = kept ?? freshMachine({ ...reading, rule: rule.id });
        // Of what was well it is not kept that nobody could see it.
        const machine = { ...clearAbsence(known), watcher: watcher.name, ...(wasUnseen ? { known: false } : {}) };
        const timing = timingOf(rule, watcher.every);
        if (awayMillis > 0 && machine.phase !== "ok" && !isMet && !returned.has(...place)) {
          const number = machine.number + (machine.phase === "pending" ? 1 : 0);
          const detail = downtimeWords(machine, awayMillis, timing);
          book.decisions.push({ what: "restarted", network, episode: episodeId(machine, number), detail });
          cameBackTo.push(place);
        }
        const result = step(machine, open.get(episodeId(machine, machine.number)), {
          judgement,
          reading,
          timing,
          config,
          at,
          elapsedMillis,
          // What was looked at without this rule was not seen good.
          ...(seen !== undefined && (isMet || (last === undefined && wasJudged(rule, reading)))
            ? { previous: seen }
            : {}),
          ...(isMet ? {} : { awayMillis }),
        });
        keep(known, result, rule.id, reading);
      };
      const keep = (before: Machine, result: Step, rule: string, about: DecisionSubject): void => {
        if (!isSame(before, result.machine)) {
          machines.set(rule, about.subject, result.machine);
          changedMachines.set(machineKey(rule, about.subject), result.machine);
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
          const detail = detailOf(result.machine, episode, about);
          // What leads up to an episode, or does not, is part of its story, too.
          const coming = { episode: episodeId(result.machine, before.number + 1) };
          const of = change === "pending" || change === "dismissed" ? coming : named;
          book.decisions.push({ what: change, network, ...of, detail });
        }
      };
      for (const given of round.readings) {
        const reading: Reading = isBlind && given.kind !== "watch.blind" ? { ...given, state: "unknown" } : given;
        for (const rule of choices.rules(reading.kind, reading)) look(reading, rule);
      }
      // What a good look says nothing of, though this watcher used to: a market that is gone, a node taken out.
      const spokenOf = new Set(round.readings.map(({ kind, subject }) => machineKey(kind, subject)));
      const speaks = round.readings.length === 0 || round.readings.some(({ state }) => state !== "unknown");
      if (!isBlind && speaks && round.failure === undefined && last !== undefined) {
        for (const machine of machines.values()) {
          if (machine.watcher !== watcher.name || machine.phase === "ok") continue;
          if (spokenOf.has(machineKey(machine.kind, machine.subject))) continue;
          const result = stepAbsent(machine, open.get(episodeId(machine, machine.number)), at);
          const why = `not spoken of in ${ROUNDS_UNTIL_GONE} looks: the subject is gone`;
          keep(machine, result, machine.rule, { subject: machine.subject, why });
        }
      }

      const told = new Set(changes.flatMap(({ episode }) => (episode === undefined ? [] : [episode])));
      await planOpen(
        {
          tables,
          index: choices,
          config,
          episodes: [...changedEpisodes.values()].filter(({ id }) => told.has(id)),
          open: [...open.values()],
          machine: (episode) => machines.get(episode.rule, episode.subject),
          simulated,
          at: atMillis,
          newId,
        },
        book,
      );
      // The very first look only learns where things stand.
      if (stored !== undefined && round.events.length > 0) {
        const { events } = round;
        const subscriptions = choices.eventSubscriptions(network);
        const { silences } = choices;
        planEvents({ events, simulated: simulated.has(network), subscriptions, silences, at: atMillis, newId }, book);
        const counts = [...Map.groupBy(events, (event) => event.kind)].map(([kind, all]) => `${all.length} ${kind}`);
        book.decisions.push({ what: "seen", network, detail: counts.join(", ") });
      }
      await tables.watch.putMachines([...changedMachines.values()].map(machineRow));
      await tables.watch.putEpisodes([...changedEpisodes.values()].map(episodeRow));
      await writeBatch(tables, book, atMillis, newId, parts.portion);
      await tables.watch.putSnapshot(network, watcher.name, atMillis, snapshot);
      parts.onStep?.("round written");
      return {
        changes,
        awayMillis,
        known: seen,
        readNow,
        sightings,
        cameBackTo,
        owed: book.deliveries.length + book.rollingUpdates.length,
      };
    });

    parts.onStep?.("round kept");
    rounds.set(key, { monotonicMillis, awayMillis: done.awayMillis, known: isBlind ? done.known : at });
    for (const [rule, subject] of done.readNow) judged.set(rule, subject, true);
    for (const [rule, subject, isUnseen] of done.sightings) unseen.set(rule, subject, isUnseen);
    for (const [rule, subject] of done.cameBackTo) returned.set(rule, subject, true);
    if (isBlind) blind.add(network);
    else blind.delete(network);
    if (done.owed > 0) parts.onOwed?.();
    return { changes: done.changes, owed: done.owed };
  };
}

function emptyMemory(): ProcessMemory {
  return { judged: new RuleSubjectMap(), returned: new RuleSubjectMap(), unseen: new RuleSubjectMap() };
}

type DecisionSubject = Pick<Reading, "subject" | "why"> & { readonly label?: string };

/** What a decision is about, for people: `market.price of BTC/USDT, above 70,000`. */
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

/** What an absence of the bot means to what was under way. */
function downtimeWords({ phase }: Machine, awayMillis: Milliseconds, { patienceMillis }: Timing): string {
  const away = `nobody looked for ${formatDuration(awayMillis)}`;
  if (phase === "firing") return away;
  if (phase === "pending" && awayMillis <= patienceMillis) return `${away}, which does not count towards the alert`;
  return `${away}: what was ${phase} is counted from the beginning again`;
}

/** Undefined where the round does not say. */
function blindness(readings: readonly Reading[]): boolean | undefined {
  const reading = readings.find(({ kind }) => kind === "watch.blind");
  return reading === undefined ? undefined : reading.state === "bad";
}

export function machineKey(rule: string, subject: string): string {
  return `${rule}|${subject}`;
}

export function machineRow(machine: Machine) {
  const { rule, network, subject } = machine;
  const flapping = machine.flapping === undefined ? (0 as const) : (1 as const);
  return { rule, network, subject, flapping, data: JSON.stringify(machine) };
}

export function episodeRow(episode: Episode) {
  const { id, network, detected } = episode;
  const open = isOpen(episode) ? (1 as const) : (0 as const);
  return { id, network, open, opened_at: toMillis(timeFromText(detected)), data: JSON.stringify(episode) };
}

/** What is all right, and was, need not be written: only what is under way has timers. */
function isSame(before: Machine, after: Machine): boolean {
  if (before === after) return true;
  if (before.phase !== "ok" || after.phase !== "ok") return false;
  return before.number === after.number && before.flapping === after.flapping;
}
