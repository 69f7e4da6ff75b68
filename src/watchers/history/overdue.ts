import type { Reading } from "../../alerts/judge/kinds/reading.ts";
import { millisBetween } from "../../api/verdict/verdict.ts";
import { median } from "../../units/decimal.ts";
import type { Milliseconds } from "../../units/duration.ts";
import type { WatcherOptions } from "../watcher.ts";
import type { HistoryState } from "./history.ts";

/** With fewer gaps between rows the usual spacing is unknown. */
const MIN_GAPS = 3;

/**
 * The age of the newest row, and the usual spacing; unknown until the pace of the blocks is learned. The age is by
 * the network's own time where nodes give it, so that neither a stall nor a lagging node nor this computer's clock makes
 * one overdue.
 */
export function overdueReading(
  kind: "checkpoint.overdue" | "snapshot.overdue",
  { network, nodes }: Pick<WatcherOptions, "network" | "nodes">,
  state: HistoryState,
): Reading {
  const { recent, point, receivedAt, node, behind } = state;
  const last = recent.at(-1);
  const usualMillis = usualSpacing(state);
  const common = { kind, network, subject: "", nodes, seenBy: [node] } as const;
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

/** The median of the spans between the newest rows of different blocks; withdrawals make extra checkpoints. */
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
