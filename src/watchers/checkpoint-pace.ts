import type { Reading } from "../alerts/kinds/reading.ts";
import { millisBetween } from "../api/verdict/verdict.ts";
import type { Milliseconds } from "../units/duration.ts";
import type { HistoryState } from "./history-state.ts";

/** Below so many gaps between checkpoints, nobody can say what is usual. */
const MIN_GAPS = 3;

/**
 * How long ago the last checkpoint was made, by the network's own time where it is told: neither a stall nor a node
 * that stands behind, nor this computer's clock, makes one overdue. And how far apart they usually are.
 */
export function overdueReading(network: string, nodes: number, state: HistoryState): Reading {
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
      // Nodes that disagree about time can place a row before an earlier one: that says nothing of the spacing.
      const gap = millisBetween(previous.at, row.at);
      if (gap >= 0) gaps.push(gap);
    }
    previous = row;
  }
  if (gaps.length < MIN_GAPS) return undefined;
  return gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)];
}
