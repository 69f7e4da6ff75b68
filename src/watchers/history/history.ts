import type { ApiClient, CallOptions, Operations } from "../../api/api-client.ts";
import { ApiError } from "../../api/api-error.ts";
import { collectRows, iterateRows, type Row, rowsNewerThan } from "../../api/client/iterate-rows.ts";
import type { NodeSelector } from "../sources/node-selector.ts";
import { type History, HistoryScan, type HistoryUpdate, MAX_FRESH_ROWS, REMEMBERED_ROWS } from "./history-scan.ts";
import type { HistoryState, KnownRow } from "./history-state.ts";

/** Seven days of a checkpoint a minute are ten thousand; a history in which the last one seen is not within this is another one. */
const MAX_ROWS_READ = 50_000;

/**
 * What is new since the last look. The node that gave the cursor is asked for what comes behind it; another one for
 * its newest rows, down to the last block seen. Rejects with ApiError, or the signal's reason.
 */
export async function readHistory<T>(
  api: ApiClient,
  history: History<T>,
  before: HistoryState | undefined,
  source: NodeSelector,
  signal: AbortSignal,
): Promise<HistoryUpdate<T>> {
  const options: CallOptions = { lane: "watchers", fresh: true, signal };
  if (before !== undefined) {
    const onwards = await readOnwards(api, history, before, source, options);
    if (onwards !== undefined) return onwards;
  }
  const look = await readBackwards(source.clientFor(api), api, history, before, options);
  return look.state.reset === undefined && look.lacking === undefined
    ? look
    : readOtherNodes(api, history, before, look, source, options);
}

/**
 * What one node does not have another may have: only where none of them goes on from what was seen, nor agrees with it
 * as far as its own history goes, has the network's begun anew.
 */
async function readOtherNodes<T>(
  api: ApiClient,
  history: History<T>,
  before: HistoryState | undefined,
  first: HistoryUpdate<T>,
  source: NodeSelector,
  options: CallOptions,
): Promise<HistoryUpdate<T>> {
  let lacking = first.lacking === undefined ? undefined : first;
  for (const node of api.nodes) {
    // One that stands still would show the old history for ever.
    if (node.name === first.state.node || node.health.circuitOpen || !source.isUpToDate(node.name)) continue;
    try {
      const look = await readBackwards(node, api, history, before, options);
      if (look.state.reset !== undefined || look.state.behind) continue;
      if (look.lacking === undefined) return look;
      lacking ??= look;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }
  return lacking ?? first;
}

/** From the cursor on; undefined where that cannot be, or where what should stand there does not. */
async function readOnwards<T>(
  api: ApiClient,
  history: History<T>,
  before: HistoryState,
  source: NodeSelector,
  options: CallOptions,
): Promise<HistoryUpdate<T> | undefined> {
  const node = source.node(api);
  if (before.cursor === undefined || node?.name !== before.cursor.node) return undefined;
  const reading = new HistoryScan<T>(history, before);
  try {
    const fetch = reading.recordingNode(history.fetch(node, options));
    const pages = rowsNewerThan(fetch, before.cursor.cursor, {
      maxRows: MAX_FRESH_ROWS + REMEMBERED_ROWS,
      ...signalOf(options),
    });
    const { rows } = await collectRows(pages);
    const placed = reading.place(rows);
    const last = before.recent.at(-1);
    return placed.some(({ key }) => key === last?.key) ? reading.finish(placed) : undefined;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** From the newest down to the last block seen; or, where nothing had been seen, the newest ones only. */
async function readBackwards<T>(
  from: Operations,
  api: ApiClient,
  history: History<T>,
  before: HistoryState | undefined,
  options: CallOptions,
): Promise<HistoryUpdate<T>> {
  const reading = new HistoryScan<T>(history, before);
  const fetch = reading.recordingNode(history.fetch(from, options));
  const last = before?.recent.at(-1);
  const maxRows = before === undefined ? REMEMBERED_ROWS : MAX_ROWS_READ;
  const rows: Row<T>[] = [];
  for await (const row of iterateRows(fetch, { maxRows, ...signalOf(options) })) {
    rows.push(row);
    const block = history.blockOf(row.node);
    // One row of an earlier block is taken along, for its cursor.
    if (last !== undefined && block !== undefined && block < last.block) break;
  }
  const placed = reading.place(rows.toReversed());
  if (before === undefined) return reading.seed(placed);
  if (last === undefined || placed.some(({ key }) => key === last.key)) return reading.finish(placed);
  // A node without rows may be one that has only begun: nothing is concluded from it.
  if (placed.length === 0 || reading.isBehind(placed)) return reading.unchanged();
  if (reading.lacksNewest(placed)) return reading.lacking();
  // What follows is asked of the node that showed the other history.
  const node = api.nodes.find(({ name }) => name === reading.node) ?? api;
  const anew = await readBackwards(node, api, history, undefined, options);
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

/** The look that reading begins anew with. */
function beginAnew<T>(anew: HistoryUpdate<T>, lastSeen: KnownRow, oldest: bigint | undefined): HistoryUpdate<T> {
  const newest = anew.state.recent.at(-1)?.block;
  const range = { ...(oldest === undefined ? {} : { oldest }), ...(newest === undefined ? {} : { newest }) };
  return { ...anew, state: { ...anew.state, reset: { lastSeen, ...range } } };
}
