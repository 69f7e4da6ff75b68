import type { ConditionKind } from "../alerts/judge/kinds/kinds.ts";
import type { Reading } from "../alerts/judge/kinds/reading.ts";
import type { Chunk, Column } from "../looks/chunk.ts";
import { type Json, lookFromJson } from "../looks/look.ts";
import type { Milliseconds } from "../units/duration.ts";
import { nanoseconds } from "../units/nanoseconds.ts";
import { keptReading } from "../watchers/kept.ts";
import { GAP_INTERVALS, type Moment } from "../watchers/look-history.ts";

/** They count for what is bad: what is good is judged by the other facts. */
const TIMES: readonly string[] = ["since", "badForMillis"];
/** More corners are not named. */
const MAX_CORNERS = 64;
/** More values of a fact are not told apart. */
const FEW = 4;

/** What is kept of one subject, by the places of its facts. */
interface Subject {
  readonly kind: ConditionKind;
  readonly subject: string;
  readonly facts: readonly { readonly name: string; readonly key: string }[];
}

/** What says whether a look goes on from the one before. */
type Head = Readonly<Record<"run" | "dueMillis" | "every" | "failure", Column>>;
type Going = Pick<Moment, "run" | "dueMillis" | "every">;

/** What is judged. */
interface Decoded {
  readonly at: Column;
  readonly subjects: readonly (Omit<Subject, "facts"> & { readonly facts: ReadonlyMap<string, Column> })[];
  /** For each look the first one of those in a row that show the same. */
  readonly alike: Int32Array;
}

/** The readings of some kinds in a chunk of looks. What is judged is decoded once a look is asked for. */
export class PackedReadings {
  /** The number of looks. */
  readonly size: number;
  readonly #chunk: Chunk;
  readonly #network: string;
  readonly #head: Head;
  readonly #subjects: readonly Subject[];
  /** The looks that do not go on from the one before. */
  readonly #breaks: readonly number[];
  readonly #readings: (readonly Reading[])[] = [];
  /**
   * Readings that stand for those of all looks: each value of a fact with each of the others, of numbers the least and the
   * greatest; undefined where they are too many, or where a look has no reading of a subject.
   */
  readonly corners: readonly Reading[] | undefined;
  #decoded: Decoded | undefined;

