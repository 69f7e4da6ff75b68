// Judges looks in a row, machine after machine: what becomes of one does not depend on the others. Where looks are judged
// alike, most add no more than time, which is counted and not stepped through.
import type { Milliseconds } from "../../units/duration.ts";
import type { Nanoseconds } from "../../units/nanoseconds.ts";
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
 * What a round adds to a machine where it is judged as the one before was, and no more follows: how long it is bad, or how
 * much later its flapping ends.
 */
type Added = "nothing" | "badMillis" | "flapping";

const OK: Pick<Machine, "phase" | "known" | "flapping" | "badMillis"> = { phase: "ok", known: true, badMillis: 0 };

/** What every further round adds that is judged as the last one was; undefined where more may follow. Pure. */
function addedAlike(
  machine: Machine | undefined,
  { state, beyond }: Judgement,
  { rounds, criticalMillis = Number.NEGATIVE_INFINITY }: Timing,
): Added | undefined {
  const { phase, known, flapping, badMillis } = machine ?? OK;
  if (phase === "ok" && flapping === undefined) return state === "bad" ? undefined : "nothing";
  if (state === "good") return phase === "ok" && known ? "nothing" : undefined;
  if (state === "bad") {
    const lasts = phase === "firing" && known && badMillis >= criticalMillis && beyond === undefined;
    return lasts ? "badMillis" : undefined;
  }
  const isCounted = phase === "pending" && (state === "near" || rounds > 1);
  if (known || isCounted) return undefined;
  return flapping === undefined ? "nothing" : "flapping";
}

/** A machine on its way through looks in a row. */
export class Follower {
  readonly closed: Episode[] = [];
  readonly flapped: Nanoseconds[] = [];
  readonly #rule: Rule;
  readonly #path: Path;
  readonly #timing: Timing;
  #known: Known;
  /** The last look that it was judged by; undefined where there was no reading. */
  #reading: Reading | undefined;
  #judgement: Judgement | undefined;
  /** What looks add that are judged as that one, and what it has come to. */
  #added: Added | undefined;
  #sum: Milliseconds = 0;

