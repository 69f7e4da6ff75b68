import { zstdDecompressSync } from "node:zlib";

import { type ColumnHeader, predict, type Header, HEADER_AT, numbersOf, type Prediction, VERSION } from "./columns.ts";
import { IntegerReader } from "./integers.ts";
import { type Leaf, type Leaves, type Place, Shape } from "./leaves.ts";
import { formatDecimal, roundDecimal } from "../units/decimal.ts";
import { type Look, lookFromJson } from "./look.ts";

/** Most columns have fewer bytes: room for more would cost more than to decompress them. */
const COLUMN_BYTES = 4096;

/** What a place has in each look; undefined where it has nothing. */
export interface Column {
  readonly at: Leaves;
  /** Of numbers, the nearest ones, all times the same power of ten: NaN where there is none. */
  readonly numbers: Float64Array | undefined;
}

function at(leaves: readonly (Leaf | undefined)[]): Leaves {
  return (look) => leaves[look];
}

/** The integers of a column by look as the nearest numbers, which are times ten to the power of `scale`. */
interface NearestIntegers {
  readonly values: Float64Array;
  readonly scale: number;
  /** None was rounded. */
  readonly isExact: boolean;
}

/** A chunk, of which columns are decoded as they are asked for. Throws for bytes that are none. */
export class Chunk {
  readonly #bytes: Uint8Array;
  readonly #header: Header;
  readonly #offsets: readonly number[];
  readonly #numeric = new Map<number, readonly (bigint | undefined)[]>();
  readonly #near = new Map<number, NearestIntegers>();

  constructor(bytes: Uint8Array) {
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (view[0] !== VERSION) throw new RangeError(`a chunk of looks has the unknown version ${view[0] ?? "none"}`);
    const headerEnd = HEADER_AT + view.readUInt32BE(1);
    this.#bytes = bytes;
    this.#header = JSON.parse(zstdDecompressSync(view.subarray(HEADER_AT, headerEnd)).toString()) as Header;
    let at = headerEnd;
    this.#offsets = this.#header.columns.map((column) => (at += column.bytes) - column.bytes);
  }

  /** The number of looks. */
  get size(): number {
    return this.#header.looks;
  }

  /** All looks, in their order; of what was seen, the members of those names are not read. */
  looks(without: readonly string[] = []): readonly Look[] {
    const shape = new Shape();
    for (const { key } of this.#header.columns) {
      const place = JSON.parse(key) as Place;
      if (place[0] !== "seen" || !without.some((name) => name === place[1])) shape.add(place, this.column(key).at);
    }
    return Array.from({ length: this.size }, (_, look) => lookFromJson(shape.of(look)));
  }

  /** The keys of the places below one, whose key has no end yet: `["seen","facts",`. */
  keys(beginning: string): readonly string[] {
    return this.#header.columns.map(({ key }) => key).filter((key) => key.startsWith(beginning));
  }

