// Reads the new rows of a list such as checkpoints from whichever node has them, and tells a lagging node from a history
// that was reset. Next: read-rows.ts (one node's list), history-update.ts (what it means after what was seen before),
// then lists.ts (what differs); node-histories.ts compares the nodes.

import { z } from "zod";

import type { AlertEvent } from "../../alerts/judge/kinds/event.ts";
import { type Shape, timeToText } from "../../alerts/judge/kinds/kind.ts";
import type { Reading } from "../../alerts/judge/kinds/reading.ts";
import type { ApiClient, CallOptions } from "../../api/api-client.ts";
import { ApiError } from "../../api/api-error.ts";
import type { History } from "../../api/histories.ts";
import { integerCodec, storedAs, timeCodec } from "../../api/verdict/memory.ts";
import type { Milliseconds, Nanoseconds } from "../../units/time.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import { NodeSelector } from "../sources/node-selector.ts";
import { findingsOrNothing } from "../kept.ts";
import type { Watcher, WatcherOptions } from "../watcher.ts";
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

/** The part of a row by which it is recognized. */
const knownRow = z.object({
  /** Unique in the history: its block, then its name within the block. */
  key: z.string(),
  block: integerCodec,
  /** When its block was made, as far as looks before and after it tell. */
  at: timeCodec.exactOptional(),
});
export type KnownRow = z.output<typeof knownRow>;

const blockPoint = z.object({ height: integerCodec, time: timeCodec });

/** What is remembered of a history. */
export const historyState = z.object({
  /** The rows seen that have the latest blocks, in chain order, the newest last. */
  recent: z.array(knownRow).readonly(),
  /** The node whose whole list is in `recent`: a row of an early block that it lists later on is new, too. */
  wholeOf: z.string().exactOptional(),
  /** The times of blocks (see BlockClock), where nodes give them. */
  first: blockPoint.exactOptional(),
  point: blockPoint.exactOptional(),
  paces: z.array(integerCodec).readonly().exactOptional(),
  /** Of the last answer. */
  node: z.string(),
  receivedAt: timeCodec,
  /** The node was behind an earlier answer, so that nothing in its own was new. */
  behind: z.boolean(),
  /** The newest row seen is gone. */
  reset: z
    .object({
      lastSeen: knownRow,
      oldest: integerCodec.exactOptional(),
      newest: integerCodec.exactOptional(),
      /** The list only begins later now, and what it has was read on; else reading has begun anew. */
      pruned: z.literal(true).exactOptional(),
    })
    .exactOptional(),
  /** The keys of the rows whose loss was told, the last ones. */
  lost: z.array(z.string()).readonly().exactOptional(),
});
export type HistoryState = z.output<typeof historyState>;

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
    kept: (_, { findings }) => findingsOrNothing(findings),
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

/** What is remembered of a list, with its new rows in chain order; `fields` are those of a row's event. */
export function listState<F extends Shape>(fields: F) {
  return z.object({
    history: historyState,
    fresh: z.array(z.object({ key: z.string(), node: z.string(), ...fields })),
  });
}

type ResetEvent = Extract<AlertEvent, { kind: "history.reset" }>;

/** One event where the last row seen is gone; its key is that row, so that it is announced once. */
function resetEvents(
  network: string,
  what: ResetEvent["what"],
  { reset, node }: HistoryState,
  at: Nanoseconds,
): readonly ResetEvent[] {
  if (reset === undefined) return [];
  const { lastSeen, oldest, newest, pruned } = reset;
  return [
    {
      kind: "history.reset",
      network,
      subject: "",
      key: `${what}/${lastSeen.key}`,
      at: timeToText(at),
      node,
      what,
      lastSeen: lastSeen.block.toString(),
      ...withoutUndefined({ oldest: oldest?.toString(), newest: newest?.toString(), pruned }),
    },
  ];
}
