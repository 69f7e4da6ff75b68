import type { ApiClient, AsOf, CallOptions, Operations } from "../../api/api-client.ts";
import { type FetchPage, iterateRows, type Row } from "../../api/client/iterate-rows.ts";
import { compareIntegers } from "../../units/decimal.ts";

/** A list of the network: its rows may come in any order, and twice. */
export interface History<T> {
  fetch(from: Operations, options: CallOptions): FetchPage<T>;
  /** Undefined for a row without a block, which is skipped. */
  blockOf(row: T): bigint | undefined;
  /** Identifies a row within its block; empty where the node leaves it out. */
  nameOf(row: T): string;
}

/** What one node lists. */
export interface Listing<T> {
  readonly rows: readonly Row<T>[];
  /** Whether these are all rows of the node. */
  readonly complete: boolean;
  /** Of the first page. */
  readonly asOf: AsOf;
}

/** The rows remembered, to recognize them and to learn their spacing. */
export const REMEMBERED_ROWS = 100;
/** So many rows in order are no coincidence: the rest of the list is older. */
const ROWS_IN_ORDER = 32;
/** Holds what is remembered, and as many rows in order beyond. */
const PAGE_ROWS = 150;
/** Seven days of a checkpoint a minute are ten thousand. */
const MAX_ROWS_READ = 50_000;

/**
 * The newest rows of a list, down to the block `floor`, or to those that are worth remembering: page by page, until rows
 * come in order and are older. A list in no order is read whole. Rejects with ApiError, or the signal's reason.
 */
export async function readRows<T>(
  api: ApiClient,
  history: History<T>,
  from: Operations,
  options: CallOptions & { readonly floor?: bigint | undefined },
): Promise<Listing<T>> {
  const { floor, ...call } = options;
  let asOf: AsOf | undefined;
  let source = from;
  const fetch: FetchPage<T> = async (request) => {
    const answer = await history.fetch(source, call)(request);
    asOf ??= answer.asOf;
    // A cursor belongs to the node that gave it.
    source = api.nodes.find(({ name }) => name === answer.asOf.node) ?? source;
    return answer;
  };
  const rows: Row<T>[] = [];
  const { signal } = call;
  const range = { maxRows: MAX_ROWS_READ, pageRows: PAGE_ROWS, ...(signal === undefined ? {} : { signal }) };
  const pages = iterateRows(fetch, range);
  const blocksOf = (some: readonly Row<T>[]): readonly bigint[] =>
    some.flatMap(({ node }) => history.blockOf(node) ?? []);
  let complete: boolean | undefined;
  while (complete === undefined) {
    const step = await pages.next();
    if (step.done === true) complete = step.value.complete;
    else if (rows.push(step.value) % PAGE_ROWS === 0) {
      const last = blocksOf(rows.slice(-ROWS_IN_ORDER));
      if (isInOrder(last) && isBelow(last, floor ?? newest(blocksOf(rows)).at(-1))) complete = false;
    }
  }
  if (asOf === undefined) throw new Error("a list is read with one request at least");
  return { rows, complete, asOf };
}

function isInOrder(blocks: readonly bigint[]): boolean {
  return blocks.length === ROWS_IN_ORDER && blocks.every((block, index) => block <= (blocks[index - 1] ?? block));
}

function isBelow([latest]: readonly bigint[], floor: bigint | undefined): boolean {
  return latest !== undefined && floor !== undefined && latest < floor;
}

/** As many as there are rows to remember. */
function newest(blocks: readonly bigint[]): readonly bigint[] {
  return blocks.toSorted((a, b) => compareIntegers(b, a)).slice(0, REMEMBERED_ROWS);
}
