import type { Answer } from "../api/api-client.ts";
import { ApiError } from "../api/api-error.ts";
import type { Page, PageRequest } from "../api/page.ts";
import { code, text, type Text } from "../reply/text.ts";

/**
 * One sentence where a cursor that somebody typed, of whose row nothing is known, belongs ahead of all that a node has.
 * Cursors are opaque, so the node's own answers tell: it has nothing newer, and its newest row is another one.
 * Undefined also where that cannot be found out. `get` asks that very node. Rejects with the signal's reason.
 */
export async function cursorAheadNote<T>(
  get: (query: PageRequest) => Promise<Answer<Page<T>>>,
  cursor: string,
  node: string,
): Promise<Text | undefined> {
  try {
    // In this order: a row that comes in between is newer than any cursor that could be typed.
    const newest = await get({ first: 1, newestFirst: true });
    const [top] = newest.value.rows;
    if (top !== undefined && (top.cursor === undefined || top.cursor === cursor)) return undefined;
    const newer = await get({ first: 1, newestFirst: false, after: cursor });
    if (newer.value.rows.length > 0) return undefined;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
  return text`This page should go on from a row that ${code(node)} does not have, nor anything newer: its history began anew, or it lags far behind.`;
}
