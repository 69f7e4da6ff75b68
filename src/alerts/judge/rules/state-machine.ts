import { fromMillis, type Milliseconds, nanoseconds, type Nanoseconds, toMillis } from "../../../units/time.ts";
import { compareDecimals, formatDecimal, parseDecimal } from "../../../units/decimal.ts";
import { withoutUndefined } from "../../../units/without-undefined.ts";
import type { AlertsConfig } from "../../alerts-config.ts";
import { compareSeverity, type Severity, timeFromText, timeToText } from "../kinds/kind.ts";
import type { Reading } from "../kinds/reading.ts";
import { type Episode, episodeId, isOpen, type Machine, resetMachine } from "./episode.ts";
import type { Judgement, Timing } from "./rules.ts";

/** One round for one machine. */
interface Round {
  readonly judgement: Judgement;
  readonly reading: Reading;
  readonly timing: Timing;
  readonly config: Pick<AlertsConfig, "keep" | "flap">;
  /** Wall clock. */
  readonly at: Nanoseconds;
  /** Since the watcher's previous round in this process, by the monotonic clock. */
  readonly elapsedMillis: Milliseconds;
  /** When the watcher last saw anything, in this process or an earlier one. */
  readonly previous: Nanoseconds | undefined;
  /** Set in the watcher's first round of a process: how long it was down. That round neither fires nor resolves. */
  readonly downtimeMillis: Milliseconds | undefined;
}

/** What can become of an episode, as decisions say it. */
export const CHANGES = [
  "pending",
  "dismissed",
  "fired",
  "escalated",
  // It was kept back, and lasts longer by now than the critical episodes before it.
  "outlasted",
  // It was kept back, and goes far beyond its threshold by now.
  "surpassed",
  "recovering",
  "relapsed",
  "resolved",
  // Its subject is gone.
  "gone",
  "flapping",
] as const;
export type Change = (typeof CHANGES)[number];

export interface Step {
  readonly machine: Machine;
  /** The episode as it now stands; absent if none is open. */
  readonly episode?: Episode;
  /** In order. */
  readonly changes: readonly Change[];
}

/** The next state of a machine and of its open episode. Pure; a round that is unknown, or near, begins and ends no episode. */
export function step(machine: Machine, episode: Episode | undefined, round: Round): Step {
  const before = skipUnseenCalm(afterRestart(machine, round), round);
  if (round.judgement.state === "unknown") {
    return withEpisode(stepUnknown(before, round), episode);
  }
  // A span counts only if both of its ends were observed.
  const isUnseen = round.downtimeMillis !== undefined || !before.known;
  const seenMillis = isUnseen ? undefined : Math.max(0, round.elapsedMillis);
  const known = before.known && before.unseen === undefined ? before : { ...before, known: true, unseen: undefined };
  if (round.judgement.state === "near")
    return withEpisode({ machine: stepNear(known, seenMillis), changes: [] }, episode);
  return round.judgement.state === "bad"
    ? stepBad(known, episode, round, seenMillis)
    : stepGood(known, episode, round, seenMillis);
}

function withEpisode(step: Omit<Step, "episode">, episode: Episode | undefined): Step {
  return episode === undefined ? step : { ...step, episode };
}

/** A count of bad rounds lapses when more rounds than it needs went unseen; time that was held stays. */
function stepUnknown(machine: Machine, { timing }: Round): Omit<Step, "episode"> {
  const unknown = { ...machine, known: false };
  if (machine.phase !== "pending" || timing.rounds === 1) return { machine: unknown, changes: [] };
  const unseen = (machine.unseen ?? 0) + 1;
  if (unseen <= timing.rounds) return { machine: { ...unknown, unseen }, changes: [] };
  return { machine: resetMachine(unknown), changes: ["dismissed"] };
}

/** What has begun goes on near its threshold. */
function stepNear(machine: Machine, seenMillis: Milliseconds = 0): Machine {
  return machine.phase === "pending"
    ? { ...machine, heldMillis: machine.heldMillis + seenMillis }
    : { ...machine, known: false };
}

