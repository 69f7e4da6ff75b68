import { zstdDecompressSync } from "node:zlib";

import { numbersOf, predict } from "./columns.ts";
import { type ColumnHeader, type Header, type NumbersHeader, readHeader } from "./header.ts";
import { IntegerReader } from "./integers.ts";
import { type Leaf, type Leaves, type Place, Shape } from "./leaves.ts";
import { formatDecimal, roundDecimal } from "../units/decimal.ts";
import { type Look, lookFromJson } from "./look.ts";

/** Most columns have fewer bytes: room for more would cost more than to decompress them. */
const COLUMN_BYTES = 4096;

/** What a place has in each look. */
export interface Column {
  /** Undefined where it has nothing. */
  readonly at: Leaves;
  /** The nearest number; NaN where there is none, or where one of the looks has something else. */
  readonly near: (look: number) => number;
  /** Whether a look has what the one before has. */
  readonly isLast: (look: number) => boolean;
  /** What a look has, exactly; left out where numbers have digits behind the point, and where it is none. */
  readonly integer?: (look: number) => bigint | undefined;
  /** What all looks have. */
  readonly is?: Leaf;
}

/** The integers of a column by look: a base and how much each is more, which is NaN where there is none. */
interface Integers {
  readonly base: bigint;
  readonly more: Float64Array;
  /** No sum in `more` was rounded. */
  readonly isExact: boolean;
  /** They are the numbers times ten to the power of it. */
  readonly scale: number;
  /** The digits behind the point by look; left out where all have as many. */
  readonly scales: ArrayLike<number> | undefined;
}

/** A column of numbers whose values are read next: those of the looks in `present`. */
interface EncodedNumbers extends Pick<Integers, "scale" | "scales"> {
  readonly reader: IntegerReader;
  readonly present: Int32Array;
  readonly by: Pick<NumbersHeader, "order" | "less" | "base" | "unit">;
}

/** A chunk, of which columns are decoded as they are asked for. Throws for bytes that are none. */
export class Chunk {
  readonly #header: Header;
  readonly #integers = new Map<number, Integers>();
  readonly #bodies = new Map<number, Uint8Array>();
  /** The number of each look. */
  #all: Int32Array | undefined;

  constructor(bytes: Uint8Array) {
    this.#header = readHeader(bytes);
  }

  /** The number of looks. */
  get size(): number {
    return this.#header.size;
  }

  /**
   * All looks, in their order, each made as it is asked for; of what was seen, the members of those names are not read.
   * Throws SyntaxError before the first one where one of them is no look.
   */
  looks(without: readonly string[] = []): Iterable<Look> {
    const left = without.map((name) => JSON.stringify(["seen", name]).slice(0, -1));
    const seen = this.#shape((key) => isSeen(key) && !left.some((one) => key.startsWith(one)));
    const head = this.#shape((key) => !isSeen(key));
    const heads = Array.from({ length: this.size }, (_, look) => lookFromJson(head.of(look)));
    return looksOf(heads, seen);
  }

