import { z } from "zod";

import {
  DecimalText,
  type Event,
  event,
  HistoryField,
  IntegerText,
  type Severity,
  type Shape,
  TimeText,
} from "./kind.ts";

const common = {
  network: z.string(),
  /** The id of its market, node, party or order; empty for the network itself. */
  subject: z.string(),
  /**
   * Identifies the event within its kind and network: the same difference observed again has the same key, and is
   * sent once. A checkpoint's is `<block>/<hash>`.
   */
  key: z.string(),
  /** When it was seen. */
  at: TimeText,
  /** Which node showed it. */
  node: z.string().exactOptional(),
};

const marketSide = z.object({
  state: z.string().exactOptional(),
  tradingMode: z.string().exactOptional(),
  trigger: z.string().exactOptional(),
});
export type MarketSide = z.infer<typeof marketSide>;

/** States in which a market does not trade, beside those of its beginning. */
const GRAVE_STATES: ReadonlySet<string> = new Set([
  "STATE_SUSPENDED",
  "STATE_SUSPENDED_VIA_GOVERNANCE",
  "STATE_TRADING_TERMINATED",
  "STATE_SETTLED",
  "STATE_CANCELLED",
]);

/** Whether whoever named the market is told of its new state at once: it does not trade any more, or does again. */
export function rings({ before, after }: { readonly before?: MarketSide; readonly after: MarketSide }): boolean {
  const [old, now] = [before?.state ?? "", after.state ?? ""];
  return (
    before !== undefined && old !== now && (GRAVE_STATES.has(now) || (now === "STATE_ACTIVE" && GRAVE_STATES.has(old)))
  );
}

// Watchers' snapshots and events share these shapes.

/** The release that a data node runs. */
export const nodeRelease = z.object({ version: z.string().exactOptional(), commitHash: z.string().exactOptional() });

/** How an order ended. */
export const orderEnd = {
  /** `STATUS_FILLED` and the like. */
  status: z.string(),
  reason: z.string().exactOptional(),
  market: z.string().exactOptional(),
  label: z.string().exactOptional(),
  side: z.string().exactOptional(),
  /** In the market's units where its decimals are known, else as sent and marked raw: ready to be shown. */
  size: z.string().exactOptional(),
  remaining: z.string().exactOptional(),
  price: z.string().exactOptional(),
};

/** Stake that was linked or unlinked. */
export const stakeChange = {
  change: z.enum(["linked", "unlinked"]),
  /** In whole tokens, ready to be shown. */
  amount: z.string().exactOptional(),
  txHash: z.string().exactOptional(),
  ethereumAddress: z.string().exactOptional(),
};

export const signedBundle = {
  bundle: z.enum(["list-asset", "asset-limits"]),
  assetSource: z.string().exactOptional(),
};

/** Every event that channels are subscribed to, in the usual order. A field that a later version adds must be optional. */
export const EVENTS = {
  "checkpoint.new": event({
    words: "a new checkpoint",
    nouns: ["checkpoint", "checkpoints"],
    groups: ["checkpoints"],
    worst: "info",
    watchers: ["checkpoints"],
    frequent: true,
    fields: { atBlock: IntegerText, hash: z.string(), blockHash: z.string().exactOptional() },
  }),
  "snapshot.new": event({
    words: "a new snapshot",
    nouns: ["snapshot", "snapshots"],
    groups: [],
    worst: "info",
    watchers: ["snapshots"],
    frequent: true,
    fields: {
      blockHeight: IntegerText,
      blockHash: z.string().exactOptional(),
      coreVersion: z.string().exactOptional(),
    },
  }),
  "core.upgraded": event({
    words: "a protocol upgrade",
    meaning: () => "The validators run another version now.",
    remedy: "Upgrade your own nodes, and check that your programs speak the new version.",
    nouns: ["protocol upgrade", "protocol upgrades"],
    groups: ["ops"],
    worst: "warning",
    watchers: ["snapshots"],
    fields: {
      from: z.string(),
      to: z.string(),
      /** The block of the first snapshot with the new version. */
      blockHeight: IntegerText.exactOptional(),
    },
  }),
  "rotation.new": event({
    words: "a validator rotated its Ethereum key",
    meaning: () => "The validator signs for the Ethereum bridge with the new key from then on.",
    remedy: "Ask the validator whether this was planned.",
    nouns: ["key rotation", "key rotations"],
    groups: [],
    worst: "warning",
    about: "validator",
    watchers: ["rotations"],
    fields: {
      nodeId: z.string(),
      nodeName: z.string().exactOptional(),
      oldAddress: z.string(),
      newAddress: z.string(),
      blockHeight: IntegerText.exactOptional(),
    },
  }),
  "market.state": event({
    words: "a market changed its state or trading mode",
    meaning: ({ after }) =>
      after.state === "STATE_SUSPENDED" && after.tradingMode?.endsWith("_AUCTION") === true
        ? "Orders are collected and not matched until the auction ends."
        : undefined,
    nouns: ["market change", "market changes"],
    groups: ["markets"],
    worst: "warning",
    about: "market",
    watchers: ["markets"],
    frequent: true,
    fields: {
      label: z.string().exactOptional(),
      /** Absent for a market that is new. */
      before: marketSide.exactOptional(),
      after: marketSide,
      /** Of a market that is over: its last mark price. */
      over: z.literal(true).exactOptional(),
      price: DecimalText.exactOptional(),
    },
    severity: ({ before, after }) =>
      after.state === "STATE_SUSPENDED" || (before?.state !== after.state && GRAVE_STATES.has(after.state ?? ""))
        ? "warning"
        : "info",
  }),
  "node.version": event({
    words: "a data node runs another version",
    remedy: "Compare it with the version of the other nodes: all of them should run the same.",
    nouns: ["version change", "version changes"],
    groups: ["nodes"],
    worst: "info",
    about: "node",
    watchers: ["node-versions"],
    fields: { before: nodeRelease, after: nodeRelease },
  }),
  "history.reset": event({
    words: "a node's history begins anew",
    meaning: ({ pruned }) =>
      pruned === true
        ? "The node keeps nothing that old any more. What happened in between is not known."
        : "The network was begun again, or the node's database was replaced. What happened in between is not known.",
    remedy: "Ask the node's operator whether it was reset, and read what lies between from another node.",
    nouns: ["gap in a node's history", "gaps in nodes' histories"],
    groups: ["ops", "checkpoints"],
    worst: "warning",
    watchers: ["checkpoints", "snapshots", "rotations"],
    fields: {
      what: HistoryField,
      /** The block of the last one seen, which the node no longer has. */
      lastSeen: IntegerText,
      /** The blocks that the node has now. */
      oldest: IntegerText.exactOptional(),
      newest: IntegerText.exactOptional(),
      /** The list only begins later than that now; absent where another history began. */
      pruned: z.literal(true).exactOptional(),
    },
  }),
  "history.forked": event({
    words: "a block has another hash than before",
    meaning: () =>
      "A majority of the nodes says something else of a block than a majority said before: the history was rewritten from there on, or most nodes are on another chain.",
    remedy: "Rely on nothing since that block, and ask the validators at once which of the two they are on.",
    nouns: ["fork of the history", "forks of the history"],
    groups: ["ops", "checkpoints"],
    worst: "critical",
    watchers: ["node-histories"],
    fields: {
      what: HistoryField,
      /** The first block that changed, the last, and how many did. */
      block: IntegerText,
      lastBlock: IntegerText,
      blocks: z.int().positive(),
      field: z.string(),
      /** The validator whose address it is. */
      of: z.string().exactOptional(),
      /** What was said before, and the nodes that still say so. */
      before: z.array(z.string()).readonly(),
      beforeBy: z.array(z.string()).readonly(),
      after: z.array(z.string()).readonly(),
      afterBy: z.array(z.string()).readonly(),
    },
  }),
} as const;

