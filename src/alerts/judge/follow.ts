// Judges looks in a row, machine after machine: what becomes of one does not depend on the others. Where looks are judged
// alike, most add no more than time, which is counted and not stepped through.
import type { Milliseconds, Nanoseconds } from "../../units/time.ts";
import type { AlertsConfig } from "../alerts-config.ts";
import {
  advance,
  isJudged,
  isSame,
  judgeSeen,
  type Known,
  type Observation,
  wasGood,
  type WatcherProgress,
} from "./judge.ts";
import type { ConditionKind, Reading } from "./kinds/reading.ts";
import { type Episode, isOpen, type Machine } from "./rules/episode.ts";
import { type Judgement, type Rule, type Timing, timingOf } from "./rules/rules.ts";
import { endFlapping, type Step, stepAbsent } from "./rules/state-machine.ts";

/** What looks in a row show of one subject. */
export interface Subject {
  readonly kind: ConditionKind;
  readonly subject: string;
  /** The very same one of looks that show the same; undefined where there is none. */
  readonly readingOf: (look: number) => Reading | undefined;
  /** Its state, which is known without the rest of it. */
  readonly stateOf: (look: number) => Reading["state"] | undefined;
  /**
   * Readings that stand for those of all looks, each of which has one: figures are compared with limits one by one, so what
   * is good at all corners of what is shown is good between them. Undefined where they are not known.
   */
  readonly corners: readonly Reading[] | undefined;
}

/** Looks of one watcher by their numbers, of which none failed: each goes on from the one before, the first from the last. */
export interface Row {
  readonly network: string;
  readonly watcher: Observation["watcher"];
  readonly subjects: readonly Subject[];
  readonly from: number;
  /** Behind the last one. */
  readonly to: number;
  readonly at: (look: number) => Nanoseconds;
  /** The same, in Unix milliseconds. */
  readonly atMillis: (look: number) => Milliseconds;
  readonly dueMillis: (look: number) => Milliseconds;
}

/** The looks that machines go through, and what was known before them. */
export interface Path {
  readonly row: Row;
  readonly progress: WatcherProgress;
  readonly isBlind: (look: number) => boolean;
  readonly config: Pick<AlertsConfig, "keep" | "flap">;
}

/**
 * What a round adds to a machine where it is judged as the one before was, and no more follows: how long it is bad, how long
 * it is good again, until that is long enough, or how much later its flapping ends.
 */
type Added = "nothing" | "badMillis" | "heldMillis" | "flapping";

const OK: Pick<Machine, "phase" | "known" | "flapping" | "badMillis"> = { phase: "ok", known: true, badMillis: 0 };

const OF_GOOD: Partial<Record<Machine["phase"], Added>> = { ok: "nothing", recovering: "heldMillis" };

/** What every further round adds that is judged as the last one was; undefined where more may follow. Pure. */
function addedAlike(
  machine: Machine | undefined,
  { state, beyond }: Judgement,
  { rounds, criticalMillis = Number.NEGATIVE_INFINITY }: Timing,
): Added | undefined {
  const { phase, known, flapping, badMillis } = machine ?? OK;
  if (phase === "ok" && flapping === undefined) return state === "bad" ? undefined : "nothing";
  if (state === "good") return known ? OF_GOOD[phase] : undefined;
  if (state === "bad") {
    const lasts = phase === "firing" && known && badMillis >= criticalMillis && beyond === undefined;
    return lasts ? "badMillis" : undefined;
  }
  const isCounted = phase === "pending" && (state === "near" || rounds > 1);
  if (known || isCounted) return undefined;
  return flapping === undefined ? "nothing" : "flapping";
}

