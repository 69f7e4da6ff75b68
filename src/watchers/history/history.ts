// Reads the new rows of a list such as checkpoints from whichever node has them, and tells a lagging node from a history
// that was reset. Next: read-rows.ts (one node's list), history-update.ts (what it means after what was seen before),
// history-state.ts (what is remembered), then the watchers: checkpoints.ts, snapshots.ts, rotations.ts; node-histories.ts
// compares the nodes.

import type { ApiClient, CallOptions } from "../../api/api-client.ts";
import { ApiError } from "../../api/api-error.ts";
import type { NodeSelector } from "../sources/node-selector.ts";
import type { HistoryState } from "./history-state.ts";
import { type HistoryUpdate, updateHistory } from "./history-update.ts";
import { type History, readRows } from "./read-rows.ts";

/**
 * The rows that are new since the state before. Rows that one node lacks another may have: only where no node continues
 * the rows seen, nor agrees with them as far as its own list goes, the first one's answer counts as it is. Rejects with
 * ApiError, or the signal's reason.
 */
export async function readHistory<T>(
  api: ApiClient,
  history: History<T>,
  before: HistoryState | undefined,
  selector: NodeSelector,
  signal: AbortSignal,
): Promise<HistoryUpdate<T>> {
  const options: CallOptions = { lane: "watchers", fresh: true, signal };
  const floor = before?.recent[0]?.block;
  const first = updateHistory(
    history,
    before,
    await readRows(api, history, selector.clientFor(api), { ...options, floor }),
  );
  if (first.relation === "continues" || first.relation === "behind") return first;
  let lacking = first.relation === "lacks" ? first : undefined;
  for (const node of api.nodes) {
    // A lagging node would show the old history for ever, a diverging one its own.
    if (node.name === first.state.node || node.health.circuitOpen || !selector.isTrusted(node.name)) continue;
    try {
      const update = updateHistory(history, before, await readRows(api, history, node, { ...options, floor }));
      if (update.relation === "continues") return update;
      if (update.relation === "lacks") lacking ??= update;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }
  return lacking ?? first;
}
