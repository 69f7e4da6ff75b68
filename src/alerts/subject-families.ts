import type { AlertKind } from "./kinds.ts";

/** What a kind of alert has for subjects; undefined where it is about the network alone. */
export type SubjectFamily = "market" | "node" | "validator" | "order" | "party" | "bundle";

export function subjectFamily(kind: AlertKind): SubjectFamily | undefined {
  switch (kind) {
    case "market.auction":
    case "market.price":
    case "market.bound":
    case "market.state":
      return "market";
    case "network.time-back":
    case "node.lagging":
    case "node.down":
    case "node.version":
      return "node";
    case "rotation.new":
      return "validator";
    case "order.final":
      return "order";
    case "stake.changed":
      return "party";
    case "bundle.signed":
      return "bundle";
    case "network.stalled":
    case "network.disagree":
    case "network.clock":
    case "watch.blind":
    case "checkpoint.overdue":
    case "checkpoint.new":
    case "snapshot.new":
    case "core.upgraded":
    case "history.reset":
      return undefined;
  }
}
