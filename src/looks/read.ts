import { DamagedRow, messageOf } from "../errors.ts";
import type { LooksChunkRow, LooksOf, TailRow } from "../store/alert-tables/looks.ts";
import type { Store } from "../store/store.ts";
import type { Milliseconds } from "../units/duration.ts";
import { toMillis } from "../units/nanoseconds.ts";
import { Chunk } from "./chunk.ts";
import { type Look, lookFromText } from "./look.ts";

/** Looks of one watcher at one network, by the wall clock; both ends, in Unix milliseconds, are part of the range. */
export interface LooksRange extends LooksOf {
  readonly from: Milliseconds;
  readonly to: Milliseconds;
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

function isWithin({ at }: Look, { from, to }: LooksRange): boolean {
  const millis = toMillis(at);
  return millis >= from && millis <= to;
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