/** Downtime does not count; after a long one a machine that was pending, or recovering, starts again. */
function afterRestart(machine: Machine, round: Round): Machine {
  if (round.downtimeMillis === undefined) return machine;
  if (machine.phase === "recovering") return { ...machine, heldMillis: 0, rounds: 0 };
  if (machine.phase !== "pending" || round.downtimeMillis <= round.timing.patienceMillis) return machine;
  return { ...machine, heldMillis: 0, rounds: 0, badMillis: 0, began: timeToText(round.at), beganBefore: true };
}

/** Time without an observation is no calm either: the flapping is as recent afterwards as it was before. */
function skipUnseenCalm(machine: Machine, { judgement, elapsedMillis, downtimeMillis }: Round): Machine {
  const { flapping } = machine;
  if (flapping === undefined) return machine;
  const elapsed = Math.max(0, elapsedMillis);
  const unseen =
    judgement.state === "unknown"
      ? elapsed
      : downtimeMillis !== undefined
        ? downtimeMillis + elapsed
        : machine.known
          ? 0
          : elapsed;
  return unseen === 0 ? machine : { ...machine, flapping: { ...flapping, lastMillis: flapping.lastMillis + unseen } };
}

/** `seenMillis` is the observed time since the round before; undefined where it was not observed. */
function stepBad(
  machine: Machine,
  episode: Episode | undefined,
  round: Round,
  seenMillis: Milliseconds | undefined,
): Step {
  const already = round.reading.badForMillis ?? 0;
  switch (machine.phase) {
    case "ok": {
      const began = beginning(round, seenMillis !== undefined);
      const pending = { phase: "pending", heldMillis: already, rounds: 1, badMillis: already, ...began } as const;
      return fireIfDue({ ...machine, ...pending }, round, ["pending"]);
    }
    case "pending": {
      const heldMillis = Math.max(machine.heldMillis + (seenMillis ?? 0), already);
      const held = { ...machine, heldMillis, badMillis: heldMillis, rounds: machine.rounds + 1 };
      return fireIfDue(withKnownBeginning(held, round), round, []);
    }
    case "firing":
    case "recovering": {
      const badMillis = Math.max(machine.badMillis + (machine.phase === "firing" ? (seenMillis ?? 0) : 0), already);
      const next = noteFurthest(
        { ...machine, recovering: undefined, phase: "firing", heldMillis: 0, rounds: 0, badMillis },
        round,
      );
      const relapsed = machine.phase === "recovering" ? (["relapsed"] as const) : [];
      if (episode === undefined) return { machine: next, changes: relapsed };
      const outlasted = isCalmed(machine) && !isCalmed(next) ? (["outlasted"] as const) : [];
      const surpassed = machine.surpasses !== next.surpasses ? (["surpassed"] as const) : [];
      const changes = [...relapsed, ...outlasted, ...surpassed];
      return escalateIfDue(next, { ...episode, state: "firing", last: round.reading }, round, changes);
    }
  }
}

/** What is bad at a first observation, or at the first one after a blind time, began then or earlier. */
function beginning(
  { reading, at, previous }: Round,
  isSeen: boolean,
): Pick<Machine, "began" | "beganBefore" | "lastGood"> {
  const { badForMillis = 0 } = reading;
  const since = sinceOf(reading, at);
  const began = since ?? nanoseconds(at - fromMillis(badForMillis));
  return {
    began: timeToText(began),
    ...(isSeen || since !== undefined ? {} : { beganBefore: true }),
    ...(previous === undefined ? {} : { lastGood: timeToText(previous < began ? previous : began) }),
  };
}

/** The watcher's own time of the beginning replaces the estimate. */
function withKnownBeginning(machine: Machine, { reading, at }: Round): Machine {
  const since = sinceOf(reading, at);
  if (since === undefined) return machine;
  return { ...machine, beganBefore: undefined, began: timeToText(since) };
}

