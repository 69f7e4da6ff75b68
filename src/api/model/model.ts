// The data node's API: one request per operation, with its path, the schema of its answer and the time that it may be
// cached. The schemas are beside this module, one file per topic (market.ts, order.ts, …; what is the network's own is
// here), built from fields.ts and page.ts. To add an operation: its schema here in model/, its request below, its call in
// client/client.ts.

import { z } from "zod";

import { bigintField, flagField, requiredTextField, requiredTimeField, textField } from "./fields.ts";
import { MAX_INT32, page, type Page, pageQuery, type PageRequest } from "./page.ts";
import { UserError } from "../../errors.ts";
import type { Milliseconds } from "../../units/time.ts";
import { BODY_BYTES } from "../limits.ts";
import { AssetLimitsBundle, ListAssetBundle } from "./bundle.ts";
import { type MarketData, MarketsData } from "./market.ts";
import { type Order, OrderReply, Orders } from "./order.ts";
import { PartiesStake, type PartyStake } from "./stake.ts";

/** The time of the last block that the answering node has taken in; unset while it has none. */
export const NetworkTime = z.looseObject({ timestamp: requiredTimeField });
export type NetworkTime = z.infer<typeof NetworkTime>;

/** The software of the answering node. */
export const NodeInfo = z.looseObject({ version: requiredTextField, commitHash: textField });
export type NodeInfo = z.infer<typeof NodeInfo>;

/** One snapshot of the core's state. A protocol upgrade shows as a change of coreVersion; protocolUpgradeBlock is always false. */
export const Snapshot = z.looseObject({
  blockHash: textField,
  blockHeight: bigintField,
  coreVersion: textField,
  protocolUpgradeBlock: flagField,
});
export type Snapshot = z.infer<typeof Snapshot>;

export const Snapshots = z.looseObject({ coreSnapshots: page(Snapshot) });

/** One checkpoint. Two may share a block: (atBlock, hash) tells them apart. */
export const Checkpoint = z.looseObject({ atBlock: bigintField, blockHash: textField, hash: textField });
export type Checkpoint = z.infer<typeof Checkpoint>;

export const Checkpoints = z.looseObject({ checkpoints: page(Checkpoint) });

/** One change of a validator's Ethereum key. */
export const KeyRotation = z.looseObject({
  nodeId: textField,
  oldAddress: textField,
  newAddress: textField,
  blockHeight: bigintField,
});
export type KeyRotation = z.infer<typeof KeyRotation>;

export const KeyRotations = z.looseObject({ keyRotations: page(KeyRotation) });

/** One request to a node: its path, the schema of its answer, and how long the answer may be cached. */
export interface ApiRequest<T> {
  /** Path and query under the base URL, in the contract's dialect; also the key of the cache and of single flight. */
  readonly path: string;
  /** The same in the dialect of v0.71 nodes, where that differs. */
  readonly legacyPath?: string;
  /** A noun phrase for sentences: "the network time". */
  readonly what: string;
  readonly schema: z.ZodType;
  /** The most bytes of its answer; see BODY_BYTES. */
  readonly maxBytes: number;
  /** Maps the parsed answer to the value; may throw MissingFieldError. */
  readonly pick: (parsed: never) => T;
  /** For how long the answer may be served from the cache. */
  readonly cacheMillis: Milliseconds | ((value: never) => Milliseconds);
  /** Sent to the core node where that has its own base URL. */
  readonly core?: true;
  /** The answer is a Page, whose cursors belong to the node that gives it. */
  readonly pages?: true;
  /** The cursor to continue from; valid only at the node that issued it. */
  readonly cursor?: string;
}

/** A well-formed answer without the requested field. */
export class MissingFieldError extends Error {
  override readonly name = "MissingFieldError";
  readonly path: string;

  constructor(path: string) {
    super(`the answer has no ${path}`);
    this.path = path;
  }
}

