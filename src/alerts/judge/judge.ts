// Judges an observation: the pure part of its processing, without store, clock and chance. Read rules/rules.ts (how a
// reading is judged) and kinds/kinds.ts (what alerts are about) next.
import { formatDuration, fromMillis, type Milliseconds, type Nanoseconds, toMillis } from "../../units/time.ts";
import type { AlertsConfig } from "../alerts-config.ts";
import type { AlertEvent } from "./kinds/event.ts";
import { type ConditionKind, labelOf, type Reading } from "./kinds/reading.ts";
import { type Episode, episodeId, freshMachine, type Machine, machineKey } from "./rules/episode.ts";
import {
  isJudgedAlways,
  type Judgement,
  judgeReading,
  type Rule,
  type Timing,
  timingOf,
  UNKNOWN,
} from "./rules/rules.ts";
import { RuleSubjectMap } from "./rules/state-cache.ts";
import { type Change, ROUNDS_UNTIL_GONE, step, type Step, stepAbsent } from "./rules/state-machine.ts";

/** One observation of a network by a watcher, judged. */
export interface Observation {
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
  /** The look as it is kept, as JSON; left out where none is. */
  readonly look?: string;
  /** Why the observation failed: subjects without a reading may then still exist. */
  readonly failure?: unknown;
}

/** One whose time by the monotonic clock is known. */
export type TimedObservation = Observation & { readonly dueMillis: Milliseconds };

/** This process's memory of a watcher's observations. */
export interface WatcherProgress {
  readonly monotonicMillis: Milliseconds;
  /** The last observation that was not blind. */
  readonly known: Nanoseconds | undefined;
  /** How long the network was not observed before the first one. */
  readonly downtimeMillis: Milliseconds;
}

/** What a process has seen of a rule and a subject: a reading that was known, last or long ago; or unknown ones alone. */
export type Seen = "judged" | "lost" | "unseen";

/** What a process remembers of the observations of a network. */
export class ProcessMemory {
  readonly seen = new RuleSubjectMap<Seen>();
  readonly progress = new Map<string, WatcherProgress>();
  /** Whether it was last found blind, for observations that do not say. */
  isBlind = false;

  remember(watcher: string, { remembered, progress, isBlind }: JudgedObservation): void {
    for (const one of remembered) this.seen.set(...one);
    this.progress.set(watcher, progress);
    this.isBlind = isBlind;
  }
}

/** A reading of it was known. */
export function isJudged(seen: Seen | undefined): boolean {
  return seen === "judged" || seen === "lost";
}

/** A machine before a look; undefined where nothing was bad yet. */
export interface Known {
  readonly machine: Machine | undefined;
  /** Its open episode. */
  readonly open: Episode | undefined;
  readonly seen: Seen | undefined;
}

/** A look, as far as machines advance by it. */
interface LookAt extends Pick<ObservationState, "config">, Pick<WatcherProgress, "known" | "downtimeMillis"> {
  readonly watcher: Observation["watcher"];
  readonly at: Nanoseconds;
  /** Since the watcher's look before, in this process. */
  readonly elapsedMillis: Milliseconds;
  /** Whether the process before this one judged it, too, and this is the first look of this one. */
  readonly wasJudgedBefore: (rule: Rule, reading: Reading) => boolean;
}

/** How a reading is judged: while the network is blind, nothing is known. */
export function judgeSeen(rule: Rule, reading: Reading, isBlind: boolean, machine: Machine | undefined): Judgement {
  if (isBlind && reading.kind !== "watch.blind") return UNKNOWN;
  return judgeReading(rule, reading, machine?.phase === "firing");
}

/** What a reading makes of a machine; `next` is undefined where nothing follows. Pure. */
export function advance(
  rule: Rule,
  reading: Reading,
  judgement: Judgement,
  { machine, open, seen }: Known,
  look: LookAt,
) {
  const { watcher, at, elapsedMillis, downtimeMillis, config } = look;
  const wasJudged = isJudged(seen);
  const seesNow: Seen = judgement.state === "unknown" ? (wasJudged ? "lost" : "unseen") : "judged";
  // Good, and good before: true of nearly all readings.
  if (wasGood(machine) && judgement.state !== "bad") return { seen: seesNow, next: undefined };
  const before = machine ?? freshMachine({ ...reading, rule: rule.id });
  const next = step(readBy(watcher.name, before, seen), open, {
    judgement,
    reading,
    timing: timingOf(rule, watcher.every),
    config,
    at,
    elapsedMillis,
    // An observation without this rule does not show that it was good.
    previous: wasJudged || look.wasJudgedBefore(rule, reading) ? look.known : undefined,
    downtimeMillis: wasJudged ? undefined : downtimeMillis,
  });
  return { seen: seesNow, next };
}

