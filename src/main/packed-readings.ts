import type { Row, Subject } from "../alerts/judge/follow.ts";
import type { ConditionKind } from "../alerts/judge/kinds/kinds.ts";
import type { Reading } from "../alerts/judge/kinds/reading.ts";
import type { Chunk, Column } from "../looks/chunk.ts";
import type { Leaves } from "../looks/leaves.ts";
import { type Json, lookFromJson } from "../looks/look.ts";
import { type Milliseconds, type Nanoseconds, nanoseconds, toMillis } from "../units/time.ts";
import { type Changes, readingOf } from "../watchers/kept.ts";
import { GAP_INTERVALS, type Moment } from "../watchers/look-history.ts";

/** A fact that is kept of a subject, and its place. */
type Fact = Readonly<Record<"key" | "subject" | "name", string>>;

/** They count for what is bad: what is good is judged by the other facts. */
const TIMES: readonly string[] = ["since", "badForMillis"];
const NO_TIMES = { since: undefined, badForMillis: undefined };
/** More corners are not named. */
const MAX_CORNERS = 64;
/** More values of a fact are not told apart. */
const FEW = 4;

const DUE = '["dueMillis"]';

/** What says whether a look goes on from the one before. */
type Head = Readonly<Record<"run" | "every" | "failure", Column>>;
type Going = Pick<Moment, "dueMillis" | "every"> & { readonly run: unknown };

/** Looks of a chunk in a row. */
export type PackedRow = Row & { readonly packed: PackedReadings };

/** The readings of some kinds in a chunk of looks. What is judged is decoded once a look is asked for. */
export class PackedReadings {
  /** The number of looks. */
  readonly size: number;
  readonly network: string;
  readonly subjects: readonly Subject[];
  readonly #chunk: Chunk;
  readonly #head: Head;
  /** The looks that do not go on from the one before. */
  readonly #breaks: readonly number[];
  readonly at = kept((look): Nanoseconds => {
    const at = this.#at(0).integer?.(look);
    return at === undefined ? this.momentOf(look).at : nanoseconds(at);
  });
  readonly atMillis: (look: number) => Milliseconds;
  readonly #dueMillis: (look: number) => Milliseconds;
  readonly #due = kept(() => orDamaged(() => this.#chunk.column(DUE)));
  /** When the first and the last look were due, where no look is missing. */
  readonly #ends: readonly Milliseconds[] | undefined;
  readonly #at = kept(() => orDamaged(() => this.#chunk.column('["at"]')));