/** When it began, where that is known; a time in the future is ignored. */
function sinceOf({ since }: Reading, at: Nanoseconds): Nanoseconds | undefined {
  const began = since === undefined ? undefined : timeFromText(since);
  return began === undefined || began > at ? undefined : began;
}

function fireIfDue(machine: Machine, round: Round, changes: readonly Change[]): Step {
  const { timing, at, config } = round;
  const due = machine.heldMillis >= timing.forMillis && machine.rounds >= timing.rounds;
  if (!due || round.downtimeMillis !== undefined) return { machine, changes };
  const number = machine.number + 1;
  const millis = toMillis(at);
  const firings = [...machine.firings.filter((one) => millis - one < config.flap.within), millis];
  const { critical: known } = machine;
  const critical = known !== undefined && millis - known.lastMillis < config.flap.within ? known : undefined;
  const isTooOften = firings.length > config.flap.episodes || (critical?.times ?? 0) >= TOLD_CRITICAL;
  const flaps = machine.flapping === undefined && isTooOften;
  const flapping =
    machine.flapping === undefined
      ? { since: timeToText(at), before: machine.number, lastMillis: millis }
      : { ...machine.flapping, lastMillis: millis };
  const episode: Episode = {
    id: episodeId(machine, number),
    rule: machine.rule,
    kind: machine.kind,
    network: machine.network,
    subject: machine.subject,
    number,
    state: "firing",
    severity: severityNow(machine, round),
    began: machine.began ?? timeToText(at),
    detected: timeToText(at),
    ...withoutUndefined({ beganBefore: machine.beganBefore, lastGood: machine.lastGood }),
    first: round.reading,
    last: round.reading,
  };
  const isKeptBack = flaps || machine.flapping !== undefined;
  const fired: Machine = {
    ...machine,
    critical,
    phase: "firing",
    number,
    heldMillis: 0,
    rounds: 0,
    firings,
    flapping: isKeptBack ? flapping : undefined,
    // What was told of an episode before counts while episodes are kept back.
    furthest: isKeptBack ? machine.furthest : undefined,
  };
  return {
    machine: noteFurthest(fired, round),
    episode,
    changes: [...changes, "fired", ...(flaps ? (["flapping"] as const) : [])],
  };
}

/** How many times as far beyond the threshold as what was told last a move is told, however often it comes and goes. */
const SURPASSES = 3n;

function noteFurthest(machine: Machine, { judgement: { beyond } }: Round): Machine {
  if (beyond === undefined) return machine;
  const told = parseDecimal(machine.furthest ?? "");
  const isTold = machine.flapping === undefined || machine.surpasses === true;
  const reached = told && (isTold ? told : { ...told, units: told.units * SURPASSES });
  if (reached !== undefined && compareDecimals(beyond, reached) <= 0) return machine;
  const furthest = formatDecimal(beyond, { group: false });
  return isTold ? { ...machine, furthest } : { ...machine, furthest, surpasses: true };
}

function escalateIfDue(machine: Machine, episode: Episode, round: Round, changes: readonly Change[]): Step {
  const severity = severityNow(machine, round);
  if (round.downtimeMillis !== undefined || compareSeverity(severity, episode.severity) <= 0) {
    return { machine, episode, changes };
  }
  const escalated = { ...episode, severity, escalated: timeToText(round.at) };
  return { machine, episode: escalated, changes: [...changes, "escalated"] };
}

function severityNow(machine: Machine, { judgement, timing }: Round): Severity {
  return timing.criticalMillis !== undefined && machine.badMillis >= timing.criticalMillis
    ? "critical"
    : judgement.severity;
}

