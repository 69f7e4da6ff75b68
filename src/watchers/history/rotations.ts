import { z } from "zod";

import { timeToText } from "../../alerts/judge/kinds/json-fields.ts";
import type { KeyRotation } from "../../api/model/network.ts";
import { storedAs } from "../snapshot-schema.ts";
import { NodeSelector } from "../sources/node-selector.ts";
import type { Watcher, WatcherOptions } from "../watcher.ts";
import type { History } from "./read-rows.ts";
import { historyState, resetEvents } from "./history-state.ts";
import { readHistory } from "./history.ts";

const RotationsState = z.object({
  history: historyState,
  /** New rows, in chain order. */
  fresh: z.array(
    z.object({
      key: z.string(),
      node: z.string(),
      blockHeight: z.string(),
      nodeId: z.string(),
      nodeName: z.string().exactOptional(),
      oldAddress: z.string(),
      newAddress: z.string(),
    }),
  ),
});
type RotationsSnapshot = z.input<typeof RotationsState>;

export const rotations: History<KeyRotation> = {
  fetch: (from, options) => (request) => from.getKeyRotations(request, options),
  blockOf: ({ blockHeight }) => blockHeight,
  nameOf: ({ nodeId = "", newAddress = "" }) => `${nodeId}/${newAddress}`,
};

/** Validators that change their Ethereum key. Each event's subject is the validator's id. */
export function rotationsWatcher(
  options: Pick<WatcherOptions, "network" | "config" | "selector">,
): Watcher<RotationsSnapshot> {
  const { network, config, selector = new NodeSelector() } = options;
  return {
    name: "rotations",
    every: config.poll.rest,
    snapshot: storedAs(RotationsState),
    async observe(api, { before }, signal) {
      const last = before === undefined ? undefined : RotationsState.decode(before).history;
      const { fresh, state } = await readHistory(api, rotations, last, selector, signal);
      const named = fresh.length === 0 ? [] : await api.getNodeNames({ lane: "watchers", signal });
      const names = new Map(named.map(({ id, name }) => [id, name]));
      return RotationsState.encode({
        history: state,
        fresh: fresh.map(({ key, block, node, row: { nodeId = "", oldAddress = "", newAddress = "" } }) => {
          const nodeName = names.get(nodeId);
          return {
            key,
            node,
            blockHeight: block.toString(),
            nodeId,
            ...(nodeName === undefined ? {} : { nodeName }),
            oldAddress,
            newAddress,
          };
        }),
      });
    },
    judge(before, after, at) {
      if (before === undefined) return { readings: [], events: [] };
      const { history: state, fresh } = RotationsState.decode(after);
      const seen = { network, at: timeToText(at) };
      return {
        readings: [],
        events: [
          ...resetEvents(network, "rotations", state, at),
          ...fresh.map((row) => ({ kind: "rotation.new" as const, ...seen, subject: row.nodeId, ...row })),
        ],
      };
    },
  };
}
