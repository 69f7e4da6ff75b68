// Reads the new rows of a list that only grows at its end, such as checkpoints, from whichever node has them, and tells
// a lagging node from a history that was reset. Next: history-scan.ts (puts one reading together), history-state.ts (how
// far a history was read), then the watchers: checkpoints.ts, snapshots.ts, rotations.ts.

import type { ApiClient, CallOptions, Operations } from "../../api/api-client.ts";
import { ApiError } from "../../api/api-error.ts";
import { collectRows, iterateRows, type Row, rowsNewerThan } from "../../api/client/iterate-rows.ts";
import type { NodeSelector } from "../sources/node-selector.ts";
import { type History, HistoryScan, type HistoryUpdate, MAX_FRESH_ROWS, REMEMBERED_ROWS } from "./history-scan.ts";
import type { HistoryState, KnownRow } from "./history-state.ts";

/** Seven days of a checkpoint a minute are ten thousand; a history without the last row seen among so many is another one. */
const MAX_ROWS_READ = 50_000;

/**
 * The rows that are new since the state before. The node that gave the cursor is asked for the rows behind it; another one
 * for its newest rows, down to the last block seen. Rejects with ApiError, or the signal's reason.
 */
export async function readHistory<T>(
  api: ApiClient,
  history: History<T>,
  before: HistoryState | undefined,
  selector: NodeSelector,
  signal: AbortSignal,
): Promise<HistoryUpdate<T>> {
  const options: CallOptions = { lane: "watchers", fresh: true, signal };
  if (before !== undefined) {
    const forward = await readForward(api, history, before, selector, options);
    if (forward !== undefined) return forward;
  }
  const update = await readBackward(selector.clientFor(api), api, history, before, options);
  return update.state.reset === undefined && update.lacking === undefined
    ? update
    : readOtherNodes(api, history, before, update, selector, options);
}

/**
 * Rows that one node lacks another may have: only where no node continues the rows seen, nor agrees with them as far as
 * its own history goes, was the network's history reset.
 */
async function readOtherNodes<T>(
  api: ApiClient,
  history: History<T>,
  before: HistoryState | undefined,
  first: HistoryUpdate<T>,
  selector: NodeSelector,
  options: CallOptions,
): Promise<HistoryUpdate<T>> {
  let lacking = first.lacking === undefined ? undefined : first;
  for (const node of api.nodes) {
    // A lagging node would show the old history for ever.
    if (node.name === first.state.node || node.health.circuitOpen || !selector.isUpToDate(node.name)) continue;
    try {
      const update = await readBackward(node, api, history, before, options);
      if (update.state.reset !== undefined || update.state.behind) continue;
      if (update.lacking === undefined) return update;
      lacking ??= update;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }
  return lacking ?? first;
}

/** From the cursor on; undefined where that is not possible, or where the last row seen is not there. */
async function readForward<T>(
  api: ApiClient,
  history: History<T>,
  before: HistoryState,
  selector: NodeSelector,
  options: CallOptions,
): Promise<HistoryUpdate<T> | undefined> {
  const node = selector.select(api);
  if (before.cursor === undefined || node?.name !== before.cursor.node) return undefined;
  const scan = new HistoryScan<T>(history, before);
  try {
    const fetch = scan.recordingNode(history.fetch(node, options));
    const pages = rowsNewerThan(fetch, before.cursor.cursor, {
      maxRows: MAX_FRESH_ROWS + REMEMBERED_ROWS,
      ...signalOf(options),
    });
    const { rows } = await collectRows(pages);
    const placed = scan.place(rows);
    const last = before.recent.at(-1);
    return placed.some(({ key }) => key === last?.key) ? scan.finish(placed) : undefined;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** From the newest row down to the last block seen; without a state before, the newest rows only. */
async function readBackward<T>(
  from: Operations,
  api: ApiClient,
  history: History<T>,
  before: HistoryState | undefined,
  options: CallOptions,
): Promise<HistoryUpdate<T>> {
  const scan = new HistoryScan<T>(history, before);
  const fetch = scan.recordingNode(history.fetch(from, options));
  const last = before?.recent.at(-1);
  const maxRows = before === undefined ? REMEMBERED_ROWS : MAX_ROWS_READ;
  const rows: Row<T>[] = [];
  for await (const row of iterateRows(fetch, { maxRows, ...signalOf(options) })) {
    rows.push(row);
    const block = history.blockOf(row.node);
    // One row of an earlier block is included, for its cursor.
    if (last !== undefined && block !== undefined && block < last.block) break;
  }
  const placed = scan.place(rows.toReversed());
  if (before === undefined) return scan.seed(placed);
  if (last === undefined || placed.some(({ key }) => key === last.key)) return scan.finish(placed);
  // A node without rows may have only just started: nothing follows from it.
  if (placed.length === 0 || scan.isBehind(placed)) return scan.unchanged();
  if (scan.lacksNewest(placed)) return scan.lacking();
  // The rest is read from the node that showed the other history.
  const node = api.nodes.find(({ name }) => name === scan.node) ?? api;
  const anew = await readBackward(node, api, history, undefined, options);
  return beginAnew(anew, last, await oldestBlock(history, node, options));
}

async function oldestBlock<T>(
  history: History<T>,
  from: Operations,
  options: CallOptions,
): Promise<bigint | undefined> {
  const { value } = await history.fetch(from, options)({ first: 1, newestFirst: false });
  const [oldest] = value.rows;
  return oldest === undefined ? undefined : history.blockOf(oldest.node);
}

function signalOf({ signal }: CallOptions): Pick<CallOptions, "signal"> {
  return signal === undefined ? {} : { signal };
}

/** The update after a reset. */
function beginAnew<T>(anew: HistoryUpdate<T>, lastSeen: KnownRow, oldest: bigint | undefined): HistoryUpdate<T> {
  const newest = anew.state.recent.at(-1)?.block;
  const range = { ...(oldest === undefined ? {} : { oldest }), ...(newest === undefined ? {} : { newest }) };
  return { ...anew, state: { ...anew.state, reset: { lastSeen, ...range } } };
}
