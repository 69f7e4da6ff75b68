import { z } from "zod";

import { IntegerText, TimeText } from "./json-fields.ts";

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

/**
 * An event, as it is stored: plain JSON. Enum values are as the node sends them (`STATE_ACTIVE`). A field
 * that a later version adds must be optional: older events are read by newer code.
 */
export const AlertEvent = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("checkpoint.new"),
    ...common,
    atBlock: IntegerText,
    hash: z.string(),
    blockHash: z.string().exactOptional(),
  }),
  z.object({
    kind: z.literal("snapshot.new"),
    ...common,
    blockHeight: IntegerText,
    blockHash: z.string().exactOptional(),
    coreVersion: z.string().exactOptional(),
  }),
  z.object({
    kind: z.literal("core.upgraded"),
    ...common,
    from: z.string(),
    to: z.string(),
    /** The block of the first snapshot with the new version. */
    blockHeight: IntegerText.exactOptional(),
  }),
  z.object({
    kind: z.literal("rotation.new"),
    ...common,
    nodeId: z.string(),
    nodeName: z.string().exactOptional(),
    oldAddress: z.string(),
    newAddress: z.string(),
    blockHeight: IntegerText.exactOptional(),
  }),
  z.object({
    kind: z.literal("market.state"),
    ...common,
    label: z.string().exactOptional(),
    /** Absent for a market that is new. */
    before: marketSide.exactOptional(),
    after: marketSide,
  }),
  z.object({ kind: z.literal("node.version"), ...common, before: nodeRelease, after: nodeRelease }),
  z.object({
    kind: z.literal("history.reset"),
    ...common,
    what: z.enum(["checkpoints", "snapshots", "rotations"]),
    /** The block of the last one seen, which the node no longer has. */
    lastSeen: IntegerText,
    /** The blocks that the node has now. */
    oldest: IntegerText.exactOptional(),
    newest: IntegerText.exactOptional(),
  }),
  z.object({ kind: z.literal("order.final"), ...common, ...orderEnd }),
  z.object({
    kind: z.literal("stake.changed"),
    ...common,
    ...stakeChange,
    /** In whole tokens, ready to be shown. */
    available: z.string().exactOptional(),
  }),
  z.object({ kind: z.literal("bundle.signed"), ...common, ...signedBundle }),
]);
export type AlertEvent = z.infer<typeof AlertEvent>;

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
