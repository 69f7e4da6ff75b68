import type { Answer } from "../../src/api/api-client.ts";
import type { Page, PageRequest } from "../../src/api/model/page.ts";

/** The rows of a list, page by page, `maxRows` at most. */
export async function everyRow<T>(
  fetchPage: (request: PageRequest) => Promise<Answer<Page<T>>>,
  { maxRows, newestFirst = true }: { readonly maxRows: number; readonly newestFirst?: boolean },
): Promise<T[]> {
  const rows: T[] = [];
  let after: string | undefined;
  do {
    const first = Math.min(1000, maxRows - rows.length);
    const { value: page } = await fetchPage({ first, newestFirst, ...(after === undefined ? {} : { after }) });
    rows.push(...page.rows.map(({ node }) => node));
    after = page.hasNextPage ? page.endCursor : undefined;
  } while (after !== undefined && rows.length < maxRows);
  return rows;
}
