// Writes chunks: the looks of an hour or six as columns, one for each place where any of them has a value. Each column is
// compressed for itself, so that one fact is read without the others.
//
// A column says in which looks it has a value, unless all have one, and then the values: numbers, also in texts, as integers
// of one scale, each less its prediction, in the largest unit that divides all of them; anything else as indexes of a list
// of texts, with how often each comes in a row. header.ts has what is known of a column before it is decoded; chunk.ts reads
// them.

import { zstdCompressSync } from "node:zlib";

import { type ColumnHeader, type NumbersHeader, type Order, packChunk } from "./header.ts";
import { IntegerWriter, sizeOf } from "./integers.ts";
import { Branch, eachLeaf, type Leaf, type Place } from "./leaves.ts";
import type { Look } from "./look.ts";
import { timeToText } from "../units/time.ts";

/** A number as JSON or a text has it, which says it in one way only: with no exponent, and not -0. */
const PLAIN_NUMBER = /^(?!-0(?:\.0+)?$)-?(?:0|[1-9]\d*)(?:\.\d+)?$/u;

/** So many looks are read or taken apart at once. */
export const LOOKS_BEFORE_PAUSE = 25;
/** Of so many values the cheapest prediction is chosen. */
const SAMPLE = 96;

/** Of its bytes a frame takes at most so many: to take it apart takes longer than to read them. */
const WORTH_A_FRAME = 7 / 8;

const ORDERS: readonly Order[] = [0, 1, 2];

/** The looks of one watcher, in their order, as a chunk. Gives way to `pause` now and then. */
export async function encodeChunk(looks: readonly Look[], pause?: () => Promise<void>): Promise<Uint8Array> {
  const columns = await gather(looks, pause);
  const headers = new Map<string, ColumnHeader>();
  const numeric: NumericColumn[] = [];
  for (const [key, leaves] of columns) {
    headers.set(key, encodeColumn(key, leaves, numeric, headers.size));
    await pause?.();
  }
  return packChunk(looks.length, headers);
}

/** The leaves of all looks by their place; of a look without one there is none. */
async function gather(
  looks: readonly Look[],
  pause?: () => Promise<void>,
): Promise<ReadonlyMap<string, readonly (Leaf | undefined)[]>> {
  const columns = new Map<string, (Leaf | undefined)[]>();
  const root = new Branch();
  for (const [index, { at, ...look }] of looks.entries()) {
    if (index % LOOKS_BEFORE_PAUSE === LOOKS_BEFORE_PAUSE - 1) await pause?.();
    eachLeaf(
      { at: timeToText(at), ...look },
      (key, leaf) => {
        let leaves = columns.get(key);
        if (leaves === undefined) columns.set(key, (leaves = Array.from({ length: looks.length })));
        leaves[index] = leaf;
      },
      root,
    );
  }
  return columns;
}

/** A column of numbers by which others may be predicted. */
interface NumericColumn extends Pick<Numbers, "values" | "scale"> {
  readonly index: number;
  readonly name: string;
}

function encodeColumn(
  key: string,
  leaves: readonly (Leaf | undefined)[],
  known: NumericColumn[],
  index: number,
): ColumnHeader {
  const values = numbersOf(leaves);
  const holds: ColumnHeader["holds"] = values?.holds ?? "any";
  const [first] = leaves;
  if (values !== undefined) known.push({ index, name: lastOf(key), ...values });
  if (first !== undefined && leaves.every((leaf) => isSameLeaf(leaf, first))) {
    return { holds, is: first, isWhole: true, isPlain: true, body: new Uint8Array() };
  }
  const writer = new IntegerWriter();
  const isWhole = leaves.every((leaf) => leaf !== undefined);
  if (!isWhole) writePresence(writer, leaves);
  let numbers: NumbersHeader | undefined;
  if (values === undefined) writeTexts(writer, leaves);
  else numbers = writeNumbers(writer, values, known.slice(0, -1), lastOf(key));
  const bytes = writer.bytes();
  const frame = zstdCompressSync(bytes);
  const isPlain = frame.length > WORTH_A_FRAME * bytes.length;
  const shape = { holds, isWhole, isPlain, body: isPlain ? bytes : frame };
  return numbers === undefined ? shape : { ...shape, numbers };
}

/** The last step of a place. */
function lastOf(key: string): string {
  return String((JSON.parse(key) as Place).at(-1));
}

function isSameLeaf(one: Leaf | undefined, other: Leaf): boolean {
  return one === other || (typeof one === "object" && JSON.stringify(one) === JSON.stringify(other));
}

/** In which looks there is a value: lengths of runs with one and without, by turns. */
function writePresence(writer: IntegerWriter, leaves: readonly (Leaf | undefined)[]): void {
  const runs: number[] = [];
  let has = true;
  let length = 0;
  for (const leaf of leaves) {
    if ((leaf !== undefined) !== has) {
      runs.push(length);
      length = 0;
      has = !has;
    }
    length += 1;
  }
  writer.count(runs.length);
  for (const run of runs) writer.count(run);
}

function writeTexts(writer: IntegerWriter, leaves: readonly (Leaf | undefined)[]): void {
  const texts = new Map<string, number>();
  const rows: { readonly index: number; length: number }[] = [];
  for (const leaf of leaves) {
    if (leaf === undefined) continue;
    const text = JSON.stringify(leaf);
    const index = texts.get(text) ?? texts.size;
    texts.set(text, index);
    const last = rows.at(-1);
    if (last?.index === index) last.length += 1;
    else rows.push({ index, length: 1 });
  }
  const list = Buffer.from(JSON.stringify([...texts.keys()]));
  writer.count(list.length);
  for (const byte of list) writer.count(byte);
  for (const { index, length } of rows) {
    writer.count(index);
    writer.count(length - 1);
  }
}