  #shape(isRead: (key: string) => boolean): Shape {
    const shape = new Shape();
    for (const key of this.#header.columns.keys()) {
      if (isRead(key)) shape.add(JSON.parse(key) as Place, this.column(key).at);
    }
    return shape;
  }

  /** The keys of its places, in the order of its columns: mostly the very same map as of the chunk before. */
  get places(): ReadonlyMap<string, number> {
    return this.#header.columns;
  }

  /** What a place has in each look, of which single ones may be asked for. */
  column(key: string): Column {
    const index = this.#header.columns.get(key);
    if (index === undefined) return { at: () => undefined, near: () => Number.NaN, isLast: () => true };
    const { is, holds } = this.#header.column(index);
    if (is !== undefined)
      return { at: () => is, near: () => (holds === "any" ? Number.NaN : Number(is)), isLast: () => true, is };
    if (holds === "any") {
      const at = this.#anyOf(index);
      return { at, near: () => Number.NaN, isLast: (look) => at(look) === at(look - 1) };
    }
    const integers = this.#integersOf(index);
    const [{ more, isExact }, base, unit] = [integers, Number(integers.base), 10 ** integers.scale];
    const exact = this.#exact(index, integers);
    const at = leavesOf(integers, holds, exact);
    return {
      ...(integers.scale === 0 ? { integer: exact } : {}),
      at,
      near: (look) => (base + (more[look] ?? Number.NaN)) / unit,
      isLast: (look) =>
        isExact && integers.scales === undefined ? Object.is(more[look], more[look - 1]) : at(look) === at(look - 1),
    };
  }

  /**
   * What stands for all that a place has, of which no look is decoded: of numbers the least and the greatest, of anything
   * else each once; and undefined where a look has nothing. Left out where the chunk is too old to say it.
   */
  values(key: string): readonly (Leaf | undefined)[] | undefined {
    const index = this.#header.columns.get(key);
    if (index === undefined) return [undefined];
    const header = this.#header.column(index);
    const { is, holds, isWhole, numbers } = header;
    if (is !== undefined) return [is];
    const nothing = isWhole ? [] : [undefined];
    if (holds === "any") {
      const reader = this.#readerOf(index, header);
      if (!isWhole) for (let runs = reader.count(); runs > 0; runs -= 1) reader.count();
      return [...leavesIn(reader), ...nothing];
    }
    const { scale, least, most } = numbers ?? {};
    if (scale === undefined || least === undefined || most === undefined) return undefined;
    return [leafOf(holds, least, scale), leafOf(holds, most, scale), ...nothing];
  }

  /** The values of a column that are not all numbers. */
  #anyOf(index: number): Leaves {
    const header = this.#header.column(index);
    const reader = this.#readerOf(index, header);
    const present = this.#presence(header, reader);
    const leaves = leavesIn(reader);
    const of = new Int32Array(this.size).fill(-1);
    let [leaf, inRow] = [0, 0];
    for (const look of present) {
      if (inRow === 0) [leaf, inRow] = [reader.count(), header.isEach === true ? 1 : reader.count() + 1];
      of[look] = leaf;
      inRow -= 1;
    }
    return (look) => {
      const index = of[look] ?? -1;
      return index < 0 ? undefined : (leaves[index] ?? null);
    };
  }

  /** The integers of a column of numbers. What is far from zero is added last, so that few sums are rounded. */
  #integersOf(index: number): Integers {
    const known = this.#integers.get(index);
    if (known !== undefined) return known;
    const integers = this.#readIntegers(index);
    this.#integers.set(index, integers);
    return integers;
  }

  #readIntegers(index: number): Integers {
    const { reader, present, scale, scales, by } = this.#numbersOf(index);
    const { order, less } = by;
    const others = less === undefined ? undefined : this.#integersOf(less);
    const unit = Number(by.unit);
    // What is left of predictions by the value before is summed up once, of those by the last two twice.
    const own = reader.nearest(present.length);
    for (let sums = 0; sums < order; sums += 1) {
      let sum = 0;
      for (let at = 0; at < own.length; at += 1) own[at] = sum += own[at] ?? 0;
    }
    const more = new Float64Array(this.size);
    if (present.length < this.size) more.fill(Number.NaN);
    let [least, most] = [-unit, unit];
    for (let count = 0; count < present.length; count += 1) {
      const look = present[count] ?? 0;
      const less = (own[count] ?? 0) * unit;
      const value = others === undefined ? less : less + (others.more[look] ?? 0);
      more[look] = value;
      if (value > most || less > most) most = Math.max(value, less);
      if (value < least || less < least) least = Math.min(value, less);
    }
    // A step is at most twice as far as what it leads to, and what was left of a prediction four times.
    const isExact = Math.max(most, -least) * 8 <= Number.MAX_SAFE_INTEGER && others?.isExact !== false;
    return { base: by.base + (others?.base ?? 0n), more, isExact, scale, scales };
  }

  /** The exact integers, each as it is asked for where that is possible. */
  #exact(index: number, { base, more, isExact }: Integers): (look: number) => bigint | undefined {
    let all: readonly (bigint | undefined)[] | undefined;
    return (look) => {
      if (!isExact) return (all ??= this.#bigintsOf(index))[look];
      const one = more[look] ?? Number.NaN;
      return Number.isNaN(one) ? undefined : base + BigInt(one);
    };
  }

  #bigintsOf(index: number): readonly (bigint | undefined)[] {
    const values: (bigint | undefined)[] = Array.from({ length: this.size });
    const { reader, present, by } = this.#numbersOf(index);
    const { order, less, base, unit } = by;
    const others = less === undefined ? undefined : this.#bigintsOf(less);
    let [last, beforeLast] = [0n, 0n];
    for (const [count, look] of present.entries()) {
      const own = count === 0 ? 0n : reader.integer() * unit + predict(order, last, beforeLast, count);
      values[look] = base + own + (others?.[look] ?? 0n);
      if (count > 0) [beforeLast, last] = [last, own];
    }
    return values;
  }

  /** What a column of numbers says before the numbers themselves, which the reader reads next. */
  #numbersOf(index: number): EncodedNumbers {
    const header = this.#header.column(index);
    const { is, numbers } = header;
    if (is !== undefined) {
      // As if all were encoded: each differs from the first one by 0.
      const { values: [base = 0n] = [], scale = 0 } = numbersOf([is]) ?? {};
      const present = this.#presence(header, NOTHING);
      const reader = new IntegerReader(new Uint8Array(this.size));
      return { reader, present, scale, scales: undefined, by: { order: 0, less: undefined, base, unit: 1n } };
    }
    if (numbers === undefined) throw new RangeError("a column of numbers has no prediction");
    const reader = this.#readerOf(index, header);
    const present = this.#presence(header, reader);
    const scale = numbers.scale ?? reader.count();
    const scales = reader.count() === 0 ? undefined : new Uint32Array(this.size);
    if (scales !== undefined) for (const look of present) scales[look] = reader.count();
    return { reader, present, scale, scales, by: numbers };
  }

  /** What a column holds is decompressed once. */
  #readerOf(index: number, { isPlain, body }: ColumnHeader): IntegerReader {
    let bytes = isPlain ? body : this.#bodies.get(index);
    if (bytes === undefined) {
      this.#bodies.set(index, (bytes = zstdDecompressSync(body, { chunkSize: COLUMN_BYTES })));
    }
    return new IntegerReader(bytes);
  }

  /** The looks that have a value: runs of those that have one and of those that have none take turns. */
  #presence({ isWhole }: ColumnHeader, reader: IntegerReader): Int32Array {
    if (isWhole && this.#all !== undefined) return this.#all;
    const present = new Int32Array(this.size);
    const runs = isWhole ? [] : Array.from({ length: reader.count() }, () => reader.count());
    let [look, count] = [0, 0];
    for (let run = 0; run <= runs.length; run += 1) {
      const end = run === runs.length ? this.size : look + (runs[run] ?? 0);
      if (run % 2 === 1) look = end;
      for (; look < end; look += 1) {
        present[count] = look;
        count += 1;
      }
    }
    if (isWhole) this.#all = present;
    return present.subarray(0, count);
  }
}