function stepGood(
  machine: Machine,
  episode: Episode | undefined,
  round: Round,
  seenMillis: Milliseconds | undefined,
): Step {
  switch (machine.phase) {
    case "ok":
      return { machine, changes: [] };
    case "pending":
      return { machine: resetMachine(machine), changes: ["dismissed"] };
    case "firing":
    case "recovering": {
      const begins = machine.phase === "firing";
      const next: Machine = {
        ...machine,
        phase: "recovering",
        heldMillis: begins ? 0 : machine.heldMillis + (seenMillis ?? 0),
        rounds: begins ? 1 : machine.rounds + 1,
        recovering: machine.recovering ?? timeToText(round.at),
      };
      const changes: readonly Change[] = begins ? ["recovering"] : [];
      const held = next.heldMillis >= round.config.keep.for && next.rounds >= round.config.keep.rounds;
      if (episode === undefined) return { machine: held ? resetMachine(next) : next, changes };
      if (!held || round.downtimeMillis !== undefined) {
        return { machine: next, episode: { ...episode, state: "recovering", last: round.reading }, changes };
      }
      const closed: Episode = {
        ...episode,
        state: "resolved",
        recovered: next.recovering ?? timeToText(round.at),
        ended: timeToText(round.at),
        ...(episode.kind === "network.clock" ? { seenMillis: next.badMillis } : {}),
        last: round.reading,
      };
      const calm = touchFlapping(noteCritical(next, closed, round), round);
      return { machine: resetMachine(calm), episode: closed, changes: [...changes, "resolved"] };
    }
  }
}

/** So many critical episodes are told before the next one is kept back, until it lasts longer than they did. */
const TOLD_CRITICAL = 2;
/** By how much: looks are not exact. */
const LONGER_BY: Milliseconds = 30_000;

/** Whether a critical episode is kept back while it flaps: some were told that lasted as long. */
export function isCalmed({ critical, badMillis }: Pick<Machine, "critical" | "badMillis">): boolean {
  return critical !== undefined && critical.times >= TOLD_CRITICAL && badMillis <= critical.longestMillis + LONGER_BY;
}

function noteCritical(machine: Machine, { severity }: Episode, { at }: Round): Machine {
  if (severity !== "critical") return machine;
  const { times, longestMillis } = machine.critical ?? { times: 0, longestMillis: 0 };
  const longest = isCalmed(machine) ? longestMillis : Math.max(longestMillis, machine.badMillis);
  return { ...machine, critical: { times: times + 1, longestMillis: longest, lastMillis: toMillis(at) } };
}

function touchFlapping(machine: Machine, { at }: Round): Machine {
  return machine.flapping === undefined
    ? machine
    : { ...machine, flapping: { ...machine.flapping, lastMillis: toMillis(at) } };
}

/** The machine once its flapping is over, undefined while it flaps or never did; `at` is its last observation. Pure. */
export function endFlapping(
  machine: Machine,
  at: Nanoseconds,
  { flap }: Pick<AlertsConfig, "flap">,
): Machine | undefined {
  const { flapping } = machine;
  if (flapping === undefined || toMillis(at) - flapping.lastMillis < flap.within) return undefined;
  return { ...machine, flapping: undefined, critical: undefined, firings: [] };
}

/** So many good rounds in a row must lack a subject before it counts as gone: one node may be slow to learn of it. */
export const ROUNDS_UNTIL_GONE = 10;

/**
 * One more good round without a reading of a subject that the watcher used to read. Once that is certain, what
 * was pending is dismissed, and an open episode is closed: its end would never be observed. Pure.
 */
export function stepAbsent(machine: Machine, episode: Episode | undefined, at: Nanoseconds): Step {
  const absent = (machine.absent ?? 0) + 1;
  if (absent < ROUNDS_UNTIL_GONE) {
    return withEpisode({ machine: { ...machine, absent }, changes: [] }, episode);
  }
  const calm = resetMachine({ ...machine, absent: undefined });
  if (episode === undefined || !isOpen(episode)) return { machine: calm, changes: ["dismissed"] };
  return { machine: calm, episode: { ...episode, state: "gone", ended: timeToText(at) }, changes: ["gone"] };
}
