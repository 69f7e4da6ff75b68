import { z } from "zod";

import type { AlertEvent } from "./event.ts";
import type { AlertKind } from "./kinds.ts";
import type { Reading } from "./reading.ts";

/** How bad it is, in rising order. One word and one colour each. */
export const SEVERITIES = ["info", "warning", "critical"] as const;
export const Severity = z.enum(SEVERITIES);
export type Severity = z.infer<typeof Severity>;

/** Negative, zero or positive, as a is milder than, as bad as or worse than b. */
export function compareSeverity(a: Severity, b: Severity): number {
  return SEVERITIES.indexOf(a) - SEVERITIES.indexOf(b);
}

/** The worst severity of a kind: a subscription with a higher floor never gets it. */
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
  // Only its duration makes a stall critical.
  if (reading.kind === "network.stalled") return "warning";
  const opening = reading.kind === "market.auction" && reading.facts.tradingMode === "TRADING_MODE_OPENING_AUCTION";
  return opening ? "info" : worstOfKind(reading.kind);
}