/** One entry of the decision log: what was decided, about what, and why. */
export interface Decision {
  readonly what: string;
  readonly network?: string;
  readonly episode?: string;
  readonly destination?: string;
  readonly delivery?: string;
  readonly detail?: string;
}

/** The rules to judge by, and who asked for them. */
export interface RuleIndex {
  /** The rules to judge a subject by. */
  rules(kind: ConditionKind, what: RuleSubject): readonly Rule[];
  /** The active subscriptions to a rule and a subject; when each was made, in Unix milliseconds. */
  subscribers(rule: string, what: RuleSubject): readonly { readonly created: Milliseconds }[];
}

interface RuleSubject {
  readonly network: string;
  readonly subject: string;
}

/** Everything that is known when an observation comes in. */
export interface ObservationState {
  readonly index: RuleIndex;
  /** What differs from the configured thresholds of a rule, in words; empty if nothing does. */
  readonly ruleWords: (rule: string) => string;
  readonly config: Pick<AlertsConfig, "keep" | "flap">;
  /** All machines of the network; those that are ok may be left out of the values. */
  readonly machines: { get(rule: string, subject: string): Machine | undefined; values(): Iterable<Machine> };
  /** The network's open episodes by their ids. */
  readonly open: ReadonlyMap<string, Episode>;
  /** When the watcher's last snapshot was stored (Unix milliseconds); undefined before its very first observation. */
  readonly stored: Milliseconds | undefined;
  readonly memory: ProcessMemory;
}

/** What changes with an observation. */
export type JudgedObservation = ReturnType<typeof judgeObservation>;

/** Judges an observation: advances the machines that it has readings of, and those without a reading by now. Pure. */
export function judgeObservation(state: ObservationState, observation: Observation, monotonicMillis: Milliseconds) {
  const { index, memory, stored } = state;
  const { network, watcher, readings, events, at } = observation;
  const last = memory.progress.get(watcher.name);
  const says = readings.find(({ kind }) => kind === "watch.blind");
  const isBlind = says === undefined ? memory.isBlind : says.state === "bad";
  const known = last === undefined ? (stored === undefined ? undefined : fromMillis(stored)) : last.known;
  const downtimeMillis = last?.downtimeMillis ?? (stored === undefined ? 0 : Math.max(0, toMillis(at) - stored));
  const elapsedMillis = last === undefined ? 0 : monotonicMillis - last.monotonicMillis;

  const machines = new RuleSubjectMap<Machine>();
  const episodes = new Map<string, Episode>();
  const changes: { readonly episode?: string; readonly rule: string; readonly change: Change }[] = [];
  const decisions: Decision[] = [];
  const remembered: (readonly [rule: string, subject: string, seen: Seen])[] = [];

  const openEpisode = (machine: Machine): Episode | undefined => {
    if (machine.phase === "ok" || machine.phase === "pending") return undefined;
    const id = episodeId(machine, machine.number);
    return episodes.get(id) ?? state.open.get(id);
  };

  /** Whether a rule waits for the open alert of the whole that it is a part of, or is a whole without one. */
  const isLeft = ({ id, whole }: Rule, subject: string): boolean => {
    if (whole === undefined) return false;
    const phase = state.machines.get(whole, subject)?.phase;
    return (phase === "firing" || phase === "recovering") !== (id === whole);
  };

  const wasJudgedBefore = (rule: Rule, reading: Reading): boolean =>
    last === undefined &&
    (isJudgedAlways(rule) ||
      index.subscribers(rule.id, reading).some(({ created }) => created <= toMillis(at) - downtimeMillis));
  const { config } = state;
  const look: LookAt = { watcher, at, elapsedMillis, known, downtimeMillis, config, wasJudgedBefore };

  const note = (
    before: Machine | undefined,
    open: Episode | undefined,
    { machine, episode, changes: all }: Step,
    of: DecisionSubject,
  ): void => {
    if (before === undefined || !isSame(before, machine)) machines.set(machine.rule, machine.subject, machine);
    if (episode !== undefined && episode !== open) episodes.set(episode.id, episode);
    const named = episode === undefined ? {} : { episode: episode.id };
    for (const change of all) {
      changes.push({ rule: machine.rule, change, ...named });
      // Pending and dismissed belong to the history of the next episode.
      const coming = { episode: episodeId(machine, (before?.number ?? 0) + 1) };
      const about = change === "pending" || change === "dismissed" ? coming : named;
      decisions.push({
        what: change,
        network,
        ...about,
        detail: detailOf(machine, episode, of, state.ruleWords(machine.rule)),
      });
    }
  };

  const judge = (reading: Reading, rule: Rule): void => {
    const { subject } = reading;
    if (isLeft(rule, subject)) return;
    const machine = machines.get(rule.id, subject) ?? state.machines.get(rule.id, subject);
    const [open, seenBefore] = [machine && openEpisode(machine), memory.seen.get(rule.id, subject)];
    const judgement = judgeSeen(rule, reading, isBlind, machine);
    const { seen, next } = advance(rule, reading, judgement, { machine, open, seen: seenBefore }, look);
    if (seen !== seenBefore) remembered.push([rule.id, subject, seen]);
    // The log says once what this process goes on with.
    if (seenBefore === undefined && downtimeMillis > 0 && machine !== undefined && machine.phase !== "ok") {
      const number = machine.number + (machine.phase === "pending" ? 1 : 0);
      const detail = downtimeWords(machine, downtimeMillis, timingOf(rule, watcher.every));
      decisions.push({ what: "restarted", network, episode: episodeId(machine, number), detail });
    }
    if (next !== undefined) note(machine, open, next, reading);
  };

  for (const reading of readings) for (const rule of index.rules(reading.kind, reading)) judge(reading, rule);
  const sees = readings.length === 0 || readings.some((one) => one.state !== "unknown");
  if (!isBlind && sees && observation.failure === undefined && last !== undefined) {
    for (const machine of absentMachines(state.machines.values(), machines, observation)) {
      const why = `not spoken of in ${ROUNDS_UNTIL_GONE} looks: the subject is gone`;
      const open = openEpisode(machine);
      note(machine, open, stepAbsent(machine, open, at), { subject: machine.subject, why });
    }
  }
  return {
    machines,
    episodes,
    changes,
    decisions,
    // Those to send: the very first observation only records the current state.
    events: stored === undefined ? [] : events,
    progress: { monotonicMillis, downtimeMillis, known: isBlind ? known : at },
    remembered,
    isBlind,
  };
}

