import { z } from "zod";

import type { AlertEvent } from "../../alerts/judge/kinds/event.ts";
import { timeToText } from "../../alerts/judge/kinds/json-fields.ts";
import type { Reading } from "../../alerts/judge/kinds/reading.ts";
import type { Checkpoint } from "../../api/model/network.ts";
import { millisBetween } from "../../api/verdict/verdict.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { storedAs } from "../snapshot-schema.ts";
import { NodeSelector } from "../sources/node-selector.ts";
import type { Watcher, WatcherOptions } from "../watcher.ts";
import type { History } from "./read-rows.ts";
import { historyState, type HistoryState, resetEvents } from "./history-state.ts";
import { readHistory } from "./history.ts";

const CheckpointsState = z.object({
  history: historyState,
  /** New rows, in chain order. */
  fresh: z.array(
    z.object({
      key: z.string(),
      node: z.string(),
      atBlock: z.string(),
      hash: z.string(),
      blockHash: z.string().exactOptional(),
    }),
  ),
});
type CheckpointsSnapshot = z.input<typeof CheckpointsState>;

export const checkpoints: History<Checkpoint> = {
  fetch: (from, options) => (request) => from.getCheckpoints(request, options),
  blockOf: ({ atBlock }) => atBlock,
  nameOf: ({ hash = "" }) => hash,
};

/** New checkpoints, in chain order; an overdue one; and a history that was reset. */
export function checkpointsWatcher(
  options: Pick<WatcherOptions, "network" | "nodes" | "config" | "selector">,
): Watcher<CheckpointsSnapshot> {
  const { network, nodes, config, selector = new NodeSelector() } = options;
  return {
    name: "checkpoints",
    every: config.poll.checkpoints,
    snapshot: storedAs(CheckpointsState),
    async observe(api, { before }, signal) {
      const last = before === undefined ? undefined : CheckpointsState.decode(before).history;
      const { fresh, state } = await readHistory(api, checkpoints, last, selector, signal);
      return CheckpointsState.encode({
        history: state,
        fresh: fresh.map(({ key, block, node, row: { hash = "", blockHash } }) => ({
          key,
          node,
          atBlock: block.toString(),
          hash,
          ...(blockHash === undefined ? {} : { blockHash }),
        })),
      });
    },
    judge(before, after, at) {
      const { history: state, fresh } = CheckpointsState.decode(after);
      const events: AlertEvent[] = [
        ...resetEvents(network, "checkpoints", state, at),
        ...fresh.map((row) => ({ kind: "checkpoint.new" as const, network, subject: "", at: timeToText(at), ...row })),
      ];
      return {
        readings: [overdueReading(network, nodes, state)],
        events: before === undefined ? [] : events,
      };
    },
  };
}

/** With fewer gaps between checkpoints the usual spacing is unknown. */
const MIN_GAPS = 3;

/**
 * The age of the last checkpoint, and the usual spacing; unknown until the pace of the blocks is learned. The age is by
 * the network's own time where nodes give it, so that neither a stall nor a lagging node nor this computer's clock makes
 * a checkpoint overdue.
 */
function overdueReading(network: string, nodes: number, state: HistoryState): Reading {
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
  if (gaps.length < MIN_GAPS) return undefined;
  return gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)];
}