const NOTHING = new IntegerReader(new Uint8Array());

function isSeen(key: string): boolean {
  return key.startsWith('["seen"');
}

function* looksOf(heads: readonly Look[], seen: Shape): Generator<Look> {
  for (const [look, head] of heads.entries()) yield { ...head, ...(seen.of(look) as Pick<Look, "seen"> | undefined) };
}

/** The numbers of a column as leaves: with as many digits behind the point as they had. */
function leavesOf(
  { base, more, isExact, scale, scales }: Integers,
  holds: "number" | "digits",
  exact: (look: number) => bigint | undefined,
): Leaves {
  const [first, unit] = [Number(base), 10 ** scale];
  // What lasts is written once: it is a text of many digits.
  let [last, leaf]: [bigint?, Leaf?] = [];
  const exactly: Leaves = (look) => {
    const units = exact(look);
    if (units === undefined) return undefined;
    if (leaf === undefined || units !== last || scales !== undefined)
      leaf = leafOf(holds, units, scale, scales?.[look]);
    last = units;
    return leaf;
  };
  // The quotient of two exact numbers is the number nearest to the text: as JSON reads it.
  if (!isExact || !Number.isSafeInteger(first) || scale > (holds === "number" ? MAX_EXACT_POWER : 0)) return exactly;
  return (look) => {
    const value = first + (more[look] ?? Number.NaN);
    if (!Number.isSafeInteger(value)) return exactly(look);
    return holds === "number" ? value / unit : String(value);
  };
}

/** A number of a column, which has `places` digits behind the point. */
function leafOf(holds: "number" | "digits", units: bigint, scale: number, places = scale): Leaf {
  if (scale === 0) return holds === "number" ? Number(units) : units.toString();
  if (holds === "number") return Number(`${units}e-${scale}`);
  return formatDecimal(roundDecimal({ units, scale }, places), { group: false, trim: false });
}

/** Greater powers of ten are rounded. */
const MAX_EXACT_POWER = 22;

function leavesIn(reader: IntegerReader): readonly Leaf[] {
  const bytes = new Uint8Array(reader.count());
  for (let index = 0; index < bytes.length; index += 1) bytes[index] = reader.count();
  const texts = JSON.parse(Buffer.from(bytes).toString()) as readonly string[];
  return texts.map((text) => JSON.parse(text) as Leaf);
}
