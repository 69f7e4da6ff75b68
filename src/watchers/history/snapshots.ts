import { z } from "zod";

import type { AlertEvent } from "../../alerts/judge/kinds/event.ts";
import { timeToText } from "../../alerts/judge/kinds/json-fields.ts";
import type { Snapshot } from "../../api/model/network.ts";
import type { Nanoseconds } from "../../units/nanoseconds.ts";
import { storedAs } from "../snapshot-schema.ts";
import { NodeSelector } from "../sources/node-selector.ts";
import type { Watcher, WatcherOptions } from "../watcher.ts";
import type { History } from "./read-rows.ts";
import { historyState, resetEvents } from "./history-state.ts";
import { readHistory } from "./history.ts";

const SnapshotsState = z.object({
  history: historyState,
  /** New rows, in chain order. */
  fresh: z.array(
    z.object({
      key: z.string(),
      node: z.string(),
      blockHeight: z.string(),
      blockHash: z.string().exactOptional(),
      coreVersion: z.string().exactOptional(),
    }),
  ),
  /** Of the newest snapshot that named one. */
  coreVersion: z.string().exactOptional(),
});
type SnapshotsSnapshot = z.input<typeof SnapshotsState>;

export const snapshots: History<Snapshot> = {
  fetch: (from, options) => (request) => from.getSnapshots(request, options),
  blockOf: ({ blockHeight }) => blockHeight,
  nameOf: ({ blockHash = "" }) => blockHash,
};

/** New snapshots of the core's state, and the core's version where it changes from one to the next. */
export function snapshotsWatcher(
  options: Pick<WatcherOptions, "network" | "config" | "selector">,
): Watcher<SnapshotsSnapshot> {
  const { network, config, selector = new NodeSelector() } = options;
  return {
    name: "snapshots",
    every: config.poll.rest,
    snapshot: storedAs(SnapshotsState),
    async observe(api, context, signal) {
      const before = context.before === undefined ? undefined : SnapshotsState.decode(context.before);
      const update = await readHistory(api, snapshots, before?.history, selector, signal);
      const fresh = update.fresh.map(({ key, block, node, row: { blockHash, coreVersion } }) => ({
        key,
        node,
        blockHeight: block.toString(),
        ...(blockHash === undefined ? {} : { blockHash }),
        ...(coreVersion === undefined ? {} : { coreVersion }),
      }));
      const coreVersion = update.newest?.coreVersion ?? before?.coreVersion;
      return SnapshotsState.encode({
        history: update.state,
        fresh,
        ...(coreVersion === undefined ? {} : { coreVersion }),
      });
    },
    judge(before, after, at) {
      if (before === undefined) return { readings: [], events: [] };
      const state = SnapshotsState.decode(after);
      const last = SnapshotsState.decode(before);
      return {
        readings: [],
        events: [...resetEvents(network, "snapshots", state.history, at), ...snapshotEvents(network, last, state, at)],
      };
    },
  };
}

/** Each snapshot, followed by an upgrade where its version differs from the one before. */
function snapshotEvents(
  network: string,
  last: z.output<typeof SnapshotsState>,
  { fresh, coreVersion, history: { node } }: z.output<typeof SnapshotsState>,
  at: Nanoseconds,
): readonly AlertEvent[] {
  const seen = { network, subject: "", at: timeToText(at) };
  let running = last.coreVersion;
  const newest = last.history.recent.at(-1)?.block;
  const upgrade = (to: string | undefined, where: { node: string; blockHeight?: string }): AlertEvent[] => {
    const from = running;
    running = to ?? running;
    if (from === undefined || to === undefined || from === to) return [];
    return [{ kind: "core.upgraded", ...seen, ...where, key: `${from}>${to}/${where.blockHeight ?? ""}`, from, to }];
  };
  const events = fresh.flatMap((row): AlertEvent[] => [
    { kind: "snapshot.new", ...seen, ...row },
    // One that was listed late says nothing of the version that runs now.
    ...(newest !== undefined && BigInt(row.blockHeight) < newest
      ? []
      : upgrade(row.coreVersion, { node: row.node, blockHeight: row.blockHeight })),
  ]);
  // After a reset no row is fresh, yet the version may have changed.
  return [...events, ...upgrade(coreVersion, { node })];
}
