import type { ConditionKind } from "../alerts/judge/kinds/kinds.ts";
import type { Reading } from "../alerts/judge/kinds/reading.ts";
import type { Chunk, Column } from "../looks/chunk.ts";
import type { Json } from "../looks/look.ts";
import type { Milliseconds } from "../units/duration.ts";
import { fromMillis, nanoseconds } from "../units/nanoseconds.ts";
import { keptReading } from "../watchers/kept.ts";
import type { Moment } from "../watchers/look-history.ts";

/** What is kept of one subject. */
interface Subject {
  readonly kind: ConditionKind;
  readonly subject: string;
  readonly facts: readonly (Column & { readonly name: string })[];
}

/** More corners are not named. */
const MAX_CORNERS = 64;
/** More values of a fact that is no number are not told apart. */
const FEW = 4;

/** The readings of some kinds in a chunk of looks, read by column. */
export class PackedReadings {
  /** The number of looks. */
  readonly size: number;
  readonly #network: string;
  readonly #subjects: readonly Subject[];
  readonly #run: Column;
  readonly #every: Column;
  readonly #due: Column;
  readonly #failure: Column;
  readonly #at: Float64Array;
  readonly #exactAt: (look: number) => bigint | undefined;

  /** Decodes all that is read later: throws for a chunk that is damaged. */
  constructor(chunk: Chunk, network: string, kinds: readonly ConditionKind[]) {
    this.size = chunk.size;
    [this.#at, this.#exactAt] = [chunk.numbers('["at"]'), chunk.integer('["at"]')];
    this.#network = network;
    this.#subjects = kinds.flatMap((kind) => subjectsOf(chunk, kind));
    [this.#run, this.#every] = [chunk.column('["run"]'), chunk.column('["every"]')];
    [this.#due, this.#failure] = [chunk.column('["dueMillis"]'), chunk.column('["failure"]')];
  }

  /** When a look was, in Unix milliseconds. */
  atOf(look: number): Milliseconds {
    return Math.floor((this.#at[look] ?? 0) / 1e6);
  }

  /** `at` is exact, or to the millisecond where nothing is told of the look. */
  momentOf(look: number, isExact: boolean): Moment {
    const failure = this.#failure.at(look);
    const at = isExact ? nanoseconds(this.#exactAt(look) ?? 0n) : fromMillis(this.atOf(look));
    return {
      run: textOf(this.#run.at(look)),
      every: Number(this.#every.at(look)),
      dueMillis: this.#dueOf(look),
      at,
      ...(failure === undefined ? {} : { failure: textOf(failure) }),
    };
  }

  readingsOf(look: number): readonly Reading[] {
    const readings: Reading[] = [];
    for (const { kind, subject, facts } of this.#subjects) {
      const kept: Record<string, Json> = {};
      for (const { name, at } of facts) {
        const leaf = at(look);
        if (leaf !== undefined) kept[name] = leaf;
      }
      if (kept["state"] !== undefined) readings.push(keptReading(kind, this.#network, subject, kept));
    }
    return readings;
  }

  /** Whether looks go on from a moment within its run, with no failure and no more than so many intervals between two. */
  goesOn(from: number, to: number, before: Moment, intervals: number): boolean {
    let last = before.dueMillis;
    for (let look = from; look < to; look += 1) {
      const due = this.#dueOf(look);
      if (due - last > intervals * before.every || this.#failure.at(look) !== undefined) return false;
      if (this.#run.at(look) !== before.run || this.#every.at(look) !== before.every) return false;
      last = due;
    }
    return true;
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

  #dueOf(look: number): Milliseconds {
    return Number(this.#due.at(look));
  }
}

function textOf(leaf: Json | undefined): string {
  return typeof leaf === "string" ? leaf : JSON.stringify(leaf ?? null);
}

function subjectsOf(chunk: Chunk, kind: ConditionKind): readonly Subject[] {
  const places = chunk
    .keys(`["seen","facts",${JSON.stringify(kind)},`)
    .map((key) => ({ key, place: JSON.parse(key) as readonly string[] }));
  const bySubject = Map.groupBy(places, ({ place }) => place[3] ?? "");
  return [...bySubject].map(([subject, all]) => ({
    kind,
    subject,
    facts: all.map(({ key, place }) => ({ name: place[4] ?? "", ...chunk.column(key) })),
  }));
}

/** The values of a fact in looks in a row, of numbers the least and the greatest; undefined where they are too many. */
function valuesOf({ at, differences }: Column, from: number, to: number): ReadonlySet<Json | undefined> | undefined {
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
