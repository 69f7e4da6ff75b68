import type { AlertsConfig } from "./alerts-config.ts";
import type { Milliseconds } from "../units/duration.ts";

/** Who watches a network, by the names under which their snapshots are kept, and how often each looks. */
export function watcherNames({ poll }: Pick<AlertsConfig, "poll">): readonly { name: string; every: Milliseconds }[] {
  return [
    { name: "sources", every: poll.time },
    { name: "checkpoints", every: poll.checkpoints },
    ...["snapshots", "rotations", "markets", "node-versions", "orders", "stakes", "bundles"].map((name) => ({
      name,
      every: poll.rest,
    })),
  ];
}
