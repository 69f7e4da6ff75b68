import type { CallOptions, Operations } from "../../api/api-client.ts";
import type { FetchPage, Row } from "../../api/client/iterate-rows.ts";
import { compareIntegers } from "../../units/decimal.ts";
import { type BlockPoint, blockPointOf, estimateBlockTime, isPlausibleTime } from "../block-time.ts";
import type { HistoryState, KnownRow } from "./history-state.ts";

/** A list of the network that only grows at its end. */
export interface History<T> {
  fetch(from: Operations, options: CallOptions): FetchPage<T>;
  /** Undefined for a row without a block, which is skipped. */
  blockOf(row: T): bigint | undefined;
  /** Identifies a row within its block. */
  nameOf(row: T): string;
}

/** A row not seen before. */
interface FreshRow<T> extends KnownRow {
  readonly row: T;
  readonly node: string;
}

export interface HistoryUpdate<T> {
  /** In chain order. */
  readonly fresh: readonly FreshRow<T>[];
  /** The newest row read; absent where nothing was new. */
  readonly newest?: T;
  readonly state: HistoryState;
  /** The node's history ends before the newest row seen, and differs in nothing else. */
  readonly lacking?: true;
}

/** The most new rows of one observation; the rest follow with the next ones. */
export const MAX_FRESH_ROWS = 1000;
/** The rows remembered, to recognize them and to learn their spacing. */
export const REMEMBERED_ROWS = 32;

interface Placed<T> extends FreshRow<T> {
  readonly cursor: string | undefined;
}

/** Puts one update together. */
export class HistoryScan<T> {
  readonly #history: History<T>;
  readonly #before: HistoryState | undefined;
  readonly #known: ReadonlySet<string>;
  #asOf: Row<T>["asOf"] | undefined;

  constructor(history: History<T>, before: HistoryState | undefined) {
    this.#history = history;
    this.#before = before;
    this.#known = new Set(before?.recent.map(({ key }) => key));
  }

  /** Remembers which node answered, also where there are no rows. */
  recordingNode(fetch: FetchPage<T>): FetchPage<T> {
    return async (request) => {
      const answer = await fetch(request);
      this.#asOf ??= answer.asOf;
      return answer;
    };
  }

