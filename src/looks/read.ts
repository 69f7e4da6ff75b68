import { DamagedRow, messageOf } from "../errors.ts";
import type { LooksChunkRow, LooksOf, TailRow } from "../store/alert-tables/looks.ts";
import type { Store } from "../store/store.ts";
import { type Milliseconds, type Stretch, toMillis } from "../units/time.ts";
import { Chunk } from "./chunk.ts";
import { type Look, lookFromText } from "./look.ts";

/** Looks of one watcher at one network, by the wall clock; both ends, in Unix milliseconds, are part of the range. */
export type LooksRange = LooksOf & Stretch;

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
  for await (const looks of readParts(store, range, onDamaged, without)) yield* looks;
}

/** The same, those of a chunk at once. */
async function* readParts(
  store: Pick<Store, "read">,
  range: LooksRange,
  onDamaged: (row: DamagedRow) => void,
  without: readonly string[],
): AsyncGenerator<Iterable<Look>> {
  for await (const block of readBlocks(pageReader(store), range, onDamaged)) {
    if ("read" in block) yield within(block.read((chunk) => chunk.looks(without)) ?? [], range);
    else yield [block];
  }
}

/** The looks of several watchers by the wall clock, at once those of one of them in a row, which are to be taken all. */
export async function* readInOrder<T extends string>(
  store: Pick<Store, "read">,
  range: Omit<LooksRange, "watcher">,
  watchers: readonly { readonly watcher: T; readonly without: readonly string[] }[],
  onDamaged: (row: DamagedRow) => void,
): AsyncGenerator<{ readonly watcher: T; readonly looks: Iterable<Look> }> {
  const streams = watchers.map(({ watcher, without }) => {
    return { watcher, looks: new LookStream(readParts(store, { ...range, watcher }, onDamaged, without)) };
  });
  for (;;) {
    await Promise.all(streams.map(({ looks }) => looks.fill()));
    const open = streams.filter(({ looks }) => looks.at !== undefined);
    const [first, next] = open.toSorted((a, b) => Number((a.looks.at ?? 0n) - (b.looks.at ?? 0n)));
    if (first === undefined) return;
    yield { watcher: first.watcher, looks: first.looks.until(next?.looks.at) };
  }
}

/** Looks in a row, of which the next one is known. */
class LookStream {
  readonly #parts: AsyncGenerator<Iterable<Look>>;
  #part: Iterator<Look> = [].values();
  #next: Look | undefined;

  constructor(parts: AsyncGenerator<Iterable<Look>>) {
    this.#parts = parts;
  }

  /** When the next one was; undefined where there is none. */
  get at(): Look["at"] | undefined {
    return this.#next?.at;
  }

  /** Reads on, where all that was read is taken. */
  async fill(): Promise<void> {
    while (this.#next === undefined) {
      const part = await this.#parts.next();
      if (part.done === true) return;
      this.#part = part.value[Symbol.iterator]();
      this.#step();
    }
  }

  /** Takes the next one, and those after it before that time, of what was read. */
  *until(at: Look["at"] | undefined): Generator<Look> {
    let look = this.#next;
    while (look !== undefined) {
      this.#step();
      yield look;
      look = this.#next;
      if (at !== undefined && look !== undefined && look.at >= at) return;
    }
  }

  #step(): void {
    const { value, done } = this.#part.next();
    this.#next = done === true ? undefined : value;
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

function* within(looks: Iterable<Look>, { from, to }: LooksRange): Generator<Look> {
  for (const look of looks) {
    const millis = toMillis(look.at);
    if (millis >= from && millis <= to) yield look;
  }
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
