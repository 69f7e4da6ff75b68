// The lists whose histories are watched: checkpoints, snapshots, and the rotations of keys of validators.

import { z } from "zod";

import { type AlertEvent, EVENTS } from "../../alerts/judge/kinds/event.ts";
import { HISTORIES } from "../../api/histories.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import type { Watcher, WatcherOptions } from "../watcher.ts";
import { historyWatcher, listState } from "./history.ts";
import { overdueReading } from "./overdue.ts";

const CheckpointsState = listState(EVENTS["checkpoint.new"].fields);

/** New checkpoints; an overdue one. */
export function checkpointsWatcher(
  options: Pick<WatcherOptions, "network" | "nodes" | "config" | "selector">,
): Watcher<z.input<typeof CheckpointsState>> {
  return historyWatcher(HISTORIES.checkpoints, options, {
    every: options.config.poll.checkpoints,
    state: CheckpointsState,
    after: ({ fresh, state }) => ({
      history: state,
      fresh: fresh.map(({ key, block, node, row: { hash = "", blockHash } }) =>
        withoutUndefined({ key, node, atBlock: block.toString(), hash, blockHash }),
      ),
    }),
    events: ({ fresh }, _, seen) =>
      fresh.map((row) => ({ kind: "checkpoint.new" as const, ...seen, subject: "", ...row })),
    readings: (state) => [overdueReading("checkpoint.overdue", options, state)],
  });
}

const RotationsState = listState(EVENTS["rotation.new"].fields);

/** Validators that change their Ethereum key. Each event's subject is the validator's id. */
export function rotationsWatcher(
  options: Pick<WatcherOptions, "network" | "config" | "selector">,
): Watcher<z.input<typeof RotationsState>> {
  return historyWatcher(HISTORIES.rotations, options, {
    every: options.config.poll.rest,
    state: RotationsState,
    async after({ fresh, state }, _, api, signal) {
      const named = fresh.length === 0 ? [] : await api.getNodeNames({ lane: "watchers", signal });
      const names = new Map(named.map(({ id, name }) => [id, name]));
      return {
        history: state,
        fresh: fresh.map(({ key, block, node, row: { nodeId = "", oldAddress = "", newAddress = "" } }) => {
          const nodeName = names.get(nodeId);
          return withoutUndefined({
            key,
            node,
            blockHeight: block.toString(),
            nodeId,
            nodeName,
            oldAddress,
            newAddress,
          });
        }),
      };
    },
    events: ({ fresh }, _, seen) =>
      fresh.map((row) => ({ kind: "rotation.new" as const, ...seen, subject: row.nodeId, ...row })),
  });
}

const SnapshotsState = listState(EVENTS["snapshot.new"].fields).extend({
  /** Of the newest snapshot that named one. */
  coreVersion: z.string().exactOptional(),
});

/** New snapshots of the core's state, an overdue one, and the core's version where it changes. */
export function snapshotsWatcher(
  options: Pick<WatcherOptions, "network" | "nodes" | "config" | "selector">,
): Watcher<z.input<typeof SnapshotsState>> {
  return historyWatcher(HISTORIES.snapshots, options, {
    every: options.config.poll.rest,
    state: SnapshotsState,
    after({ fresh, newest, state }, before) {
      const coreVersion = newest?.coreVersion ?? before?.coreVersion;
      return {
        history: state,
        fresh: fresh.map(({ key, block, node, row: { blockHash, coreVersion: version } }) =>
          withoutUndefined({ key, node, blockHeight: block.toString(), blockHash, coreVersion: version }),
        ),
        ...withoutUndefined({ coreVersion }),
      };
    },
    events: snapshotEvents,
    readings: (state) => [overdueReading("snapshot.overdue", options, state)],
  });
}

/** Each snapshot, followed by an upgrade where its version differs from the one before. */
function snapshotEvents(
  { fresh, coreVersion, history: { node } }: z.output<typeof SnapshotsState>,
  before: z.output<typeof SnapshotsState>,
  common: { readonly network: string; readonly at: string },
): readonly AlertEvent[] {
  const seen = { ...common, subject: "" };
  let running = before.coreVersion;
  const newest = before.history.recent.at(-1)?.block;
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