  /** Rows in chain order, each once. */
  place(rows: readonly Row<T>[]): readonly Placed<T>[] {
    const point = this.#point;
    const placed = new Map<string, Placed<T>>();
    for (const { node: row, cursor, asOf } of rows) {
      const block = this.#history.blockOf(row);
      if (block === undefined) continue;
      const key = `${block}/${this.#history.nameOf(row)}`;
      const at = estimateBlockTime(block, this.#pointBefore, point) ?? this.#firstSeen;
      if (placed.has(key)) continue;
      placed.set(key, { key, block, row, cursor, node: asOf.node, ...(at === undefined ? {} : { at }) });
    }
    return [...placed.values()].toSorted(byBlock);
  }

  /** The node was behind an earlier answer, perhaps of another node. */
  isBehind(placed: readonly Placed<T>[]): boolean {
    const [then, now] = [this.#pointBefore, this.#point];
    if (then !== undefined && now !== undefined) return now.time < then.time;
    const last = this.#before?.recent.at(-1);
    const newest = placed.at(-1);
    const notNewer = last !== undefined && newest !== undefined && newest.block <= last.block;
    return notNewer && placed.some(({ key }) => this.#known.has(key));
  }

  /**
   * The node has reached the newest row's block, but lists only earlier rows of those seen: its list is behind its own
   * blocks, or another node ran ahead of all others. A history that was reset shows a row of its own sooner or later, or a
   * lower height.
   */
  lacksNewest(placed: readonly Placed<T>[]): boolean {
    const recent = this.#before?.recent ?? [];
    const [oldest, last, height] = [recent[0], recent.at(-1), this.#point?.height];
    if (oldest === undefined || last === undefined || (height !== undefined && height < last.block)) return false;
    const remembered = placed.filter(({ block }) => block >= oldest.block);
    const beyondMemory = height !== undefined && recent.length === REMEMBERED_ROWS;
    return remembered.every(({ key }) => this.#known.has(key)) && (remembered.length > 0 || beyondMemory);
  }

  /** The first observation: all rows count as seen. */
  seed(placed: readonly Placed<T>[]): HistoryUpdate<T> {
    return { fresh: [], ...newestOf(placed), state: this.#state(placed) };
  }

  finish(placed: readonly Placed<T>[]): HistoryUpdate<T> {
    // A row included for its cursor may be older than all rows remembered.
    const oldest = this.#before?.recent[0]?.block;
    const unknown = placed.filter(
      ({ key, block }) => !this.#known.has(key) && (oldest === undefined || block >= oldest),
    );
    const fresh = unknown.slice(0, MAX_FRESH_ROWS);
    const until = fresh.length < MAX_FRESH_ROWS ? undefined : fresh.at(-1);
    const taken = until === undefined ? placed : placed.slice(0, placed.indexOf(until) + 1);
    return {
      fresh,
      ...newestOf(taken),
      state: this.#state(taken),
    };
  }

  /** Nothing new as of the node's block; the rows that it lacks stay seen, so that they are not announced again. */
  lacking(): HistoryUpdate<T> {
    return { ...this.finish([]), lacking: true };
  }

  /** As before, except for the node and time of the answer. */
  unchanged(): HistoryUpdate<T> {
    const { reset: _, ...rest } = this.#before ?? this.#state([]);
    return { fresh: [], state: { ...rest, ...this.#answeredBy, behind: true } };
  }

  /** The node that answered. */
  get node(): string {
    return this.#answeredBy.node;
  }

  #state(placed: readonly Placed<T>[]): HistoryState {
    const added = placed.filter(({ key }) => !this.#known.has(key));
    const known = added.map(({ key, block, at }, index): KnownRow => {
      // Of several rows found at once only the newest can be as young as the observation.
      const timed = this.#point !== undefined || index === added.length - 1;
      return { key, block, ...(at === undefined || !timed ? {} : { at }) };
    });
    const recent = [...(this.#before?.recent ?? []), ...known].toSorted(byBlock).slice(-REMEMBERED_ROWS);
    const newest = recent.at(-1)?.block;
    const earlier = placed.findLast(
      ({ block, cursor }) => cursor !== undefined && newest !== undefined && block < newest,
    );
    const cursor = earlier?.cursor === undefined ? this.#cursorKept : { node: earlier.node, cursor: earlier.cursor };
    const point = later(this.#pointBefore, this.#point);
    return {
      recent,
      ...(cursor === undefined ? {} : { cursor }),
      ...(point === undefined ? {} : { point }),
      ...this.#answeredBy,
      behind: false,
    };
  }

  /** Still valid where the same node answers. */
  get #cursorKept(): HistoryState["cursor"] {
    const kept = this.#before?.cursor;
    return kept?.node === this.#asOf?.node ? kept : undefined;
  }

  get #answeredBy(): Pick<HistoryState, "node" | "receivedAt"> {
    if (this.#asOf === undefined) throw new Error("a look at a history asks at least once");
    return { node: this.#asOf.node, receivedAt: this.#asOf.receivedAt };
  }

  get #point(): BlockPoint | undefined {
    return this.#asOf === undefined ? undefined : blockPointOf(this.#asOf);
  }

  /** The latest block of earlier answers. */
  get #pointBefore(): BlockPoint | undefined {
    const point = this.#before?.point;
    return point === undefined || this.#asOf === undefined || isPlausibleTime(point.time, this.#asOf)
      ? point
      : undefined;
  }

  /** Where nodes do not give the block of their answer, the time of the observation is the next best. */
  get #firstSeen(): KnownRow["at"] {
    return this.#before === undefined ? undefined : this.#asOf?.receivedAt;
  }
}

function byBlock(a: KnownRow, b: KnownRow): number {
  return compareIntegers(a.block, b.block);
}

function later(a: BlockPoint | undefined, b: BlockPoint | undefined): BlockPoint | undefined {
  return a !== undefined && (b === undefined || b.time < a.time) ? a : b;
}

function newestOf<T>(placed: readonly Placed<T>[]): { newest?: T } {
  const newest = placed.at(-1);
  return newest === undefined ? {} : { newest: newest.row };
}