/** Events of personal watches, sent to their subscribers only: no group contains them. */
export const PERSONAL_EVENTS = {
  "order.final": event({
    words: "an order is filled, stopped, expired or rejected",
    nouns: ["closed order", "closed orders"],
    groups: [],
    worst: "info",
    about: "order",
    watchers: ["orders"],
    final: true,
    fields: orderEnd,
  }),
  "stake.changed": event({
    words: "a party's stake was linked or unlinked",
    remedy: "If the party's owner did not do this, check who holds its keys.",
    nouns: ["change of stake", "changes of stake"],
    groups: [],
    worst: "info",
    about: "party",
    watchers: ["stakes"],
    fields: {
      ...stakeChange,
      /** In whole tokens, ready to be shown. */
      available: z.string().exactOptional(),
    },
  }),
  "bundle.signed": event({
    words: "a bundle is signed",
    remedy: "Submit the bundle to the Ethereum bridge: it takes effect only there.",
    nouns: ["signed bundle", "signed bundles"],
    groups: [],
    worst: "info",
    about: "bundle",
    watchers: ["bundles"],
    final: true,
    fields: signedBundle,
  }),
} as const;
export type PersonalKind = keyof typeof PERSONAL_EVENTS;

const ALL_EVENTS = { ...EVENTS, ...PERSONAL_EVENTS } as const;
export type EventKind = keyof typeof ALL_EVENTS;

type EventSchema = {
  [K in EventKind]: z.ZodObject<
    typeof common & { kind: z.ZodLiteral<K> } & Extract<(typeof ALL_EVENTS)[K]["fields"], Shape>
  >;
}[EventKind];

/** An event, as it is stored: plain JSON. Enum values are as the node sends them (`STATE_ACTIVE`). */
export const AlertEvent = z.discriminatedUnion(
  "kind",
  Object.entries(ALL_EVENTS).map(([kind, { fields }]) =>
    z.object({ kind: z.literal(kind), ...common, ...fields }),
  ) as unknown as [EventSchema, ...EventSchema[]],
);
export type AlertEvent = z.infer<typeof AlertEvent>;

/** How much an event matters. */
export function severityOfEvent(one: AlertEvent): Severity {
  const kind: Event = ALL_EVENTS[one.kind];
  return kind.severity?.(one) ?? kind.worst;
}

/** An order in one of these has ended. A partly filled one has, too: the rest of it did not stay on the order book. */
export const FINAL_STATUSES: ReadonlySet<string> = new Set([
  "STATUS_EXPIRED",
  "STATUS_CANCELLED",
  "STATUS_STOPPED",
  "STATUS_FILLED",
  "STATUS_REJECTED",
  "STATUS_PARTIALLY_FILLED",
]);

/** The subject of a watched bundle: an asset to be listed, or a proposal to set an asset's limits. */
interface BundleSubject {
  readonly bundle: "list-asset" | "asset-limits";
  readonly id: string;
}

const LIMITS_PREFIX = "asset-limits:";
const LIST_PREFIX = "list-asset:";

/** `list-asset:<asset id>` or `asset-limits:<proposal id>`; an id alone is an asset's. */
export function parseBundleSubject(subject: string): BundleSubject {
  if (subject.startsWith(LIMITS_PREFIX)) return { bundle: "asset-limits", id: subject.slice(LIMITS_PREFIX.length) };
  return { bundle: "list-asset", id: subject.startsWith(LIST_PREFIX) ? subject.slice(LIST_PREFIX.length) : subject };
}
