// The vocabulary of alerts as it is stored: the kinds, their groups and subjects.
// Read reading.ts (a watcher's statement about a condition), event.ts (what happened once) and severity.ts next;
// json-fields.ts holds the schema fields that they share.
/** Conditions of a network as a whole. */
const NETWORK_KINDS = [
  "network.stalled",
  "network.disagree",
  "network.time-back",
  "network.clock",
  "watch.blind",
] as const;
/** Conditions of a network and its nodes. */
export const HEALTH_KINDS = [...NETWORK_KINDS, "node.lagging", "node.down", "checkpoint.overdue"] as const;
/** Conditions: true for a while, with an episode from firing to resolved. */
export const CONDITION_KINDS = [...HEALTH_KINDS, "market.auction", "market.price", "market.bound"] as const;
export type ConditionKind = (typeof CONDITION_KINDS)[number];

/** Events: they happen once. */
export const EVENT_KINDS = [
  "checkpoint.new",
  "snapshot.new",
  "core.upgraded",
  "rotation.new",
  "market.state",
  "node.version",
  "history.reset",
] as const;
/** Events of personal watches, sent to their subscribers only. */
export const PERSONAL_KINDS = ["order.final", "stake.changed", "bundle.signed"] as const;
export type PersonalKind = (typeof PERSONAL_KINDS)[number];
export type EventKind = (typeof EVENT_KINDS)[number] | PersonalKind;

/** Everything that can be subscribed to. */
export type AlertKind = ConditionKind | EventKind;
export const ALERT_KINDS: readonly AlertKind[] = [...CONDITION_KINDS, ...EVENT_KINDS, ...PERSONAL_KINDS];

export function isConditionKind(kind: AlertKind): kind is ConditionKind {
  return (CONDITION_KINDS as readonly string[]).includes(kind);
}

/** A price has no default threshold: a subscription to it names one. */
const WITHOUT_PRICE = CONDITION_KINDS.filter((kind) => kind !== "market.price");

/** Several kinds under one word. */
export const KIND_GROUPS = {
  /** For node operators, without frequent events. */
  ops: [...HEALTH_KINDS, "core.upgraded", "history.reset"],
  network: NETWORK_KINDS,
  nodes: ["node.lagging", "node.down", "network.time-back", "node.version"],
  checkpoints: ["checkpoint.overdue", "checkpoint.new", "history.reset"],
  markets: ["market.auction", "market.bound", "market.state"],
  conditions: WITHOUT_PRICE,
  events: EVENT_KINDS,
  all: [...WITHOUT_PRICE, ...EVENT_KINDS],
} as const satisfies Record<string, readonly AlertKind[]>;
export type KindGroup = keyof typeof KIND_GROUPS;

export const KIND_GROUP_NAMES = Object.keys(KIND_GROUPS) as readonly KindGroup[];

/** A short description of each group. */
export const GROUP_WORDS: Readonly<Record<KindGroup, string>> = {
  ops: "what ops channels need",
  network: "whether the network goes on",
  nodes: "the data nodes, one by one",
  checkpoints: "checkpoints, new and overdue",
  markets: "auctions, price bounds and states of markets",
  conditions: "everything that is true for a while, but prices",
  events: "everything that happens once",
  all: "everything but prices and personal ones",
};

/** A short description of each kind. */
export const KIND_WORDS: Readonly<Record<ConditionKind | EventKind, string>> = {
  "network.stalled": "no new block for a while",
  "network.disagree": "the nodes disagree about the network",
  "network.time-back": "a node's time went back",
  "network.clock": "network time far from the wall clock",
  "watch.blind": "the watcher cannot see the network",
  "node.lagging": "a node lags behind",
  "node.down": "a node does not answer",
  "checkpoint.overdue": "a checkpoint is overdue",
  "market.auction": "a market is in an auction",
  "market.price": "a mark price beyond or within thresholds",
  "market.bound": "a mark price near a price monitoring bound",
  "checkpoint.new": "a new checkpoint",
  "snapshot.new": "a new snapshot",
  "core.upgraded": "a protocol upgrade",
  "rotation.new": "a validator rotated its Ethereum key",
  "market.state": "a market changed its state or trading mode",
  "node.version": "a data node runs another version",
  "history.reset": "a node's history begins anew",
  "order.final": "an order is filled, stopped, expired or rejected",
  "stake.changed": "a party's stake was linked or unlinked",
  "bundle.signed": "a bundle is signed",
};

export function isPersonalKind(kind: AlertKind): kind is PersonalKind {
  return (PERSONAL_KINDS as readonly string[]).includes(kind);
}

/** The group that has exactly these kinds, where there is one. */
export function groupOf(kinds: readonly AlertKind[]): KindGroup | undefined {
  const given = new Set(kinds);
  return KIND_GROUP_NAMES.find(
    (name) => KIND_GROUPS[name].length === given.size && KIND_GROUPS[name].every((kind) => given.has(kind)),
  );
}

/** Kinds in their usual order, each once. */
export function sortKinds(kinds: Iterable<AlertKind>): AlertKind[] {
  const given = new Set(kinds);
  return ALERT_KINDS.filter((kind) => given.has(kind));
}

/** The type of a kind's subjects; undefined if it has none but the network. */
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
