import { z } from "zod";

import { HISTORIES } from "../../api/histories.ts";
import type { Watcher, WatcherOptions } from "../watcher.ts";
import { historyState } from "./history-state.ts";
import { historyWatcher } from "./history.ts";

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
          const name = nodeName === undefined ? {} : { nodeName };
          return { key, node, blockHeight: block.toString(), nodeId, ...name, oldAddress, newAddress };
        }),
      };
    },
    events: ({ fresh }, _, seen) =>
      fresh.map((row) => ({ kind: "rotation.new" as const, ...seen, subject: row.nodeId, ...row })),
  });
}
