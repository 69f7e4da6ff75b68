import type { ConditionKind } from "../alerts/judge/kinds/kinds.ts";
import type { Reading } from "../alerts/judge/kinds/reading.ts";
import type { Chunk, Column } from "../looks/chunk.ts";
import type { Json } from "../looks/look.ts";
import type { Milliseconds } from "../units/duration.ts";
import { fromMillis, nanoseconds } from "../units/nanoseconds.ts";
import { keptReading } from "../watchers/kept.ts";
import type { Moment } from "../watchers/look-history.ts";

/** A fact of a subject. */
interface Fact extends Column {
  readonly name: string;
}

/** What is kept of one subject. */
interface Subject {
  readonly kind: ConditionKind;
  readonly subject: string;
  /** By which a reading is judged. */
  readonly facts: readonly Fact[];
  /** The other ones, which count for what is bad: decoded once single looks are read. */
  readonly others: readonly { readonly name: string; readonly key: string }[];
  readonly times: readonly Fact[];
}

/** Since when, and for how long it has been bad. */
const TIMES: readonly string[] = ["since", "badForMillis"];
/** More corners are not named. */
const MAX_CORNERS = 64;
/** More values of a fact that is no number are not told apart. */
const FEW = 4;

/** The readings of some kinds in a chunk of looks, read by column. */
export class PackedReadings {
  readonly #chunk: Chunk;
  readonly #network: string;
  #subjects: readonly Subject[];
  readonly #run: Column;
  readonly #every: Column;
  readonly #failure: Column;
  readonly #due: Column;
  /** As the nearest numbers. */
  readonly #dueNear: Float64Array;
  readonly #at: Float64Array;
  readonly #exactAt: (look: number) => bigint | undefined;
  /** The looks that do not go on from the one before, by a number of intervals. */
  readonly #breaks: readonly number[];
  #isUnfolded = false;

  /** Decodes all by which looks are passed over: throws for a chunk that is damaged. */
  constructor(chunk: Chunk, network: string, kinds: readonly ConditionKind[], intervals: number) {
    this.#chunk = chunk;
    [this.#at, this.#exactAt] = [chunk.numbers('["at"]'), chunk.integer('["at"]')];
    this.#network = network;
    this.#subjects = kinds.flatMap((kind) => subjectsOf(chunk, kind));
    [this.#run, this.#every] = [chunk.column('["run"]'), chunk.column('["every"]')];
    [this.#due, this.#failure] = [chunk.column('["dueMillis"]'), chunk.column('["failure"]')];
    this.#dueNear = chunk.numbers('["dueMillis"]');
    this.#breaks = this.#findBreaks(intervals);
  }

  /** The number of looks. */
  get size(): number {
    return this.#chunk.size;
  }

  /** When a look was, in Unix milliseconds. */
  atOf(look: number): Milliseconds {
    return Math.floor((this.#at[look] ?? 0) / 1e6);
  }

  /** Decodes what single looks have besides. Throws where it is damaged. */
  unfold(): void {
    if (this.#isUnfolded) return;
    this.#subjects = this.#subjects.map((one) => ({
      ...one,
      times: one.others.map(({ name, key }) => ({ name, ...this.#chunk.column(key) })),
    }));
    this.#isUnfolded = true;
  }

  /** `at` is exact, or to the millisecond where nothing is told of the look. */
  momentOf(look: number, isExact: boolean): Moment {
    const failure = this.#failure.at(look);
    const at = isExact ? nanoseconds(this.#exactAt(look) ?? 0n) : fromMillis(this.atOf(look));
    return {
      run: textOf(this.#run.at(look)),
      every: Number(this.#every.at(look)),
      dueMillis: Number(this.#due.at(look)),
      at,
      ...(failure === undefined ? {} : { failure: textOf(failure) }),
    };
  }

  /** With the times of what is bad once the chunk is unfolded. */
  readingsOf(look: number): readonly Reading[] {
    const readings: Reading[] = [];
    for (const one of this.#subjects) {
      const kept: Record<string, Json> = {};
      for (const fact of one.facts) addTo(kept, fact, look);
      if (kept["state"] === undefined) continue;
      for (const fact of one.times) addTo(kept, fact, look);
      readings.push(keptReading(one.kind, this.#network, one.subject, kept));
    }
    return readings;
  }

  /** Whether looks go on from a moment within its run, with no failure and no gap. */
  goesOn(from: number, to: number, before: Moment, intervals: number): boolean {
    const isNext =
      Number(this.#due.at(from)) - before.dueMillis <= intervals * before.every &&
      this.#failure.at(from) === undefined &&
      this.#run.at(from) === before.run &&
      this.#every.at(from) === before.every;
    return isNext && !this.#breaks.some((look) => look > from && look < to);
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
      for (const { name, ...column } of facts) {
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

  #findBreaks(intervals: number): readonly number[] {
    const breaks: number[] = [];
    let [run, every, due] = [this.#run.at(0), this.#every.at(0), this.#dueNear[0] ?? 0];
    for (let look = 1; look < this.size; look += 1) {
      const now = this.#dueNear[look] ?? 0;
      const isOther = this.#run.at(look) !== run || this.#every.at(look) !== every;
      if (isOther) [run, every] = [this.#run.at(look), this.#every.at(look)];
      // The nearest numbers may be a little nearer to each other.
      if (isOther || now - due > intervals * Number(every) - 1 || this.#failure.at(look) !== undefined)
        breaks.push(look);
      due = now;
    }
    return breaks;
  }
}

function addTo(kept: Record<string, Json>, { name, at }: Fact, look: number): void {
  const leaf = at(look);
  if (leaf !== undefined) kept[name] = leaf;
}

function textOf(leaf: Json | undefined): string {
  return typeof leaf === "string" ? leaf : JSON.stringify(leaf ?? null);
}

function subjectsOf(chunk: Chunk, kind: ConditionKind): readonly Subject[] {
  const places = chunk
    .keys(`["seen","facts",${JSON.stringify(kind)},`)
    .map((key) => ({ key, place: JSON.parse(key) as readonly string[] }));
  const bySubject = Map.groupBy(places, ({ place }) => place[3] ?? "");
  return [...bySubject].map(([subject, all]) => {
    const named = all.map(({ key, place }) => ({ name: place[4] ?? "", key }));
    const others = named.filter(({ name }) => TIMES.includes(name));
    const facts = named.filter((one) => !others.includes(one)).map(({ name, key }) => ({ name, ...chunk.column(key) }));
    return { kind, subject, facts, others, times: [] };
  });
}

/** The values of a fact in looks in a row, of numbers the least and the greatest; undefined where they are too many. */
function valuesOf(
  { at, differences, is }: Column,
  from: number,
  to: number,
): ReadonlySet<Json | undefined> | undefined {
  if (is !== undefined) return new Set([is]);
  const values = new Set<Json | undefined>();
  let [least, most] = [-1, -1];
  for (let look = from; look < to; look += 1) {
    const number = differences?.[look] ?? Number.NaN;
    if (differences === undefined || Number.isNaN(number)) {
      values.add(at(look));
      if (values.size > FEW) return undefined;
    } else {
      if (least === -1 || number < (differences[least] ?? 0)) least = look;
      if (most === -1 || number > (differences[most] ?? 0)) most = look;
    }
  }
  if (least !== -1) values.add(at(least)).add(at(most));
  return values;
}