/** What becomes of a machine that goes through looks in a row. Pure. */
export function followOne(rule: Rule, { readingOf }: Pick<Subject, "readingOf">, path: Path, known: Known) {
  const { row, progress, isBlind, config } = path;
  const { watcher, at, dueMillis } = row;
  const { downtimeMillis } = progress;
  const timing = timingOf(rule, watcher.every);
  const closed: Episode[] = [];
  const flapped: Nanoseconds[] = [];
  let { machine, open, seen } = known;
  let wasBlind = false;
  /** The last look that it was judged by, undefined where there was no reading; how, and what looks add that are judged so. */
  let [last, judgement, added]: [Reading?, Judgement?, Added?] = [];
  /** What that has come to, and in how many rounds it was good again. */
  let [sum, rounds]: [Milliseconds, number] = [0, 0];

  const settle = (): void => {
    if (machine !== undefined && (added === "badMillis" || added === "heldMillis")) {
      machine = { ...machine, ...(added === "heldMillis" ? { heldMillis: sum, rounds } : { badMillis: sum }) };
      open = open && last && { ...open, last };
    } else if (machine?.flapping !== undefined && added === "flapping") {
      machine = { ...machine, flapping: { ...machine.flapping, lastMillis: sum } };
    }
    added = undefined;
  };
  const take = ({ machine: next, episode, changes }: Step, look: number): void => {
    if (changes.includes("flapping")) flapped.push(at(look));
    open = episode !== undefined && isOpen(episode) ? episode : undefined;
    if (episode !== undefined && open === undefined) closed.push(episode);
    if (machine === undefined || !isSame(machine, next)) machine = next;
  };
  const stepThrough = (reading: Reading, look: number, judged: Judgement, isAlike: boolean): void => {
    const elapsedMillis = dueMillis(look) - (look === row.from ? progress.monotonicMillis : dueMillis(look - 1));
    const next = sum + Math.max(0, elapsedMillis);
    if (isAlike && !(added === "heldMillis" && next >= config.keep.for && rounds + 1 >= config.keep.rounds)) {
      sum = next;
      rounds += 1;
      return;
    }
    settle();
    const when = { watcher, at: at(look), elapsedMillis, known: lastSeen(path, look), downtimeMillis, config };
    const after = advance(rule, reading, judged, { machine, open, seen }, { ...when, wasJudgedBefore: NEVER });
    [seen, judgement] = [after.seen, judged];
    if (after.next !== undefined) take(after.next, look);
    // Another look that is judged alike need not be stepped through, where it adds no more than time.
    added = isJudged(seen) ? addedAlike(machine, judged, timing) : undefined;
    const { heldMillis, badMillis, flapping }: Partial<Machine> = machine ?? {};
    sum = (added === "heldMillis" ? heldMillis : added === "flapping" ? flapping?.lastMillis : badMillis) ?? 0;
    rounds = machine?.rounds ?? 0;
  };
  const see = (reading: Reading, look: number, blind: boolean): void => {
    const judged = judgeSeen(rule, reading, blind, machine);
    const isAlike = added !== undefined && isJudgedAlike(judged, judgement) && reading.badForMillis === undefined;
    if (!isAlike || added !== "nothing") stepThrough(reading, look, judged, isAlike);
    last = reading;
  };
  const isOwn = (one: Machine | undefined): one is Machine => one?.watcher === watcher.name;

  for (let look = row.from; look < row.to; look += 1) {
    const reading = readingOf(look);
    const blind = isBlind(look);
    const isSameAgain = reading === last && blind === wasBlind;
    wasBlind = blind;
    if (isSameAgain && wasGood(machine)) continue;
    if (reading === undefined) {
      settle();
      last = undefined;
      if (isOwn(machine) && machine.phase !== "ok" && !blind && isAnySeen(row, look))
        take(stepAbsent(machine, open, at(look)), look);
    } else if (!isSameAgain || added !== "nothing") see(reading, look, blind);
    if (machine?.flapping === undefined || !isOwn(machine)) continue;
    const lastMillis = added === "flapping" ? sum : machine.flapping.lastMillis;
    if (row.atMillis(look) - lastMillis < config.flap.within) continue;
    settle();
    machine = endFlapping(machine, at(look), config) ?? machine;
  }
  settle();
  return { machine, open, seen, closed, flapped };
}

/** The last look before one in which the network was not blind. */
export function lastSeen({ row, progress, isBlind }: Path, look: number): Nanoseconds | undefined {
  let last = look - 1;
  while (last >= row.from && isBlind(last)) last -= 1;
  return last < row.from ? progress.known : row.at(last);
}

const NEVER = (): boolean => false;

function isJudgedAlike(one: Judgement, other: Judgement | undefined): boolean {
  return one.state === other?.state && one.severity === other.severity && one.beyond === undefined;
}

export function mayBeBlind({ kind, corners }: Subject): boolean {
  return kind === "watch.blind" && corners?.some(({ state }) => state === "bad") !== false;
}

/** Whether the network is blind in a look; `wasBlind`: in the one before, for looks that do not say. */
export function blindnessIn({ subjects, from, to }: Row, wasBlind: boolean): (look: number) => boolean {
  const says = subjects.find(({ kind }) => kind === "watch.blind");
  if (says === undefined) return () => wasBlind;
  if (!mayBeBlind(says)) return NEVER;
  let isBlind = wasBlind;
  const all = Array.from({ length: to - from }, (_, index) => {
    const reading = says.readingOf(from + index);
    return (isBlind = reading === undefined ? isBlind : reading.state === "bad");
  });
  return (look) => all[look - from] === true;
}

function isAnySeen({ subjects }: Row, look: number): boolean {
  const readings = subjects.flatMap((of) => of.readingOf(look) ?? []);
  return readings.length === 0 || readings.some(({ state }) => state !== "unknown");
}