  constructor(rule: Rule, path: Path, known: Known) {
    [this.#rule, this.#path, this.#known] = [rule, path, known];
    this.#timing = timingOf(rule, path.row.watcher.every);
  }

  /** What is known of the machine after the looks from one on. */
  follow({ readingOf }: Subject, from: number): Known {
    const { row, isBlind } = this.#path;
    let wasBlind = false;
    for (let look = from; look < row.to; look += 1) {
      const [reading, blind] = [readingOf(look), isBlind(look)];
      const isSameAgain = reading === this.#reading && blind === wasBlind;
      wasBlind = blind;
      if (isSameAgain && wasGood(this.#known.machine)) continue;
      if (reading === undefined) this.#miss(look);
      else if (!isSameAgain || this.#added !== "nothing") this.#see(reading, look);
      this.#endFlapping(look);
    }
    this.#settle();
    return this.#known;
  }

  #see(reading: Reading, look: number): void {
    const { row, progress, config, isBlind } = this.#path;
    const judgement = judgeSeen(this.#rule, reading, isBlind(look), this.#known.machine);
    const before = look === row.from ? progress.monotonicMillis : row.dueMillis(look - 1);
    const elapsedMillis = row.dueMillis(look) - before;
    const isAlike = this.#added !== undefined && isJudgedAlike(judgement, this.#judgement);
    if (isAlike && reading.badForMillis === undefined) this.#sum += Math.max(0, elapsedMillis);
    else {
      this.#settle();
      const { watcher, at } = row;
      const { downtimeMillis } = progress;
      const known = this.#lastSeen(look);
      const when = { watcher, at: at(look), elapsedMillis, known, downtimeMillis, config, wasJudgedBefore: NEVER };
      const { seen, next } = advance(this.#rule, reading, judgement, this.#known, when);
      this.#known = { ...this.#known, seen };
      if (next !== undefined) this.#take(next, look);
      this.#judgement = judgement;
      this.#begin(judgement);
    }
    this.#reading = reading;
  }

  /** There is no reading of a subject that there was one of. */
  #miss(look: number): void {
    const { row, isBlind } = this.#path;
    this.#settle();
    this.#reading = undefined;
    const { machine, open } = this.#known;
    if (machine === undefined || machine.phase === "ok" || machine.watcher !== row.watcher.name) return;
    if (!isBlind(look) && isAnySeen(row, look)) this.#take(stepAbsent(machine, open, row.at(look)), look);
  }

  #take({ machine, episode, changes }: Step, look: number): void {
    const { at } = this.#path.row;
    const before = this.#known.machine;
    if (changes.includes("flapping")) this.flapped.push(at(look));
    const isClosed = episode !== undefined && !isOpen(episode);
    if (isClosed) this.closed.push(episode);
    const isChanged = before === undefined || !isSame(before, machine);
    this.#known = { ...this.#known, machine: isChanged ? machine : before, open: isClosed ? undefined : episode };
  }

  /** Another look that is judged alike need not be stepped through, where it adds no more than time. */
  #begin(judgement: Judgement): void {
    const { machine, seen } = this.#known;
    if (!isJudged(seen)) return;
    this.#added = addedAlike(machine, judgement, this.#timing);
    this.#sum = (this.#added === "badMillis" ? machine?.badMillis : machine?.flapping?.lastMillis) ?? 0;
  }

  /** Adds what was counted. */
  #settle(): void {
    const { machine, open } = this.#known;
    const [added, last] = [this.#added, this.#reading];
    this.#added = undefined;
    if (machine === undefined || added === undefined || added === "nothing") return;
    if (added === "badMillis") {
      const lasting = open && last && { ...open, last };
      this.#known = { ...this.#known, machine: { ...machine, badMillis: this.#sum }, open: lasting };
    } else if (machine.flapping !== undefined) {
      const flapping = { ...machine.flapping, lastMillis: this.#sum };
      this.#known = { ...this.#known, machine: { ...machine, flapping } };
    }
  }

  #endFlapping(look: number): void {
    const { row, config } = this.#path;
    const { machine } = this.#known;
    if (machine?.flapping === undefined || machine.watcher !== row.watcher.name) return;
    const last = this.#added === "flapping" ? this.#sum : machine.flapping.lastMillis;
    if (row.atMillis(look) - last < config.flap.within) return;
    this.#settle();
    const settled = this.#known.machine ?? machine;
    this.#known = { ...this.#known, machine: endFlapping(settled, row.at(look), config) ?? settled };
  }

  /** The last look before one in which the network was not blind. */
  #lastSeen(look: number): Nanoseconds | undefined {
    const { row, progress, isBlind } = this.#path;
    let last = look - 1;
    while (last >= row.from && isBlind(last)) last -= 1;
    return last < row.from ? progress.known : row.at(last);
  }
}

const NEVER = (): boolean => false;

function isJudgedAlike(one: Judgement, other: Judgement | undefined): boolean {
  return one.state === other?.state && one.severity === other.severity && one.beyond === undefined;
}

/** Whether a reading says that nothing can be said of the network. */
function isBlindness({ kind, state }: Reading): boolean {
  return kind === "watch.blind" && state === "bad";
}

export function mayBeBlind({ kind, corners }: Subject): boolean {
  return kind === "watch.blind" && corners?.some(isBlindness) !== false;
}

/** Whether the network is blind in a look; `wasBlind`: in the one before, for looks that do not say. */
export function blindnessIn({ subjects, from, to }: Row, wasBlind: boolean): (look: number) => boolean {
  const says = subjects.find(({ kind }) => kind === "watch.blind");
  if (says === undefined) return () => wasBlind;
  if (!mayBeBlind(says)) return NEVER;
  let isBlind = wasBlind;
  const all = Array.from({ length: to - from }, (_, index) => {
    const reading = says.readingOf(from + index);
    return (isBlind = reading === undefined ? isBlind : isBlindness(reading));
  });
  return (look) => all[look - from] === true;
}

function isAnySeen({ subjects }: Row, look: number): boolean {
  const readings = subjects.flatMap((of) => of.readingOf(look) ?? []);
  return readings.length === 0 || readings.some(({ state }) => state !== "unknown");
}
