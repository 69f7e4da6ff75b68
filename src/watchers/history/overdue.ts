import type { Reading } from "../../alerts/judge/kinds/reading.ts";
import { millisBetween } from "../../api/verdict/verdict.ts";
import { median } from "../../units/decimal.ts";
import type { Milliseconds } from "../../units/time.ts";
import type { WatcherOptions } from "../watcher.ts";
import type { HistoryState } from "./history.ts";

/** With fewer gaps between rows the usual spacing is unknown. */
const MIN_GAPS = 3;
/** The pace of blocks varies by so much without a halt. */
const PACE_VARIES = 1.1;

/**
 * The age of the newest row, and the usual spacing; unknown until the pace of the blocks is learned. The age is by
 * the network's own time where nodes give it, so that neither a stall nor a lagging node nor this computer's clock makes
 * one overdue; nor does a halt that is over, during which no block was made that a row could follow.
 */
export function overdueReading(
  kind: "checkpoint.overdue" | "snapshot.overdue",
  { network, nodes }: Pick<WatcherOptions, "network" | "nodes">,
  state: HistoryState,
): Reading {
  const { recent, point, receivedAt, node, behind } = state;
  const last = recent.at(-1);
  const usual = usualSpacing(state);
  const common = { kind, network, subject: "", nodes, seenBy: [node] } as const;
  const lastBlock = last === undefined ? {} : { lastBlock: last.block.toString() };
  if (behind) {
    const why = `${node} stands behind what was seen before`;
    return { ...common, state: "unknown", why, facts: lastBlock };
  }
  if (last?.at === undefined || usual === undefined) {
    return { ...common, state: "unknown", why: "the usual spacing is not known yet", facts: lastBlock };
  }
  const { usualMillis, usualBlocks } = usual;
  const ageMillis = Math.max(0, millisBetween(last.at, point?.time ?? receivedAt));
  const blocks = point === undefined ? undefined : Number(point.height - last.block);
  // So many blocks take as long, where the network goes on.
  const byBlocks = blocks === undefined ? Infinity : Math.max(0, Math.ceil((blocks * usualMillis) / usualBlocks));
  const sinceMillis = byBlocks * PACE_VARIES < ageMillis ? byBlocks : ageMillis;
  return { ...common, state: "good", facts: { sinceMillis, usualMillis, ...lastBlock } };
}

/** The median of the spans between the newest rows of different blocks; withdrawals make extra checkpoints. */
function usualSpacing({
  recent,
}: HistoryState): { readonly usualMillis: Milliseconds; readonly usualBlocks: number } | undefined {
  const gaps: { readonly millis: Milliseconds; readonly blocks: number }[] = [];
  let previous: HistoryState["recent"][number] | undefined;
  for (const row of recent) {
    if (previous?.at !== undefined && row.at !== undefined && row.block > previous.block) {
      // Nodes that disagree about time can place a row before an earlier one; such a gap is ignored.
      const millis = millisBetween(previous.at, row.at);
      if (millis >= 0) gaps.push({ millis, blocks: Number(row.block - previous.block) });
    }
    previous = row;
  }
  if (gaps.length < MIN_GAPS) return undefined;
  const usualMillis = median(gaps.map(({ millis }) => millis));
  const usualBlocks = median(gaps.map(({ blocks }) => blocks));
  return usualMillis === undefined || usualBlocks === undefined ? undefined : { usualMillis, usualBlocks };
}
