import type { ConditionKind } from "../alerts/judge/kinds/kinds.ts";
import type { Reading } from "../alerts/judge/kinds/reading.ts";
import type { Chunk, Column } from "../looks/chunk.ts";
import { type Json, lookFromJson } from "../looks/look.ts";
import type { Milliseconds } from "../units/duration.ts";
import { keptReading } from "../watchers/kept.ts";
import type { Moment } from "../watchers/look-history.ts";

/** What is kept of one subject: its facts, and since when, and for how long it has been bad. */
interface Subject {
  readonly kind: ConditionKind;
  readonly subject: string;
  readonly facts: readonly { readonly name: string; readonly column: Column }[];
}

/** They count for what is bad: what is good is judged by the other facts. */
const TIMES: readonly string[] = ["since", "badForMillis"];
/** More corners are not named. */
const MAX_CORNERS = 64;
/** More values of a fact that is no number are not told apart. */
const FEW = 4;

/** What a look has beside what was seen. */
type Head = Readonly<Record<"at" | "run" | "dueMillis" | "every" | "failure", Column>>;

/** The readings of some kinds in a chunk of looks, read by column. */
export class PackedReadings {
  /** The number of looks. */
  readonly size: number;
  readonly #network: string;
  readonly #head: Head;
  readonly #subjects: readonly Subject[];
  /** The looks that do not go on from the one before, by a number of intervals. */
  readonly #breaks: readonly number[];

  /** Decodes all that is judged: throws for a chunk that is damaged. */
  constructor(chunk: Chunk, network: string, kinds: readonly ConditionKind[], intervals: number) {
    this.#network = network;
    this.size = chunk.size;
    const columnOf = (name: keyof Head): Column => chunk.column(JSON.stringify([name]));
    this.#head = {
      at: columnOf("at"),
      run: columnOf("run"),
      dueMillis: columnOf("dueMillis"),
      every: columnOf("every"),
      failure: columnOf("failure"),
    };
    this.#subjects = kinds.flatMap((kind) => subjectsOf(chunk, kind));
    this.#breaks = breaksIn(this.#head, chunk.size, intervals);
  }

  /** When a look was, in Unix milliseconds. */
  atOf(look: number): Milliseconds {
    return Math.floor(this.#head.at.near(look) / 1e6);
  }

  /** What a look was, beside what was seen. Throws SyntaxError where it is no look. */
  momentOf(look: number): Moment {
    const { at, run, dueMillis, every, failure } = this.#head;
    const moment = { at: at.at(look), run: run.at(look), dueMillis: dueMillis.at(look), every: every.at(look) };
    const why = failure.at(look);
    return lookFromJson(why === undefined ? moment : { ...moment, failure: why });
  }

  readingsOf(look: number): readonly Reading[] {
    const readings: Reading[] = [];
    for (const { kind, subject, facts } of this.#subjects) {
      const kept: Record<string, Json> = {};
      for (const { name, column } of facts) {
        const leaf = column.at(look);
        if (leaf !== undefined) kept[name] = leaf;
      }
      if (kept["state"] !== undefined) readings.push(keptReading(kind, this.#network, subject, kept));
    }
    return readings;
  }

  /** Whether looks go on from a moment within its run, with no failure and no gap. */
  goesOn(from: number, to: number, before: Moment, intervals: number): boolean {
    const { run, every, dueMillis, failure } = this.momentOf(from);
    const isNext = dueMillis - before.dueMillis <= intervals * every && failure === undefined;
    const isSame = run === before.run && every === before.every;
    return isNext && isSame && !this.#breaks.some((look) => look > from && look < to);
  }

  /**
   * Readings that stand for those of looks in a row: each value of a fact with each of the others, of numbers the least
   * and the greatest; undefined where they are too many, or where a look has no reading of a subject.
   */
  cornersOf(from: number, to: number): readonly Reading[] | undefined {
    if (to - from === 1) return this.readingsOf(from);
    const corners: Reading[] = [];
    for (const { kind, subject, facts } of this.#subjects) {
      let all: readonly Readonly<Record<string, Json>>[] = [{}];
      for (const { name, column } of facts) {
        if (TIMES.includes(name)) continue;
        const values = valuesOf(column, from, to);
        if (values === undefined || (name === "state" && values.has(undefined))) return undefined;
        all = [...values].flatMap((value) =>
          value === undefined ? all : all.map((one) => ({ ...one, [name]: value })),
        );
      }
      if (all.length > MAX_CORNERS) return undefined;
      for (const kept of all) corners.push(keptReading(kind, this.#network, subject, kept));
    }
    return corners;
  }
}

function breaksIn({ run, every, dueMillis, failure }: Head, size: number, intervals: number): readonly number[] {
  const breaks: number[] = [];
  let before = dueMillis.near(0);
  for (let look = 1; look < size; look += 1) {
    const now = dueMillis.near(look);
    // The nearest numbers may be a little nearer to each other.
    const isGap = now - before > intervals * every.near(look) - 1;
    const isOther = run.at(look) !== run.at(look - 1) || every.at(look) !== every.at(look - 1);
    if (isGap || isOther || failure.at(look) !== undefined) breaks.push(look);
    before = now;
  }
  return breaks;
}

function subjectsOf(chunk: Chunk, kind: ConditionKind): readonly Subject[] {
  const places = chunk
    .keys(`["seen","facts",${JSON.stringify(kind)},`)
    .map((key) => ({ key, place: JSON.parse(key) as readonly string[] }));
  const bySubject = Map.groupBy(places, ({ place }) => place[3] ?? "");
  return [...bySubject].map(([subject, all]) => {
    const facts = all.map(({ key, place }) => ({ name: place[4] ?? "", column: chunk.column(key) }));
    return { kind, subject, facts };
  });
}

/** The values of a fact in looks in a row, of numbers the least and the greatest; undefined where they are too many. */
function valuesOf({ at, near, is }: Column, from: number, to: number): ReadonlySet<Json | undefined> | undefined {
  if (is !== undefined) return new Set([is]);
  const values = new Set<Json | undefined>();
  let [least, most] = [Infinity, -Infinity];
  let [lowest, highest] = [from, from];
  for (let look = from; look < to; look += 1) {
    const number = near(look);
    if (number < least) [least, lowest] = [number, look];
    if (number > most) [most, highest] = [number, look];
    if (!Number.isNaN(number)) continue;
    values.add(at(look));
    if (values.size > FEW) return undefined;
  }
  return least > most ? values : values.add(at(lowest)).add(at(highest));
}
