import type { z } from "zod";

import { EVENTS } from "../../alerts/judge/kinds/event.ts";
import type { Reading } from "../../alerts/judge/kinds/reading.ts";
import { HISTORIES } from "../../api/histories.ts";
import { millisBetween } from "../../api/verdict/verdict.ts";
import { median } from "../../units/decimal.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import type { Watcher, WatcherOptions } from "../watcher.ts";
import { type HistoryState, historyWatcher, listState } from "./history.ts";

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
    readings: (state) => [overdueReading(options, state)],
  });
}

/** With fewer gaps between checkpoints the usual spacing is unknown. */
const MIN_GAPS = 3;

/**
 * The age of the last checkpoint, and the usual spacing; unknown until the pace of the blocks is learned. The age is by
 * the network's own time where nodes give it, so that neither a stall nor a lagging node nor this computer's clock makes
 * a checkpoint overdue.
 */
function overdueReading({ network, nodes }: Pick<WatcherOptions, "network" | "nodes">, state: HistoryState): Reading {
  const { recent, point, receivedAt, node, behind } = state;
  const last = recent.at(-1);
  const usualMillis = usualSpacing(state);
  const common = { kind: "checkpoint.overdue", network, subject: "", nodes, seenBy: [node] } as const;
  const lastBlock = last === undefined ? {} : { lastBlock: last.block.toString() };
  if (behind) {
    const why = `${node} stands behind what was seen before`;
    return { ...common, state: "unknown", why, facts: lastBlock };
  }
  if (last?.at === undefined || usualMillis === undefined) {
    return { ...common, state: "unknown", why: "the usual spacing is not known yet", facts: lastBlock };
  }
  const sinceMillis = Math.max(0, millisBetween(last.at, point?.time ?? receivedAt));
  return { ...common, state: "good", facts: { sinceMillis, usualMillis, ...lastBlock } };
}

/** The median of the spans between the last checkpoints of different blocks; withdrawals make extra ones. */
function usualSpacing({ recent }: HistoryState): Milliseconds | undefined {
  const gaps: Milliseconds[] = [];
  let previous: HistoryState["recent"][number] | undefined;
  for (const row of recent) {
    if (previous?.at !== undefined && row.at !== undefined && row.block > previous.block) {
      // Nodes that disagree about time can place a row before an earlier one; such a gap is ignored.
      const gap = millisBetween(previous.at, row.at);
      if (gap >= 0) gaps.push(gap);
    }
    previous = row;
  }
  return gaps.length < MIN_GAPS ? undefined : median(gaps);
}
