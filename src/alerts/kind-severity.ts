import type { AlertEvent } from "./event.ts";
import type { AlertKind } from "./kinds.ts";
import type { Reading } from "./reading.ts";
import type { Severity } from "./severity.ts";

/** As bad as something of a kind ever becomes: a subscription to what is worse does not tell it. */
export function worstOfKind(kind: AlertKind): Severity {
  switch (kind) {
    case "network.stalled":
    case "network.disagree":
      return "critical";
    case "network.time-back":
    case "network.clock":
    case "watch.blind":
    case "node.lagging":
    case "node.down":
    case "checkpoint.overdue":
    case "market.auction":
    case "market.price":
    case "market.bound":
    case "core.upgraded":
    case "rotation.new":
    case "history.reset":
    case "market.state":
      return "warning";
    case "checkpoint.new":
    case "snapshot.new":
    case "node.version":
    case "order.final":
    case "stake.changed":
    case "bundle.signed":
      return "info";
  }
}

/** How much an event matters: as much as its kind ever does, unless a market goes on trading. */
export function severityOfEvent(event: AlertEvent): Severity {
  return event.kind === "market.state" && event.after.state !== "STATE_SUSPENDED" ? "info" : worstOfKind(event.kind);
}

/** How bad a condition is when it begins. */
export function severityOfReading(reading: Reading): Severity {
  // Only its duration makes a standstill critical.
  if (reading.kind === "network.stalled") return "warning";
  const opening = reading.kind === "market.auction" && reading.facts.tradingMode === "TRADING_MODE_OPENING_AUCTION";
  return opening ? "info" : worstOfKind(reading.kind);
}