/** Machines that this watcher had and does not read any more: a market that is gone, a node no longer configured. */
function absentMachines(
  machines: Iterable<Machine>,
  advanced: Pick<RuleSubjectMap<Machine>, "get">,
  { watcher, readings }: Observation,
): Machine[] {
  const own: Machine[] = [];
  for (const one of machines) {
    if (one.phase === "ok" || one.watcher !== watcher.name) continue;
    if (advanced.get(one.rule, one.subject) === undefined) own.push(one);
  }
  if (own.length === 0) return own;
  const read = new Set(readings.map(({ kind, subject }) => machineKey(kind, subject)));
  return own.filter((one) => !read.has(machineKey(one.kind, one.subject)));
}

type DecisionSubject = Pick<Reading, "subject" | "why"> & { readonly label?: string };

/** The detail of a decision, for people: `market.price of BTC/USDT, above 70,000`. */
function detailOf(
  { kind }: Machine,
  episode: Episode | undefined,
  { subject, label, why }: DecisionSubject,
  thresholds: string,
): string {
  const known = episode === undefined ? undefined : labelOf(episode.last);
  const of = subject === "" ? "" : ` of ${label ?? known ?? subject}`;
  return `${kind}${of}${thresholds === "" ? "" : `, ${thresholds}`}${why === undefined ? "" : `: ${why}`}`;
}

/** What a downtime of the bot means for a machine that was not ok. */
function downtimeWords({ phase }: Machine, downtimeMillis: Milliseconds, { patienceMillis }: Timing): string {
  const away = `nobody looked for ${formatDuration(downtimeMillis)}`;
  if (phase === "firing") return away;
  if (phase === "pending" && downtimeMillis <= patienceMillis) return `${away}, which does not count towards the alert`;
  return `${away}: what was ${phase} is counted from the beginning again`;
}

/** Whether nothing follows for a machine from a reading that is not bad. */
export function wasGood(machine: Machine | undefined): boolean {
  return machine === undefined || (machine.phase === "ok" && machine.flapping === undefined);
}

/** A machine as a watcher reads it again; the same where nothing differs, as in nearly all looks. */
function readBy(watcher: string, machine: Machine, seen: Seen | undefined): Machine {
  const known = machine.known && (seen === undefined || seen === "judged");
  if (machine.watcher === watcher && machine.absent === undefined && machine.known === known) return machine;
  return { ...machine, absent: undefined, watcher, known };
}

/** Whether a machine need not be written: it was ok and is ok, so that it has no timers. */
export function isSame(before: Machine, after: Machine): boolean {
  if (before === after) return true;
  if (before.phase !== "ok" || after.phase !== "ok") return false;
  return before.number === after.number && before.flapping === after.flapping;
}
