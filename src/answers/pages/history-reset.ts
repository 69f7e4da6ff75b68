import type { Answer, AsOf } from "../../api/api-client.ts";
import { ApiError, asApiError } from "../../api/api-error.ts";
import type { Page, PageRequest } from "../../api/model/page.ts";
import { code, text, type Text } from "../../reply/text.ts";
import type { Nanoseconds } from "../../units/nanoseconds.ts";

/** After a day the note ends; blocks since then count. */
const NOTE_NANOS = 86_400_000_000_000n;

/** The newest block that a list has shown in this process, by network and list; and when it was first missing. */
const newestShown = new WeakMap<object, Map<string, { readonly block: bigint; readonly goneSince?: Nanoseconds }>>();

/**
 * A note where a block that was shown before, or that a page continues from, lies ahead of the network's head: its
 * history began anew. A lagging node looks the same, so the note names both. Remembers the newest block shown.
 */
export function historyResetNote(
  api: object,
  list: string,
  page: { readonly heights: readonly (bigint | undefined)[]; readonly asOf: AsOf; readonly goesOnFrom?: bigint },
): Text | undefined {
  const { asOf, goesOnFrom } = page;
  const head = asOf.blockHeight;
  if (head === undefined) return undefined;
  const gone = goneBlock(api, list, page.heights, head, asOf.receivedAt);
  const why = text`${asOf.network} is at block ${head} there: its history began anew, or the node lags far behind.`;
  if (goesOnFrom !== undefined && goesOnFrom > head) {
    return text`This page should go on from block ${goesOnFrom}, which ${code(asOf.node)} does not have; ${why}`;
  }
  return gone === undefined
    ? undefined
    : text`Block ${gone}, shown here before, is gone from ${code(asOf.node)}; ${why}`;
}

function goneBlock(
  api: object,
  list: string,
  heights: readonly (bigint | undefined)[],
  head: bigint,
  now: Nanoseconds,
): bigint | undefined {
  const ofNetwork: NonNullable<ReturnType<typeof newestShown.get>> = newestShown.get(api) ?? new Map();
  newestShown.set(api, ofNetwork);
  const before = ofNetwork.get(list);
  const newest = heights.reduce<bigint>((most, one) => (one !== undefined && one > most ? one : most), 0n);
  if (before === undefined || before.block <= head || newest >= before.block) {
    const block = before !== undefined && before.block > newest ? before.block : newest;
    ofNetwork.set(list, { block });
    return undefined;
  }
  const goneSince = before.goneSince ?? now;
  const isOver = now - goneSince > NOTE_NANOS;
  ofNetwork.set(list, isOver ? { block: newest } : { block: before.block, goneSince });
  return isOver ? undefined : before.block;
}

/**
 * A note where a bare cursor lies ahead of everything that the node has. Cursors are opaque, so the node's answers
 * decide: it has nothing newer, and its newest row has another cursor. Undefined also where the node cannot be asked.
 * `get` asks that node. Rejects with the signal's reason.
 */
export async function cursorAheadNote<T>(
  get: (query: PageRequest) => Promise<Answer<Page<T>>>,
  cursor: string,
  node: string,
): Promise<Text | undefined> {
  // In this order: a row that arrives in between is newer than any typed cursor.
  const newest = await get({ first: 1, newestFirst: true }).catch(asApiError);
  if (newest instanceof ApiError) return undefined;
  const [top] = newest.value.rows;
  if (top !== undefined && (top.cursor === undefined || top.cursor === cursor)) return undefined;
  const newer = await get({ first: 1, newestFirst: false, after: cursor }).catch(asApiError);
  if (newer instanceof ApiError || newer.value.rows.length > 0) return undefined;
  return text`This page should go on from a row that ${code(node)} does not have, nor anything newer: its history began anew, or it lags far behind.`;
}
