import { z } from "zod";

import { type AlertEvent, EVENTS } from "../../alerts/judge/kinds/event.ts";
import { HISTORIES } from "../../api/histories.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import type { Watcher, WatcherOptions } from "../watcher.ts";
import { historyWatcher, listState } from "./history.ts";
import { overdueReading } from "./overdue.ts";

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
