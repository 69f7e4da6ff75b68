import type { Answer, AsOf, CallOptions } from "../api-client.ts";
import type { Page, PageRequest } from "../model/page.ts";

/** Gets one page: `(request) => api.getCheckpoints(request, { signal })`. */
export type FetchPage<T> = (request: PageRequest) => Promise<Answer<Page<T>>>;

export interface IterateOptions {
  /** The maximum number of rows. */
  readonly maxRows: number;
  /** Rows asked for at once. Default 200. */
  readonly pageRows?: number;
  /** Default true, as at the node. */
  readonly newestFirst?: boolean;
  /** The cursor to continue after. */
  readonly after?: string;
  readonly signal?: CallOptions["signal"];
}

export interface Row<T> {
  readonly cursor: string | undefined;
  readonly node: T;
  readonly asOf: AsOf;
}

/** How an iteration ended. */
export interface RowsEnd {
  /** False if `maxRows` was reached, or if the node reported more rows without a cursor. */
  readonly complete: boolean;
  /** The cursor to continue from: of the last row, or the initial one if there was no row. */
  readonly cursor: string | undefined;
}

const PAGE_ROWS = 200;

/**
 * Yields rows forwards from the start or from `after`, page by page, up to `maxRows`; the generator returns how it
 * ended. Rejects as `fetchPage` does, or with the signal's reason.
 */
export async function* iterateRows<T>(
  fetchPage: FetchPage<T>,
  options: IterateOptions,
): AsyncGenerator<Row<T>, RowsEnd, undefined> {
  const { maxRows, pageRows = PAGE_ROWS, newestFirst = true, signal } = options;
  let cursor = options.after;
  let given = 0;
  while (given < maxRows) {
    signal?.throwIfAborted();
    const first = Math.min(pageRows, maxRows - given);
    const { value: page, asOf } = await fetchPage({
      first,
      newestFirst,
      ...(cursor === undefined ? {} : { after: cursor }),
    });
    for (const row of page.rows) {
      if (given === maxRows) return { complete: false, cursor };
      given += 1;
      cursor = row.cursor ?? cursor;
      yield { ...row, asOf };
    }
    if (!page.hasNextPage) return { complete: true, cursor };
    const next = page.endCursor ?? page.rows.at(-1)?.cursor;
    // Otherwise a node that reports more rows without a cursor would cause an endless loop.
    if (page.rows.length === 0 || next === undefined) return { complete: false, cursor };
    cursor = next;
  }
  return { complete: false, cursor };
}

/**
 * Everything newer than a row, oldest first: the rows that came after `cursor`. The cursor is valid only at the
 * node that gave it.
 */
export function rowsNewerThan<T>(
  fetchPage: FetchPage<T>,
  cursor: string,
  options: Omit<IterateOptions, "after" | "newestFirst">,
): AsyncGenerator<Row<T>, RowsEnd, undefined> {
  return iterateRows(fetchPage, { ...options, after: cursor, newestFirst: false });
}

/** Collects an iteration's rows in a list. */
export async function collectRows<T>(
  rows: AsyncGenerator<Row<T>, RowsEnd, undefined>,
): Promise<{ readonly rows: readonly Row<T>[]; readonly end: RowsEnd }> {
  const collected: Row<T>[] = [];
  for (;;) {
    const step = await rows.next();
    if (step.done === true) return { rows: collected, end: step.value };
    collected.push(step.value);
  }
}