/** Declares a request, checked against its schema's type. */
export function defineRequest<S extends z.ZodType, T>(
  declared: Omit<ApiRequest<T>, "schema" | "pick" | "cacheMillis"> & {
    schema: S;
    pick: (parsed: z.output<S>) => T;
    cacheMillis: Milliseconds | ((value: T) => Milliseconds);
  },
): ApiRequest<T> {
  return declared;
}

// Cache times follow from how fast an answer changes: blocks come about every 0.7 s, and a signed bundle never changes.
const BLOCK_CACHE_MILLIS: Milliseconds = 500;
const LIVE_CACHE_MILLIS: Milliseconds = 1000;
const INFO_CACHE_MILLIS: Milliseconds = 5000;
const FINAL_CACHE_MILLIS: Milliseconds = 600_000;

export const networkTime: ApiRequest<NetworkTime> = defineRequest({
  path: "/api/v2/network/time",
  legacyPath: "/api/v2/vega/time",
  what: "the network time",
  schema: NetworkTime,
  maxBytes: BODY_BYTES.networkTime,
  pick: (time) => time,
  cacheMillis: BLOCK_CACHE_MILLIS,
});

export const nodeInfo: ApiRequest<NodeInfo> = defineRequest({
  path: "/api/v2/info",
  what: "the node's version",
  schema: NodeInfo,
  maxBytes: BODY_BYTES.nodeInfo,
  pick: (info) => info,
  cacheMillis: INFO_CACHE_MILLIS,
});

export const marketsData: ApiRequest<readonly MarketData[]> = defineRequest({
  path: "/api/v2/markets/data",
  what: "the markets",
  schema: MarketsData,
  maxBytes: BODY_BYTES.marketsData,
  pick: (reply) => reply.marketsData,
  cacheMillis: LIVE_CACHE_MILLIS,
});

export function order(orderId: string, version: number | undefined): ApiRequest<Order> {
  requireId(orderId, "order", "An order's id");
  if (version !== undefined && (!Number.isInteger(version) || version < 1 || version > MAX_INT32)) {
    throw new UserError("An order has no such version.", {
      option: "version",
      remedy: `Give a whole number from 1 to ${MAX_INT32}.`,
    });
  }
  return defineRequest({
    path: `/api/v2/order/${segment(orderId)}${version === undefined ? "" : `?version=${version}`}`,
    what: `order ${brief(orderId)}${version === undefined ? "" : ` version ${version}`}`,
    schema: OrderReply,
    maxBytes: BODY_BYTES.order,
    pick(reply) {
      if (reply.order === undefined) throw new MissingFieldError("order");
      return reply.order;
    },
    cacheMillis: BLOCK_CACHE_MILLIS,
  });
}

/** How many orders are listed. */
const LISTED_ORDERS = 50;

/** Which orders are listed: of one party, in one status (`STATUS_REJECTED`), or all. */
export interface OrderFilter {
  readonly party?: string | undefined;
  readonly status?: string | undefined;
}

/** The newest orders. */
export function orderList({ party, status }: OrderFilter): ApiRequest<readonly Order[]> {
  const query = new URLSearchParams({
    ...(party === undefined ? {} : { "filter.partyIds": party }),
    ...(status === undefined ? {} : { "filter.statuses": status }),
    "pagination.first": String(LISTED_ORDERS),
  });
  return defineRequest({
    path: `/api/v2/orders?${query.toString()}`,
    what: party === undefined ? "the newest orders" : `the orders of party ${brief(party)}`,
    schema: Orders,
    maxBytes: BODY_BYTES.page,
    pick: ({ orders }) => orders.rows.map(({ node }) => node),
    cacheMillis: LIVE_CACHE_MILLIS,
  });
}

