import type { z } from "zod";

import { EVENTS } from "../../alerts/judge/kinds/event.ts";
import { HISTORIES } from "../../api/histories.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import type { Watcher, WatcherOptions } from "../watcher.ts";
import { historyWatcher, listState } from "./history.ts";

const RotationsState = listState(EVENTS["rotation.new"].fields);

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
          return withoutUndefined({
            key,
            node,
            blockHeight: block.toString(),
            nodeId,
            nodeName,
            oldAddress,
            newAddress,
          });
        }),
      };
    },
    events: ({ fresh }, _, seen) =>
      fresh.map((row) => ({ kind: "rotation.new" as const, ...seen, subject: row.nodeId, ...row })),
  });
}