  /** What a place has in each look, of which single ones may be asked for. */
  column(key: string): Column {
    const index = this.#header.columns.findIndex((one) => one.key === key);
    const column = this.#header.columns[index];
    if (column === undefined) return { numbers: undefined, at: () => undefined };
    if (column.holds === "any") return { numbers: undefined, at: at(this.#leaves(index)) };
    const { values, scale, isExact } = this.#nearest(index);
    const isNumber = column.holds === "number";
    if (!isExact || (scale > 0 && !isNumber)) return { numbers: values, at: at(this.#leaves(index)) };
    return {
      numbers: values,
      at: (look) => {
        // The quotient of two exact numbers is the number nearest to the text: as JSON reads it.
        const value = (values[look] ?? Number.NaN) / 10 ** scale;
        return Number.isNaN(value) ? undefined : isNumber ? value : String(value);
      },
    };
  }

  /** The integers at a place by look; undefined where there is none. */
  integers(key: string): readonly (bigint | undefined)[] {
    const index = this.#header.columns.findIndex((one) => one.key === key);
    return index === -1 ? [] : this.#values(index);
  }

  /** The same as the nearest numbers; NaN where there is none, or where it is no number. */
  numbers(key: string): Float64Array {
    const index = this.#header.columns.findIndex((one) => one.key === key);
    const column = this.#header.columns[index];
    if (column === undefined || column.holds === "any") return new Float64Array(this.size).fill(Number.NaN);
    const { values, scale } = this.#nearest(index);
    return scale === 0 ? values : values.map((value) => value / 10 ** scale);
  }

  /** The values of a column by look. */
  #leaves(index: number): readonly (Leaf | undefined)[] {
    const { holds, is } = this.#column(index);
    const leaves: (Leaf | undefined)[] = Array.from({ length: this.size });
    if (is !== undefined) return leaves.fill(is);
    const reader = this.#reader(index);
    const present = this.#presence(reader);
    if (holds === "any") {
      const texts = readTexts(reader).map((text) => JSON.parse(text) as Leaf);
      for (const look of present) leaves[look] = texts[reader.count()] ?? null;
      return leaves;
    }
    const { scale, scales } = readScales(reader, present.length);
    const values = this.#values(index);
    for (const [at, look] of present.entries()) {
      const units = values[look] ?? 0n;
      // With as many digits behind the point as it had.
      const exact = roundDecimal({ units, scale }, scales?.[at] ?? scale);
      const text = scale === 0 ? units.toString() : formatDecimal(exact, { group: false, trim: false });
      leaves[look] = holds === "number" ? Number(text) : text;
    }
    return leaves;
  }

  /** The integers of a column of numbers by look. */
  #values(index: number): readonly (bigint | undefined)[] {
    const known = this.#numeric.get(index);
    if (known !== undefined) return known;
    const values: (bigint | undefined)[] = Array.from({ length: this.size });
    this.#numeric.set(index, values);
    const { is, by } = this.#column(index);
    if (is !== undefined) return values.fill(numbersOf([is])?.values[0]);
    const reader = this.#reader(index);
    const present = this.#presence(reader);
    readScales(reader, present.length);
    const { order, less, base, unit } = readPrediction(by);
    const others = less === undefined ? undefined : this.#values(less);
    let [last, beforeLast] = [0n, 0n];
    for (const [count, look] of present.entries()) {
      const own = count === 0 ? 0n : reader.integer() * unit + predict(order, last, beforeLast, count);
      values[look] = base + own + (others?.[look] ?? 0n);
      if (count > 0) [beforeLast, last] = [last, own];
    }
    return values;
  }

  /** The same as the nearest numbers. What is far from zero is added last, so that no rounding adds up. */
  #nearest(index: number): NearestIntegers {
    const known = this.#near.get(index);
    if (known !== undefined) return known;
    const near = this.#readNearest(index);
    this.#near.set(index, near);
    return near;
  }

  #readNearest(index: number): NearestIntegers {
    const values = new Float64Array(this.size).fill(Number.NaN);
    const { is, by } = this.#column(index);
    if (is !== undefined) {
      const numbers = numbersOf([is]);
      const value = Number(numbers?.values[0]);
      return { values: values.fill(value), scale: numbers?.scale ?? 0, isExact: Number.isSafeInteger(value) };
    }
    const reader = this.#reader(index);
    const present = this.#presence(reader);
    const { scale } = readScales(reader, present.length);
    const { order, less, base, unit } = readPrediction(by);
    const others = less === undefined ? undefined : this.#nearest(less);
    const [first, size] = [Number(base), Number(unit)];
    let [last, step, count, furthest] = [0, 0, 0, 0];
    for (const look of present) {
      const left = count === 0 ? 0 : reader.nearest() * size;
      step = order === 2 && count > 1 ? step + left : left;
      last = order === 0 ? left : last + step;
      const value = first + last + (others?.values[look] ?? 0);
      values[look] = value;
      furthest = Math.max(furthest, Math.abs(left), Math.abs(step), Math.abs(last), Math.abs(value));
      count += 1;
    }
    // A sum of two is at most twice as far.
    const isExact = Math.max(furthest, Math.abs(first)) * 2 <= Number.MAX_SAFE_INTEGER && others?.isExact !== false;
    return { values, scale, isExact };
  }

  #column(index: number): ColumnHeader {
    const column = this.#header.columns[index];
    if (column === undefined) throw new RangeError(`a chunk of looks has no column ${index}`);
    return column;
  }

  #reader(index: number): IntegerReader {
    const { bytes, plain } = this.#column(index);
    const from = this.#offsets[index] ?? 0;
    const part = this.#bytes.subarray(from, from + bytes);
    return new IntegerReader(plain === true ? part : zstdDecompressSync(part, { chunkSize: COLUMN_BYTES }));
  }

  /** The looks that have a value. */
  #presence(reader: IntegerReader): readonly number[] {
    const runs = Array.from({ length: reader.count() }, () => reader.count());
    if (runs.length === 0) return allOf(this.size);
    const present: number[] = [];
    let look = 0;
    for (let run = 0; run <= runs.length; run += 1) {
      const end = run === runs.length ? this.size : look + (runs[run] ?? 0);
      if (run % 2 === 1) look = end;
      while (look < end) {
        present.push(look);
        look += 1;
      }
    }
    return present;
  }
}

/** Most hours have as many looks as the one before. */
let lastAll: readonly number[] = [];

/** The looks, where all have a value. */
function allOf(size: number): readonly number[] {
  if (lastAll.length !== size) lastAll = Array.from({ length: size }, (_, look) => look);
  return lastAll;
}

function readPrediction(by: Prediction | undefined) {
  if (by === undefined) throw new RangeError("a column of numbers has no prediction");
  return { ...by, base: BigInt(by.base), unit: BigInt(by.unit) };
}

function readTexts(reader: IntegerReader): readonly string[] {
  const bytes = Uint8Array.from({ length: reader.count() }, () => reader.count());
  return JSON.parse(Buffer.from(bytes).toString()) as readonly string[];
}

function readScales(reader: IntegerReader, count: number) {
  const scale = reader.count();
  const scales = reader.count() === 0 ? undefined : Array.from({ length: count }, () => reader.count());
  return { scale, scales };
}
