import { DamagedRow, messageOf } from "../errors.ts";
import type { LooksChunkRow, LooksOf, TailRow } from "../store/alert-tables/looks.ts";
import type { Store } from "../store/store.ts";
import type { Milliseconds } from "../units/duration.ts";
import { toMillis } from "../units/nanoseconds.ts";
import { Chunk } from "./chunk.ts";
import type { Place } from "./leaves.ts";
import { type Json, type Look, lookFromText } from "./look.ts";

/** Looks of one watcher at one network, by the wall clock; both ends, in Unix milliseconds, are part of the range. */
export interface LooksRange extends LooksOf {
  readonly from: Milliseconds;
  readonly to: Milliseconds;
}

/** One fact of a range: the times of the looks that have it, in Unix milliseconds, and its values as the nearest numbers. */
export interface Series {
  readonly at: Float64Array;
  readonly values: Float64Array;
}

/** A day of chunks is in memory at once, or six. */
const CHUNKS_AT_ONCE = 24;
const TAIL_AT_ONCE = 2000;

/**
 * The looks of a range, in the order in which they were made. A row that cannot be read is passed to `onDamaged`, and left
 * out; without that, DamagedRow is thrown. Of what was seen, the members of the names in `without` may be missing.
 */
export async function* readLooks(
  store: Pick<Store, "read">,
  range: LooksRange,
  onDamaged = refuse,
  without: readonly string[] = [],
): AsyncGenerator<Look> {
  for await (const block of readBlocks(pageReader(store), range, onDamaged)) {
    if ("read" in block) {
      for (const look of block.read((chunk) => chunk.looks(without)) ?? []) if (isWithin(look, range)) yield look;
    } else yield block;
  }
}

function refuse(row: DamagedRow): void {
  throw row;
}

function readable<T>(
  table: "looks_tail" | "looks_chunks",
  key: Readonly<Record<string, string>>,
  decode: () => T,
  onDamaged: (row: DamagedRow) => void,
): T | undefined {
  try {
    return decode();
  } catch (thrown) {
    onDamaged(new DamagedRow(table, key, messageOf(thrown)));
    return undefined;
  }
}

/** A chunk with looks of a range, and when its first one was; or a look that is not packed. */
export type Block =
  | Look
  | { readonly first: Milliseconds; readonly read: <T>(how: (chunk: Chunk) => T) => T | undefined };

/**
 * The same looks, those that are packed by chunk: also those of the first and last chunk that are outside of the range.
 * A chunk is decoded as it is read, and then passed to `onDamaged` where it cannot be.
 */
export async function* readBlocks(
  readPage: ReadPage,
  range: LooksRange,
  onDamaged: (row: DamagedRow) => void,
): AsyncGenerator<Block> {
  const { network, watcher } = range;
  for await (const { chunks, tail } of readPages(readPage, range)) {
    for (const { first, bytes, first_at } of chunks) {
      const key = { network, watcher, first: String(first) };
      yield { first: first_at, read: (how) => readable("looks_chunks", key, () => how(new Chunk(bytes)), onDamaged) };
    }
    for (const { number, data } of tail) {
      const key = { network, watcher, number: String(number) };
      const look = readable("looks_tail", key, () => lookFromText(data), onDamaged);
      if (look !== undefined) yield look;
    }
  }
}

/** One fact of a range; the columns of the others are not read. */
export async function readSeries(store: Pick<Store, "read">, range: LooksRange, place: Place): Promise<Series> {
  let [at, values] = [new Float64Array(1024), new Float64Array(1024)];
  let count = 0;
  const add = (time: Milliseconds, value: number): void => {
    if (Number.isNaN(value) || time < range.from || time > range.to) return;
    if (count === at.length) [at, values] = [twiceAsLong(at), twiceAsLong(values)];
    at[count] = time;
    values[count] = value;
    count += 1;
  };
  const key = JSON.stringify(place);
  for await (const block of readBlocks(pageReader(store), range, refuse)) {
    if (!("read" in block)) add(toMillis(block.at), numberAt(block as unknown as Json, place));
    else {
      block.read((chunk) => {
        const [times, facts] = [chunk.column('["at"]'), chunk.column(key)];
        for (let look = 0; look < chunk.size; look += 1) add(Math.floor(times.near(look) / 1e6), facts.near(look));
      });
    }
  }
  return { at: at.subarray(0, count), values: values.subarray(0, count) };
}

/** The memory of the shorter one is free at once. */
function twiceAsLong({ buffer, byteLength }: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  return new Float64Array(buffer.transfer(2 * byteLength));
}

function isWithin({ at }: Look, { from, to }: LooksRange): boolean {
  const millis = toMillis(at);
  return millis >= from && millis <= to;
}

function numberAt(json: Json, place: Place): number {
  let found: unknown = json;
  for (const step of place) {
    if (typeof found !== "object" || found === null) return Number.NaN;
    found = (found as Readonly<Record<string | number, unknown>>)[step];
  }
  const isNumber = typeof found === "number" || (typeof found === "string" && /^-?\d+(?:\.\d+)?$/u.test(found));
  return isNumber ? Number(found) : Number.NaN;
}

/** Chunks, then the tail, some at a time. What is packed meanwhile is read once: looks have numbers. */
async function* readPages(readPage: ReadPage, range: LooksRange): AsyncGenerator<LooksPage> {
  let after = 0;
  for (;;) {
    const page = await readPage({ ...range, after });
    yield page;
    if (page.isEnd) return;
    after = page.last;
  }
}

/** Some looks of a range, packed and not. */
export interface LooksPage {
  readonly chunks: readonly LooksChunkRow[];
  readonly tail: readonly TailRow[];
  /** The number of the last one. */
  readonly last: number;
  readonly isEnd: boolean;
}

/** Looks of a range, those after the look of a number. */
export type LooksPageQuery = LooksRange & { readonly after: number };
export type ReadPage = (query: LooksPageQuery) => Promise<LooksPage>;

/** Reads pages in one state of the database each. */
export function pageReader(store: Pick<Store, "read">): ReadPage {
  return (query) =>
    store.read(async ({ looks }) => {
      const chunks = await looks.packed({ ...query, limit: CHUNKS_AT_ONCE });
      const last = chunks.at(-1)?.last ?? query.after;
      const isLast = chunks.length < CHUNKS_AT_ONCE;
      const tail = isLast ? await looks.tailBetween({ ...query, after: last, limit: TAIL_AT_ONCE }) : [];
      return { chunks, tail, last: tail.at(-1)?.number ?? last, isEnd: isLast && tail.length < TAIL_AT_ONCE };
    });
}
