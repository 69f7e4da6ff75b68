import type { ApiClient, AsOf, Operations } from "../../api/api-client.ts";
import type { History } from "../../api/histories.ts";
import type { Page, PageRequest } from "../../api/model/page.ts";

/** The search ends after 10,000 rows in 20 requests. */
const ROWS_PER_REQUEST = 500;
const MAX_REQUESTS = 20;

type Row<T> = Page<T>["rows"][number];

/**
 * The page that `query` asks for beyond a block, found without its cursor: page by page from the start of whichever node
 * answers. Undefined if the block is not reached within 10,000 rows. Rejects with ApiError.
 */
export async function walkToBlock<T>(
  api: ApiClient,
  query: PageRequest,
  block: bigint,
  list: Pick<History<T>, "get" | "blockOf">,
  signal: AbortSignal,
): Promise<{ page: Page<T>; asOf: AsOf } | undefined> {
  const { newestFirst = true } = query;
  const forwards = query.before === undefined;
  const wanted = query.first ?? query.last ?? 1;
  // Before the block: not yet reached in the order of the list.
  const isBefore = (row: Row<T>): boolean => {
    const height = list.blockOf(row.node);
    return height === undefined || (newestFirst ? height > block : height < block);
  };
  const isAt = (row: Row<T>): boolean => list.blockOf(row.node) === block;
  let from: Operations = api;
  let after: string | undefined;
  let behind: Row<T>[] = [];
  let found: Row<T>[] = [];
  for (let round = 0; round < MAX_REQUESTS; round += 1) {
    const cursor: PageRequest = after === undefined ? {} : { after };
    const { value, asOf } = await list.get(from, { first: ROWS_PER_REQUEST, newestFirst, ...cursor }, { signal });
    // The next page must come from the node that gave this cursor.
    from = api.nodes.find((node) => node.name === asOf.node) ?? from;
    const { endCursor } = value;
    behind = [...behind, ...value.rows.filter(isBefore)];
    found = [...found, ...value.rows.filter((row) => !isBefore(row) && !isAt(row))];
    const ended = !value.hasNextPage || endCursor === undefined;
    if (forwards && (found.length >= wanted || ended)) {
      return { page: pageOf(found.slice(0, wanted), found.length > wanted || !ended, true), asOf };
    }
    if (!forwards && (found.length > 0 || ended)) {
      return { page: pageOf(behind.slice(-wanted), true, behind.length > wanted), asOf };
    }
    after = endCursor;
  }
  return undefined;
}

function pageOf<T>(rows: readonly Row<T>[], hasNextPage: boolean, hasPreviousPage: boolean): Page<T> {
  return { rows, startCursor: rows.at(0)?.cursor, endCursor: rows.at(-1)?.cursor, hasNextPage, hasPreviousPage };
}