interface Numbers {
  readonly holds: "number" | "digits";
  /** By look, times ten to the power of `scale`. */
  readonly values: readonly (bigint | undefined)[];
  readonly scale: number;
  /** The digits behind the point of each value; left out where all have as many. */
  readonly scales: readonly number[] | undefined;
}

/** The leaves as integers; undefined where one of them is no number, or where numbers and texts are mixed. */
export function numbersOf(leaves: readonly (Leaf | undefined)[]): Numbers | undefined {
  const holds = typeof leaves.find((leaf) => leaf !== undefined);
  if (holds !== "number" && holds !== "string") return undefined;
  const scales: number[] = [];
  for (const leaf of leaves) {
    if (leaf === undefined) continue;
    if (typeof leaf !== holds) return undefined;
    const text = textOf(leaf);
    if (!PLAIN_NUMBER.test(text)) return undefined;
    const point = text.indexOf(".");
    scales.push(point === -1 ? 0 : text.length - point - 1);
  }
  const scale = Math.max(...scales);
  let at = 0;
  const values = leaves.map((leaf) => {
    if (leaf === undefined) return undefined;
    const missing = scale - (scales[at] ?? 0);
    at += 1;
    return BigInt(textOf(leaf).replace(".", "") + "0".repeat(missing));
  });
  const isEven = scales.every((one) => one === scale);
  return { holds: holds === "number" ? "number" : "digits", values, scale, scales: isEven ? undefined : scales };
}

function textOf(leaf: Leaf): string {
  return typeof leaf === "string" ? leaf : JSON.stringify(leaf);
}

/** Writes the integers, less the cheapest prediction. */
function writeNumbers(
  writer: IntegerWriter,
  { values, scale, scales }: Numbers,
  known: readonly NumericColumn[],
  name: string,
): NumbersHeader {
  writer.count(scales === undefined ? 0 : 1);
  for (const one of scales ?? []) writer.count(one);
  const { order, less } = cheapest(values, predictors(values, scale, known, name));
  const left = residuals(values, order, less);
  const base = left[0] ?? 0n;
  let unit = 0n;
  for (const one of left.slice(1)) {
    unit = greatestDivisor(unit, one);
    if (unit === 1n) break;
  }
  if (unit === 0n) unit = 1n;
  for (const one of left.slice(1)) writer.integer(one / unit);
  return { order, less: less?.index, base, unit, scale, ...boundsOf(values) };
}

/** The least and the greatest of the values that there are. */
function boundsOf(values: readonly (bigint | undefined)[]) {
  let [least, most]: [bigint?, bigint?] = [];
  for (const value of values) {
    if (value === undefined) continue;
    if (least === undefined || value < least) least = value;
    if (most === undefined || value > most) most = value;
  }
  return { least: least ?? 0n, most: most ?? 0n };
}

/** The columns that may predict one: the first, one of the same name, one that begins alike, and none. */
function predictors(
  values: readonly (bigint | undefined)[],
  scale: number,
  known: readonly NumericColumn[],
  name: string,
): ReadonlySet<NumericColumn | undefined> {
  const candidates = known.filter((one) => one.scale === scale && covers(one.values, values));
  const at = values.findIndex((value) => value !== undefined);
  const begins = candidates.find((one) => one.values[at] === values[at]);
  return new Set([undefined, begins, candidates.find((one) => one.name === name), candidates[0]]);
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  let [larger, rest] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (rest !== 0n) [larger, rest] = [rest, larger % rest];
  return larger;
}

/** Whether there is a value wherever the others have one. */
function covers(values: readonly (bigint | undefined)[], others: readonly (bigint | undefined)[]): boolean {
  return others.every((other, index) => other === undefined || values[index] !== undefined);
}

function cheapest(
  values: readonly (bigint | undefined)[],
  columns: ReadonlySet<NumericColumn | undefined>,
): { readonly order: Order; readonly less: NumericColumn | undefined } {
  const sample = values.slice(0, SAMPLE);
  let best: { order: Order; less: NumericColumn | undefined } = { order: 1, less: undefined };
  let bestSize = Number.POSITIVE_INFINITY;
  for (const less of columns) {
    for (const order of ORDERS) {
      const size = residuals(sample, order, less).reduce((sum, one) => sum + sizeOf(one), 0);
      if (size < bestSize) [best, bestSize] = [{ order, less }, size];
    }
  }
  return best;
}

/** What is left of the values that there are, less their predictions; the first is whole. */
function residuals(
  values: readonly (bigint | undefined)[],
  order: Order,
  less: Pick<NumericColumn, "values"> | undefined,
): readonly bigint[] {
  const left: bigint[] = [];
  let [base, last, beforeLast] = [0n, 0n, 0n];
  for (const [index, value] of values.entries()) {
    if (value === undefined) continue;
    const own = value - (less?.values[index] ?? 0n) - base;
    left.push(own - predict(order, last, beforeLast, left.length));
    if (left.length === 1) base = own;
    else [beforeLast, last] = [last, own];
  }
  return left;
}

/** Of values counted from the first one, which is 0. */
export function predict(order: Order, last: bigint, beforeLast: bigint, count: number): bigint {
  if (order === 0) return 0n;
  return order === 1 || count < 2 ? last : 2n * last - beforeLast;
}
