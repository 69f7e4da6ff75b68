/** Whether a network goes on, as far as can be seen. */
export const NETWORK_KINDS = [
  "network.stalled",
  "network.disagree",
  "network.time-back",
  "network.clock",
  "watch.blind",
] as const;
/** How a network and its nodes fare. */
export const HEALTH_KINDS = [...NETWORK_KINDS, "node.lagging", "node.down", "checkpoint.overdue"] as const;
/** What is true for a while. */
export const CONDITION_KINDS = [...HEALTH_KINDS, "market.auction", "market.price", "market.bound"] as const;
export type ConditionKind = (typeof CONDITION_KINDS)[number];

/** What happens once. */
export const EVENT_KINDS = [
  "checkpoint.new",
  "snapshot.new",
  "core.upgraded",
  "rotation.new",
  "market.state",
  "node.version",
  "history.reset",
] as const;
/** What happens once and concerns those who asked for it. */
export const PERSONAL_KINDS = ["order.final", "stake.changed", "bundle.signed"] as const;
export type PersonalKind = (typeof PERSONAL_KINDS)[number];
export type EventKind = (typeof EVENT_KINDS)[number] | PersonalKind;

/** Everything that can be subscribed to. */
export type AlertKind = ConditionKind | EventKind;
export const ALERT_KINDS: readonly AlertKind[] = [...CONDITION_KINDS, ...EVENT_KINDS, ...PERSONAL_KINDS];

export function isConditionKind(kind: AlertKind): kind is ConditionKind {
  return (CONDITION_KINDS as readonly string[]).includes(kind);
}