  /** Throws for a chunk that is damaged. */
  constructor(chunk: Chunk, network: string, kinds: readonly ConditionKind[]) {
    [this.#chunk, this.#network, this.size] = [chunk, network, chunk.size];
    const columnOf = (name: keyof Head): Column => chunk.column(JSON.stringify([name]));
    const [run, dueMillis] = [columnOf("run"), columnOf("dueMillis")];
    this.#head = { run, dueMillis, every: columnOf("every"), failure: columnOf("failure") };
    this.#subjects = kinds.flatMap((kind) => subjectsOf(chunk, kind));
    this.#breaks = breaksIn(this.#head, chunk.size);
    this.corners = cornersOf(chunk, network, this.#subjects);
  }

  /** When a look was, in Unix milliseconds. */
  atOf(look: number): Milliseconds {
    return Math.floor(this.#decode().at.near(look) / 1e6);
  }

  /** What a look was, beside what was seen. Throws SyntaxError where it is no look. */
  momentOf(look: number): Moment {
    const { run, dueMillis, every, failure } = this.#head;
    const at = this.#decode().at.at(look);
    const moment = { at, run: run.at(look), dueMillis: dueMillis.at(look), every: every.at(look) };
    const why = failure.at(look);
    return lookFromJson(why === undefined ? moment : { ...moment, failure: why });
  }

  /** The same for a look that goes on from another. */
  nextMomentOf(look: number, { run, every }: Moment): Moment {
    const at = this.#decode().at.integer?.(look);
    const dueMillis = this.#head.dueMillis.at(look);
    if (at === undefined || typeof dueMillis !== "number") return this.momentOf(look);
    return { at: nanoseconds(at), run, dueMillis, every };
  }

  /** The very same ones of looks in a row that show the same. */
  readingsOf(look: number): readonly Reading[] {
    const { alike, subjects } = this.#decode();
    const first = alike[look] ?? look;
    return (this.#readings[first] ??= subjects.flatMap(({ kind, subject, facts }) => {
      const kept: Record<string, Json> = {};
      for (const [name, column] of facts) {
        const leaf = column.at(first);
        if (leaf !== undefined) kept[name] = leaf;
      }
      return kept["state"] === undefined ? [] : [keptReading(kind, this.#network, subject, kept)];
    }));
  }

  /** The last look in a row, before another one, that shows the same as a look. */
  lastLike(look: number, to: number): number {
    const { alike } = this.#decode();
    let last = look;
    while (last + 1 < to && alike[last + 1] === alike[look]) last += 1;
    return last;
  }

  /** The first look behind one that does not go on from it: it failed, or there is a gap or a restart between. */
  breakAfter(look: number): number {
    return this.#breaks.find((one) => one > look) ?? this.size;
  }

  /** By what the next chunk goes on. */
  get end(): Going {
    return goingAt(this.#head, this.size - 1);
  }

  /** Whether each look goes on from the one before, and the first from those before the chunk. */
  goesOn(before: Going): boolean {
    return (
      this.#breaks.length === 0 && this.#head.failure.at(0) === undefined && isNext(before, goingAt(this.#head, 0))
    );
  }

  #decode(): Decoded {
    try {
      return (this.#decoded ??= decoded(this.#chunk, this.#subjects));
    } catch (cause) {
      throw new SyntaxError("a chunk of looks is damaged", { cause });
    }
  }
}

function decoded(chunk: Chunk, all: readonly Subject[]): Decoded {
  const alike = new Int32Array(chunk.size);
  const subjects = all.map(({ facts, ...subject }) => {
    const columns = new Map(facts.map(({ name, key }) => [name, chunk.column(key)]));
    for (const { is, isLast } of columns.values()) {
      if (is !== undefined) continue;
      for (let look = 1; look < chunk.size; look += 1) if (!isLast(look)) alike[look] = look;
    }
    return { ...subject, facts: columns };
  });
  for (let look = 1; look < chunk.size; look += 1) if (alike[look] === 0) alike[look] = alike[look - 1] ?? 0;
  return { at: chunk.column('["at"]'), subjects, alike };
}

function goingAt({ run, dueMillis, every }: Head, look: number): Going {
  return { run: textOf(run.at(look)), dueMillis: dueMillis.near(look), every: every.near(look) };
}

function textOf(leaf: Json | undefined): string {
  return typeof leaf === "string" ? leaf : "";
}

function isNext(before: Going, { run, dueMillis, every }: Going): boolean {
  return !isGap(dueMillis - before.dueMillis, every) && run === before.run && every === before.every;
}

/** The nearest numbers may be a little nearer to each other. */
function isGap(between: Milliseconds, every: Milliseconds): boolean {
  return between > GAP_INTERVALS * every - 1;
}

function breaksIn({ run, dueMillis, every, failure }: Head, size: number): readonly number[] {
  const breaks: number[] = [];
  const isOneRun = run.is !== undefined && every.is !== undefined;
  let [before, interval] = [dueMillis.near(0), every.near(0)];
  for (let look = 1; look < size; look += 1) {
    const due = dueMillis.near(look);
    const goesOn = isOneRun || (run.isLast(look) && every.isLast(look));
    if (!goesOn) interval = every.near(look);
    if (!goesOn || failure.at(look) !== undefined || isGap(due - before, interval)) breaks.push(look);
    before = due;
  }
  return breaks;
}

function subjectsOf(chunk: Chunk, kind: ConditionKind): readonly Subject[] {
  const places = chunk
    .keys(`["seen","facts",${JSON.stringify(kind)},`)
    .map((key) => ({ key, place: JSON.parse(key) as readonly string[] }));
  const bySubject = Map.groupBy(places, ({ place }) => place[3] ?? "");
  return [...bySubject].map(([subject, all]) => {
    const facts = all.map(({ key, place }) => ({ name: place[4] ?? "", key }));
    return { kind, subject, facts };
  });
}

function cornersOf(chunk: Chunk, network: string, subjects: readonly Subject[]): readonly Reading[] | undefined {
  const corners: Reading[] = [];
  for (const { kind, subject, facts } of subjects) {
    let all: readonly Readonly<Record<string, Json>>[] = [{}];
    for (const { name, key } of facts) {
      if (TIMES.includes(name)) continue;
      const values = valuesOf(chunk, key);
      if (values === undefined || (name === "state" && values.has(undefined))) return undefined;
      all = [...values].flatMap((value) => (value === undefined ? all : all.map((one) => ({ ...one, [name]: value }))));
    }
    if (all.length > MAX_CORNERS) return undefined;
    for (const kept of all) corners.push(keptReading(kind, network, subject, kept));
  }
  return corners;
}

/** The values of a fact, of numbers the least and the greatest; undefined where they are too many, or not said. */
function valuesOf(chunk: Chunk, key: string): ReadonlySet<Json | undefined> | undefined {
  const values = chunk.values(key);
  return values === undefined || values.length > FEW ? undefined : new Set(values);
}