export function partiesStake(party: string | undefined): ApiRequest<readonly PartyStake[]> {
  return defineRequest({
    path: `/parties/stake${party === undefined ? "" : `?${new URLSearchParams({ party }).toString()}`}`,
    what: party === undefined ? "the stake of all parties" : `the stake of party ${brief(party)}`,
    schema: PartiesStake,
    maxBytes: BODY_BYTES.partiesStake,
    pick: (reply) => reply.partiesStake,
    cacheMillis: LIVE_CACHE_MILLIS,
    core: true,
  });
}

export function keyRotations(request: PageRequest & { nodeId?: string }): ApiRequest<Page<KeyRotation>> {
  const query = pageQuery(request);
  if (request.nodeId !== undefined && request.nodeId !== "") query.set("nodeId", request.nodeId);
  return defineRequest({
    path: `/api/v2/network/keys/ethereum/rotations?${query.toString()}`,
    legacyPath: `/api/v2/vega/keys/ethereum/rotations?${query.toString()}`,
    what: "the Ethereum key rotations",
    schema: KeyRotations,
    pick: (reply) => reply.keyRotations,
    ...pageMembers(request),
  });
}

export function snapshots(request: PageRequest): ApiRequest<Page<Snapshot>> {
  return defineRequest({
    path: `/api/v2/snapshots?${pageQuery(request).toString()}`,
    what: "the snapshots",
    schema: Snapshots,
    pick: (reply) => reply.coreSnapshots,
    ...pageMembers(request),
  });
}

export function checkpoints(request: PageRequest): ApiRequest<Page<Checkpoint>> {
  return defineRequest({
    path: `/api/v2/checkpoints?${pageQuery(request).toString()}`,
    what: "the checkpoints",
    schema: Checkpoints,
    pick: (reply) => reply.checkpoints,
    ...pageMembers(request),
  });
}

/** What requests for a page have in common. */
function pageMembers({ after, before }: PageRequest) {
  const cursor = after ?? before ?? "";
  const common = { maxBytes: BODY_BYTES.page, cacheMillis: LIVE_CACHE_MILLIS, pages: true } as const;
  return cursor === "" ? common : { ...common, cursor };
}

export function listAssetBundle(assetId: string): ApiRequest<ListAssetBundle> {
  requireId(assetId, "asset", "An asset's id");
  return defineRequest({
    path: `/api/v2/erc20/asset/list/bundle?${new URLSearchParams({ assetId }).toString()}`,
    what: `the list-asset bundle of asset ${brief(assetId)}`,
    schema: ListAssetBundle,
    maxBytes: BODY_BYTES.bundle,
    pick: (bundle) => bundle,
    cacheMillis: bundleCacheMillis,
  });
}

export function assetLimitsBundle(proposalId: string): ApiRequest<AssetLimitsBundle> {
  requireId(proposalId, "proposal", "A proposal's id");
  return defineRequest({
    path: `/api/v2/erc20/asset/limits/bundle?${new URLSearchParams({ proposalId }).toString()}`,
    what: `the asset-limits bundle of proposal ${brief(proposalId)}`,
    schema: AssetLimitsBundle,
    maxBytes: BODY_BYTES.bundle,
    pick: (bundle) => bundle,
    cacheMillis: bundleCacheMillis,
  });
}

/** A signed bundle is final. */
function bundleCacheMillis(bundle: { readonly signatures: string | undefined }): Milliseconds {
  return bundle.signatures === undefined ? LIVE_CACHE_MILLIS : FINAL_CACHE_MILLIS;
}

/** Encodes one path segment; `.` and `..` would change the path. */
function segment(text: string): string {
  return encodeURIComponent(text).replaceAll(/^\.{1,2}$/gu, (dots) => dots.replaceAll(".", "%2E"));
}

/** The beginning of an id, for sentences. */
function brief(id: string): string {
  return id.length <= 16 ? id : `${id.slice(0, 12)}…`;
}

function requireId(id: string, option: string, what: string): void {
  if (id.trim() === "") throw new UserError(`${what} is missing.`, { option, remedy: "Give it." });
}
