import type { SeededRandom } from "../seeded-random.ts";
import { entityFailure, readBoolean, readInt32, type WireFailure } from "./gateway.ts";

/** A list in the order of the chain, oldest first. Rows with the same key share a cursor. */
export interface PagedList<Row> {
  readonly rows: readonly Row[];
  /** What a cursor holds of a row. */
  keyOf(row: Row): string;
  /** Negative, zero or positive, as the first key stands before, with or after the second in the chain's order. */
  compareKeys(a: string, b: string): number;
  render(row: Row): Record<string, unknown>;
}

export interface Page {
  readonly edges: { cursor: string; node: Record<string, unknown> }[];
  readonly pageInfo: { startCursor: string; endCursor: string; hasNextPage: boolean; hasPreviousPage: boolean };
}

const DEFAULT_ROWS = 1000;

interface Asked {
  direction: "forwards" | "backwards" | "all";
  limit: number;
  cursor: string | undefined;
  newestFirst: boolean;
}

/** One page as `pagination.*` asks for it. Throws WireFailure (400) for a request that a node refuses. */
export function pageOf<Row>(list: PagedList<Row>, query: URLSearchParams, cursors: CursorCodec): Page {
  const asked = readPagination(query, cursors);
  const ordered = asked.newestFirst ? list.rows.toReversed() : list.rows;
  const sign = asked.newestFirst ? -1 : 1;
  const window = cut(list, ordered, sign, asked);
  const edges = window.rows.map((row) => ({ node: list.render(row), cursor: cursors.encode(list.keyOf(row)) }));
  return {
    edges,
    pageInfo: {
      hasNextPage: window.hasNext,
      hasPreviousPage: window.hasPrevious,
      startCursor: edges[0]?.cursor ?? "",
      endCursor: edges.at(-1)?.cursor ?? "",
    },
  };
}

/**
 * A node looks from the cursor's row on, that row included, and drops the first row it finds if it bears the cursor.
 * So where two rows share a key, the second is sent again rather than lost, and a cursor whose row was pruned loses none.
 */
function cut<Row>(
  list: PagedList<Row>,
  ordered: readonly Row[],
  sign: number,
  asked: Asked,
): { rows: readonly Row[]; hasNext: boolean; hasPrevious: boolean } {
  if (asked.direction === "all") return { rows: ordered, hasNext: false, hasPrevious: false };
  const { cursor, limit } = asked;
  const stands = (row: Row): number => (cursor === undefined ? 0 : sign * list.compareKeys(list.keyOf(row), cursor));
  if (asked.direction === "forwards") {
    let start = cursor === undefined ? 0 : countWhile(ordered, (row) => stands(row) < 0);
    const found = ordered[start];
    if (cursor !== undefined && found !== undefined && stands(found) === 0) start++;
    const rows = ordered.slice(start, start + limit);
    return { rows, hasNext: start + limit < ordered.length, hasPrevious: start > 0 };
  }
  let end = cursor === undefined ? ordered.length : countWhile(ordered, (row) => stands(row) <= 0);
  const found = ordered[end - 1];
  if (cursor !== undefined && found !== undefined && stands(found) === 0) end--;
  const start = Math.max(0, end - limit);
  return { rows: ordered.slice(start, end), hasNext: end < ordered.length, hasPrevious: start > 0 };
}

/** How many rows at the beginning satisfy a condition that, once false, stays false. */
function countWhile<Row>(rows: readonly Row[], holds: (row: Row) => boolean): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const row = rows[middle];
    if (row !== undefined && holds(row)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function readPagination(query: URLSearchParams, cursors: CursorCodec): Asked {
  const first = readInt32(query, "pagination.first");
  const last = readInt32(query, "pagination.last");
  const after = query.get("pagination.after") ?? undefined;
  const before = query.get("pagination.before") ?? undefined;
  const newest = readBoolean(query, "pagination.newestFirst");
  const newestFirst = newest ?? true;
  if (after !== undefined && before !== undefined) throw badPage("cannot set both a before and after cursor");
  const backwards = first === undefined && (last !== undefined || (after === undefined && before !== undefined));
  const limit = (backwards ? last : first) ?? DEFAULT_ROWS;
  if (limit <= 0) throw badPage(`${backwards ? "last" : "first"} must be a positive integer`);
  const given = backwards ? before : after;
  const cursor = given === undefined ? undefined : cursors.decode(given);
  const unbounded = newest !== undefined && first === undefined && last === undefined && given === undefined;
  return { direction: unbounded ? "all" : backwards ? "backwards" : "forwards", limit, cursor, newestFirst };
}

function badPage(message: string, inner?: string): WireFailure {
  return entityFailure("invalidArgument", message, inner);
}

/**
 * Encodes opaque cursors: the key XORed with a pad of the node, in base64 with its `+ / =`. A cursor of
 * another node does not decode.
 */
export class CursorCodec {
  readonly #pad: Buffer;

  constructor(random: SeededRandom, owner: string) {
    this.#pad = Buffer.from(random.hex(96, "cursor", owner), "hex");
  }

  encode(key: string): string {
    // The length is kept off a multiple of three, so that every cursor ends in "=".
    const plain = Buffer.from(key.length % 3 === 2 ? `${key};;` : `${key};`);
    return this.#cover(plain).toString("base64");
  }

  /** The key that this node put into a cursor. Throws WireFailure (400) for anything else. */
  decode(cursor: string): string {
    const covered = Buffer.from(cursor, "base64");
    if (cursor === "" || covered.toString("base64") !== cursor) {
      const valid = /^[\d+/A-Za-z]*/u.exec(cursor)?.[0].length ?? 0;
      throw badPage("invalid cursor", cursor === "" ? "cursor is empty" : `illegal base64 data at input byte ${valid}`);
    }
    const plain = this.#cover(covered).toString("latin1");
    if (!/^[\da-f:]+;+$/u.test(plain)) throw badPage("invalid cursor", "the cursor is not one of this node's");
    return plain.replace(/;+$/u, "");
  }

  #cover(bytes: Buffer): Buffer {
    return Buffer.from(bytes.map((byte, index) => byte ^ (this.#pad[index % this.#pad.length] ?? 0)));
  }
}
