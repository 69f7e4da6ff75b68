import type { ApiClient, AsOf, CallOptions, Operations } from "../../api/api-client.ts";
import type { History } from "../../api/histories.ts";
import { compareIntegers } from "../../units/decimal.ts";

export interface Row<T> {
  readonly cursor: string | undefined;
  readonly node: T;
  readonly asOf: AsOf;
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
/** Holds what is remembered, and some older rows. */
const PAGE_ROWS = 150;
/** Where so many rows are older than all before them, the rest of the list counts as older, too. */
const ROWS_THAT_TELL = 32;
/** Of a list that is in no order, a node sends so many rows at once. */
const LONG_PAGE_ROWS = 1000;
/** Seven days of a checkpoint a minute are ten thousand. */
const MAX_ROWS_READ = 50_000;

/**
 * The newest rows of a list, down to the block `floor`, or to those that are worth remembering: page by page, until all
 * that follows is older. A list in no order is read whole. Rejects with ApiError, or the signal's reason.
 */
export async function readRows<T>(
  api: ApiClient,
  history: History<T>,
  from: Operations,
  options: CallOptions & { readonly floor?: bigint | undefined },
): Promise<Listing<T>> {
  const { floor, ...call } = options;
  const rows: Row<T>[] = [];
  let source = from;
  let began: AsOf | undefined;
  let after: string | undefined;
  for (;;) {
    call.signal?.throwIfAborted();
    const first = rows.length < 2 * PAGE_ROWS ? PAGE_ROWS : LONG_PAGE_ROWS;
    const query = { first, newestFirst: true, ...(after === undefined ? {} : { after }) };
    const { value: page, asOf } = await history.get(source, query, call);
    began ??= asOf;
    for (const row of page.rows) rows.push({ ...row, asOf });
    if (!page.hasNextPage) return { rows, complete: true, asOf: began };
    // A cursor belongs to the node that gave it.
    source = api.nodes.find(({ name }) => name === asOf.node) ?? source;
    after = page.endCursor ?? page.rows.at(-1)?.cursor;
    const isOver = page.rows.length === 0 || after === undefined || rows.length >= MAX_ROWS_READ;
    const blocks = rows.flatMap(({ node }) => history.blockOf(node) ?? []);
    if (isOver || [ROWS_THAT_TELL, page.rows.length].some((count) => isPast(blocks, count, floor))) {
      return { rows, complete: false, asOf: began };
    }
  }
}

/** Whether so many rows at the end are older than those before them, and than the floor. */
function isPast(blocks: readonly bigint[], count: number, floor: bigint | undefined): boolean {
  if (count < ROWS_THAT_TELL) return false;
  const before = blocks.slice(0, -count).toSorted(compareIntegers);
  const latest = blocks.slice(-count).toSorted(compareIntegers).at(-1);
  // Without a floor the rows that are worth remembering must be among those before.
  const [oldest, lowest] = [before[0], floor ?? before.at(-REMEMBERED_ROWS)];
  return latest !== undefined && oldest !== undefined && lowest !== undefined && latest <= oldest && latest < lowest;
}
