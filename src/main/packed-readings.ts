import type { Row, Subject } from "../alerts/judge/follow.ts";
import type { ConditionKind } from "../alerts/judge/kinds/kinds.ts";
import type { Reading } from "../alerts/judge/kinds/reading.ts";
import type { Chunk, Column } from "../looks/chunk.ts";
import type { Leaves } from "../looks/leaves.ts";
import { type Json, lookFromJson } from "../looks/look.ts";
import type { Milliseconds } from "../units/duration.ts";
import { type Nanoseconds, nanoseconds, toMillis } from "../units/nanoseconds.ts";
import { type Changes, keptReading, readingOf } from "../watchers/kept.ts";
import { GAP_INTERVALS, type Moment } from "../watchers/look-history.ts";

/** A fact that is kept of a subject, and its place. */
interface Fact {
  readonly key: string;
  readonly subject: string;
  readonly name: string;
}

/** They count for what is bad: what is good is judged by the other facts. */
const TIMES: readonly string[] = ["since", "badForMillis"];
/** More corners are not named. */
const MAX_CORNERS = 64;
/** More values of a fact are not told apart. */
const FEW = 4;

/** What says whether a look goes on from the one before. */
type Head = Readonly<Record<"run" | "dueMillis" | "every" | "failure", Column>>;
type Going = Pick<Moment, "run" | "dueMillis" | "every">;

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
  readonly #times: Nanoseconds[] = [];
  readonly #millis: Milliseconds[] = [];
  readonly #dues: Milliseconds[] = [];
  #at: Column | undefined;

  /** Throws for a chunk that is damaged. */
  constructor(chunk: Chunk, network: string, kinds: readonly ConditionKind[]) {
    [this.#chunk, this.network, this.size] = [chunk, network, chunk.size];
    const columnOf = (name: keyof Head): Column => chunk.column(JSON.stringify([name]));
    const [run, dueMillis] = [columnOf("run"), columnOf("dueMillis")];
    this.#head = { run, dueMillis, every: columnOf("every"), failure: columnOf("failure") };
    this.#breaks = breaksIn(this.#head, chunk.size);
    this.subjects = kinds.flatMap((kind) => subjectsOf(chunk, network, kind));
  }

  /** When a look was, in Unix milliseconds. */
  atOf(look: number): Milliseconds {
    return Math.floor((this.#at ??= this.#decodeAt()).near(look) / 1e6);
  }

  /** What a look was, beside what was seen. Throws SyntaxError where it is no look. */
  momentOf(look: number): Moment {
    const { run, dueMillis, every, failure } = this.#head;
    const at = (this.#at ??= this.#decodeAt()).at(look);
    const moment = { at, run: run.at(look), dueMillis: dueMillis.at(look), every: every.at(look) };
    const why = failure.at(look);
    return lookFromJson(why === undefined ? moment : { ...moment, failure: why });
  }

  readingsOf(look: number): readonly Reading[] {
    return this.subjects.flatMap((of) => of.readingOf(look) ?? []);
  }

  /** Looks in a row, that go on from one of the same watcher. */
  row(watcher: string, from: number, to: number): Row {
    const { network, subjects } = this;
    const { every, dueMillis } = this.#head;
    return {
      network,
      subjects,
      watcher: { name: watcher, every: every.near(from) },
      from,
      to,
      at: (look) => (this.#times[look] ??= this.#timeOf(look)),
      atMillis: (look) => (this.#millis[look] ??= toMillis((this.#times[look] ??= this.#timeOf(look)))),
      dueMillis: (look) => (this.#dues[look] ??= Number(dueMillis.at(look))),
    };
  }

  /** The first look behind one that does not go on from it: it failed, or there is a gap or a restart between. */
  breakAfter(look: number): number {
    return this.#breaks.find((one) => one > look) ?? this.size;
  }

  /** By what the next look goes on. */
  going(look: number): Going {
    const { run, dueMillis, every } = this.#head;
    return { run: String(run.at(look)), dueMillis: dueMillis.near(look), every: every.near(look) };
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
    return isOne && !isGap(head.dueMillis.near(look) - dueMillis, every);
  }

  #timeOf(look: number): Nanoseconds {
    const at = (this.#at ??= this.#decodeAt()).integer?.(look);
    return at === undefined ? this.momentOf(look).at : nanoseconds(at);
  }

  #decodeAt(): Column {
    return orDamaged(() => this.#chunk.column('["at"]'));
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

function subjectsOf(chunk: Chunk, network: string, kind: ConditionKind): readonly Subject[] {
  const facts = chunk.keys(`["seen","facts",${JSON.stringify(kind)},`).map((key): Fact => {
    const [, , , subject = "", name = ""] = JSON.parse(key) as readonly string[];
    return { key, subject, name };
  });
  return [...Map.groupBy(facts, (fact) => fact.subject)].map(([subject, own]) => {
    const read = once(() => orDamaged(() => readingsIn(chunk, own, { kind, network, subject })));
    const corners = once(() => ({
      all: cornersOf(chunk, own)?.map((kept) => keptReading(kind, network, subject, kept)),
    }));
    return {
      kind,
      subject,
      get corners() {
        return corners().all;
      },
      readingOf: (look) => read()(look),
    };
  });
}

function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
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
  /** Null where there is none. */
  const known: (Reading | null | undefined)[] = [];
  return (look: number): Reading | undefined => {
    let reading = known[look];
    if (reading === undefined) {
      const last = known[look - 1];
      const isLast = last !== undefined && changing.every((column) => column.isLast(look));
      known[look] = reading = isLast ? last : (make(look) ?? null);
    }
    return reading ?? undefined;
  };
}

/** Each value of a fact with each of the others; undefined where they are too many, or where a look has no reading. */
function cornersOf(chunk: Chunk, facts: readonly Fact[]): readonly Changes[] | undefined {
  let all: readonly Changes[] = [{}];
  for (const { name, key } of facts) {
    if (TIMES.includes(name)) continue;
    const values = valuesOf(chunk, key);
    if (values === undefined || (name === "state" && values.has(undefined))) return undefined;
    all = [...values].flatMap((value) => (value === undefined ? all : all.map((one) => ({ ...one, [name]: value }))));
  }
  return all.length > MAX_CORNERS ? undefined : all;
}

/** The values of a fact, of numbers the least and the greatest; undefined where they are too many, or not said. */
function valuesOf(chunk: Chunk, key: string): ReadonlySet<Json | undefined> | undefined {
  const values = chunk.values(key);
  return values === undefined || values.length > FEW ? undefined : new Set(values);
}
