// Reads the new rows of a list such as checkpoints from whichever node has them, and tells a lagging node from a history
// that was reset. Next: read-rows.ts (one node's list), history-update.ts (what it means after what was seen before),
// history-state.ts (what is remembered), then what differs: checkpoints.ts, snapshots.ts, rotations.ts; node-histories.ts
// compares the nodes.

import type { z } from "zod";

import type { AlertEvent } from "../../alerts/judge/kinds/event.ts";
import { timeToText } from "../../alerts/judge/kinds/json-fields.ts";
import type { Reading } from "../../alerts/judge/kinds/reading.ts";
import type { ApiClient, CallOptions } from "../../api/api-client.ts";
import { ApiError } from "../../api/api-error.ts";
import type { History } from "../../api/histories.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { storedAs } from "../snapshot-schema.ts";
import { NodeSelector } from "../sources/node-selector.ts";
import type { Watcher, WatcherOptions } from "../watcher.ts";
import { type HistoryState, resetEvents } from "./history-state.ts";
import { type HistoryUpdate, updateHistory } from "./history-update.ts";
import { readRows } from "./read-rows.ts";

interface ListState {
  readonly history: HistoryState;
}

/** What differs from list to list. */
interface WatchedList<T, State extends ListState, Snapshot> {
  readonly every: Milliseconds;
  readonly state: z.ZodType<State, Snapshot>;
  /** The state after an update, with what the list remembers of its new rows. */
  after(
    update: HistoryUpdate<T>,
    before: State | undefined,
    api: ApiClient,
    signal: AbortSignal,
  ): State | Promise<State>;
  events(after: State, before: State, seen: { readonly network: string; readonly at: string }): readonly AlertEvent[];
  readings?(state: HistoryState): readonly Reading[];
}

/** Watches a list: its new rows in chain order, and a history that was reset. */
export function historyWatcher<T, State extends ListState, Snapshot>(
  history: History<T>,
  { network, selector = new NodeSelector() }: Pick<WatcherOptions, "network" | "selector">,
  list: WatchedList<T, State, Snapshot>,
): Watcher<Snapshot> {
  const { every, state } = list;
  return {
    name: history.name,
    every,
    snapshot: storedAs(state),
    async observe(api, context, signal) {
      const before = context.before === undefined ? undefined : state.decode(context.before);
      const update = await readHistory(api, history, before?.history, selector, signal);
      return state.encode(await list.after(update, before, api, signal));
    },
    judge(before, stored, at) {
      const after = state.decode(stored);
      const seen = { network, at: timeToText(at) };
      return {
        readings: list.readings?.(after.history) ?? [],
        events:
          before === undefined
            ? []
            : [
                ...resetEvents(network, history.name, after.history, at),
                ...list.events(after, state.decode(before), seen),
              ],
      };
    },
  };
}

/**
 * The rows that are new since the state before. Rows that one node lacks another may have: only where no node continues
 * the rows seen, nor agrees with them as far as its own list goes, the first one's answer counts as it is. Rejects with
 * ApiError, or the signal's reason.
 */
async function readHistory<T>(
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
