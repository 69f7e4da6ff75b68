import { countWhile } from "../count-while.ts";
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

export type Page = ReturnType<typeof pageOf>;

const DEFAULT_ROWS = 1000;

type Asked = ReturnType<typeof readPagination>;

/** One page as `pagination.*` asks for it. Throws WireFailure (400) for a request that a node refuses. */
export function pageOf<Row>(list: PagedList<Row>, query: URLSearchParams, cursors: CursorCodec) {
  const asked = readPagination(query, cursors);
  const ordered = asked.newestFirst ? list.rows.toReversed() : list.rows;
  const { start, end } = cut(list, ordered, asked);
  const rows = ordered.slice(start, end);
  const edges = rows.map((row) => ({ node: list.render(row), cursor: cursors.encode(list.keyOf(row)) }));
  return {
    edges,
    pageInfo: {
      hasNextPage: end < ordered.length,
      hasPreviousPage: start > 0,
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
  { backwards, cursor, limit, newestFirst }: Asked,
): { start: number; end: number } {
  let at = backwards ? ordered.length : 0;
  if (cursor !== undefined) {
    const stands = (row: Row): number => (newestFirst ? -1 : 1) * list.compareKeys(list.keyOf(row), cursor);
    at = countWhile(ordered, (row) => (backwards ? stands(row) <= 0 : stands(row) < 0));
    const found = ordered[backwards ? at - 1 : at];
    if (found !== undefined && stands(found) === 0) at += backwards ? -1 : 1;
  }
  return backwards ? { start: Math.max(0, at - limit), end: at } : { start: at, end: at + limit };
}

function readPagination(query: URLSearchParams, cursors: CursorCodec) {
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
  // Infinity for all rows.
  return { backwards, limit: unbounded ? Infinity : limit, cursor, newestFirst };
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
