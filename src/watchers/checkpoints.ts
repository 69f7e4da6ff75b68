import { z } from "zod";

import type { AlertEvent } from "../alerts/kinds/event.ts";
import { timeToText } from "../alerts/kinds/json-fields.ts";
import type { Checkpoint } from "../api/model/network.ts";
import { NodeSelector } from "./best-source.ts";
import { overdueReading } from "./checkpoint-pace.ts";
import { resetEvents } from "./history-events.ts";
import type { History } from "./history-reading.ts";
import { historyState } from "./history-state.ts";
import { storedAs } from "./kept-as.ts";
import { readHistory } from "./read-history.ts";
import type { Watcher, WatcherOptions } from "./watcher.ts";

const CheckpointsState = z.object({
  history: historyState,
  /** What was new, in chain order. */
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

const history: History<Checkpoint> = {
  fetch: (from, options) => (request) => from.getCheckpoints(request, options),
  blockOf: ({ atBlock }) => atBlock,
  nameOf: ({ hash = "" }) => hash,
};

/** New checkpoints, in chain order, none left out; one that is overdue; and a history that was reset. */
export function checkpointsWatcher(
  options: Pick<WatcherOptions, "network" | "nodes" | "config" | "source">,
): Watcher<CheckpointsSnapshot> {
  const { network, nodes, config, source = new NodeSelector() } = options;
  return {
    name: "checkpoints",
    every: config.poll.checkpoints,
    snapshot: storedAs(CheckpointsState),
    async observe(api, { before }, signal) {
      const last = before === undefined ? undefined : CheckpointsState.decode(before).history;
      const { fresh, state } = await readHistory(api, history, last, source, signal);
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
