import type { z } from "zod";

import { EVENTS } from "../../alerts/judge/kinds/event.ts";
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