  /** `isShared`: they are read more than once. Throws for a chunk that is damaged. */
  constructor(chunk: Chunk, network: string, kinds: readonly ConditionKind[], isShared: boolean) {
    [this.#chunk, this.network, this.size] = [chunk, network, chunk.size];
    this.atMillis = keptNumbers(chunk.size, (look) => toMillis(this.at(look)));
    this.#dueMillis = keptNumbers(chunk.size, (look) => Number(this.#dueOf(look)));
    const columnOf = (name: keyof Head): Column => chunk.column(JSON.stringify([name]));
    this.#head = { run: columnOf("run"), every: columnOf("every"), failure: columnOf("failure") };
    this.#ends = endsOf(chunk, this.#head);
    this.#breaks = this.#ends === undefined ? breaksIn(this.#head, this.#due(0), chunk.size) : [];
    this.subjects = kinds.flatMap((kind) => subjectsOf(chunk, network, kind, isShared));
  }

  /** What a look was, beside what was seen. Throws SyntaxError where it is no look. */
  momentOf(look: number): Moment {
    const { run, every, failure } = this.#head;
    const at = this.#at(0).at(look);
    const moment = { at, run: run.at(look), dueMillis: this.#dueOf(look), every: every.at(look) };
    const why = failure.at(look);
    return lookFromJson(why === undefined ? moment : { ...moment, failure: why });
  }

  readingsOf(look: number): readonly Reading[] {
    return this.subjects.flatMap((of) => of.readingOf(look) ?? []);
  }

  /** Looks in a row, that go on from one of the same watcher. */
  row(watcher: string, from: number, to: number): PackedRow {
    const { network, subjects, at, atMillis } = this;
    const every = this.#head.every.near(from);
    const row = { network, subjects, at, atMillis, dueMillis: this.#dueMillis, from, to };
    return { ...row, packed: this, watcher: { name: watcher, every } };
  }

  /** The first look behind one that does not go on from it: it failed, or there is a gap or a restart between. */
  breakAfter(look: number): number {
    return this.#breaks.find((one) => one > look) ?? this.size;
  }

  /** By what the next look goes on. */
  going(look: number): Going {
    const { run, every } = this.#head;
    return { run: run.at(look), dueMillis: Number(this.#dueOf(look)), every: every.near(look) };
  }

  /** Whether another chunk shows something of each subject. */
  isShownBy({ subjects }: PackedReadings): boolean {
    return this.subjects.every((own) =>
      subjects.some(({ kind, subject }) => kind === own.kind && subject === own.subject),
    );
  }

  /** Whether a look goes on from another one. */
  goesOn(look: number, { run, dueMillis, every }: Going): boolean {
    const head = this.#head;
    const isOne = run === head.run.at(look) && every === head.every.near(look) && head.failure.at(look) === undefined;
    return isOne && !isGap(Number(this.#dueOf(look)) - dueMillis, every);
  }

  #dueOf(look: number): unknown {
    const known = look === 0 ? this.#ends?.[0] : look === this.size - 1 ? this.#ends?.[1] : undefined;
    return known ?? this.#due(0).at(look);
  }
}

function orDamaged<T>(decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    throw new SyntaxError("a chunk of looks is damaged", { cause });
  }
}

/** The nearest numbers may be a little nearer to each other. */
function isGap(between: Milliseconds, every: Milliseconds): boolean {
  return between > GAP_INTERVALS * every - 1;
}

/**
 * Looks of a run are due on a grid, each in a place of its own and no earlier (watchers/schedule.ts): where so many just fill
 * it, none is missing. A first look that is late by whole intervals hides the places that it took, and one more at most.
 */
function endsOf(chunk: Chunk, { run, every }: Head): readonly Milliseconds[] | undefined {
  const ends = chunk.values(DUE)?.map(Number);
  const [first = Number.NaN, last = Number.NaN] = ends ?? [];
  const spare = last - first - (chunk.size - 1) * Number(every.is);
  const isOne = run.is !== undefined && ends?.length === 2 && !chunk.places.has('["failure"]');
  return isOne && Math.abs(spare) < 1 ? ends : undefined;
}

function breaksIn({ run, every, failure }: Head, dueMillis: Column, size: number): readonly number[] {
  const breaks: number[] = [];
  let before = dueMillis.near(0);
  for (let look = 1; look < size; look += 1) {
    const due = dueMillis.near(look);
    const isOne = run.isLast(look) && every.isLast(look) && failure.at(look) === undefined;
    if (!isOne || isGap(due - before, every.near(look))) breaks.push(look);
    before = due;
  }
  return breaks;
}

type Facts = ReadonlyMap<string, readonly Fact[]>;
const factsIn = new WeakMap<Chunk["places"], Map<ConditionKind, Facts>>();

/** By subject. Of chunks with the same places they are read once. */
function factsOf({ places }: Chunk, kind: ConditionKind): Facts {
  const known = factsIn.get(places) ?? new Map<ConditionKind, Facts>();
  factsIn.set(places, known);
  let facts = known.get(kind);
  if (facts === undefined) {
    const keys = [...places.keys()].filter((key) => key.startsWith(`["seen","facts",${JSON.stringify(kind)},`));
    const all = keys.map((key): Fact => {
      const [, , , subject = "", name = ""] = JSON.parse(key) as readonly string[];
      return { key, subject, name };
    });
    known.set(kind, (facts = Map.groupBy(all, ({ subject }) => subject)));
  }
  return facts;
}

function subjectsOf(chunk: Chunk, network: string, kind: ConditionKind, isShared: boolean): readonly Subject[] {
  return [...factsOf(chunk, kind)].map(([subject, own]) => {
    const of = { kind, network, subject };
    // Each is made once.
    const read = kept(() => {
      const readingOf = orDamaged(() => readingsIn(chunk, own, of));
      return isShared ? kept(readingOf) : readingOf;
    });
    const states = kept(() => orDamaged(() => chunk.column(own.find(({ name }) => name === "state")?.key ?? "").at));
    const corners = kept(() => ({
      all: cornersOf(chunk, own)?.map((one) => readingOf(of, { ...NO_TIMES, state: one["state"] }, one)),
    }));
    return {
      kind,
      subject,
      readingOf: (look) => read(0)(look),
      stateOf: (look) => states(0)(look) as Reading["state"] | undefined,
      get corners() {
        return corners(0).all;
      },
    };
  });
}

/** What is made once for each look. */
function kept<T>(make: (look: number) => T): (look: number) => T {
  const made: T[] = [];
  return (look) => (made[look] ??= make(look));
}

/** The same of numbers, which are asked for most often. */
function keptNumbers(size: number, make: (look: number) => number): (look: number) => number {
  let made: Float64Array | undefined;
  return (look) => {
    made ??= new Float64Array(size).fill(Number.NaN);
    const known = made[look] ?? Number.NaN;
    return Number.isNaN(known) ? (made[look] = make(look)) : known;
  };
}

/** The very same reading of looks that show the same, where they are asked for one after the other. */
function readingsIn(chunk: Chunk, all: readonly Fact[], of: Pick<Reading, "kind" | "network" | "subject">) {
  const columns = new Map(all.map(({ name, key }) => [name, chunk.column(key)]));
  const changing = [...columns.values()].filter(({ is }) => is === undefined);
  const leavesOf = (name: string): Leaves => columns.get(name)?.at ?? (() => undefined);
  const [stateOf, sinceOf, badForOf] = [leavesOf("state"), leavesOf("since"), leavesOf("badForMillis")];
  const facts = [...columns].filter(([name]) => name !== "state" && !TIMES.includes(name));
  const make = (look: number): Reading | undefined => {
    const state = stateOf(look);
    if (state === undefined) return undefined;
    const kept: Record<string, Json> = {};
    for (const [name, { at }] of facts) {
      const leaf = at(look);
      if (leaf !== undefined) kept[name] = leaf;
    }
    return readingOf(of, { state, badForMillis: badForOf(look), since: sinceOf(look) }, kept);
  };
  let [last, reading]: [number?, Reading?] = [];
  return (look: number): Reading | undefined => {
    if (look === last) return reading;
    if (last === undefined || look !== last + 1 || !changing.every((column) => column.isLast(look))) {
      reading = make(look);
    }
    last = look;
    return reading;
  };
}

/**
 * Each value of a fact with each of the others, of numbers the least and the greatest; undefined where they are too many, or
 * not said, or where a look has no reading.
 */
function cornersOf(chunk: Chunk, facts: readonly Fact[]): readonly Changes[] | undefined {
  let all: readonly Changes[] = [{}];
  for (const { name, key } of facts) {
    if (TIMES.includes(name)) continue;
    const values = chunk.values(key);
    if (values === undefined || values.length > FEW || (name === "state" && values.includes(undefined)))
      return undefined;
    all = [...new Set(values)].flatMap((value) =>
      value === undefined ? all : all.map((one) => ({ ...one, [name]: value })),
    );
  }
  return all.length > MAX_CORNERS ? undefined : all;
}
