// The interface of the data node client: every operation, its answer and its errors. Read next: client/client.ts (how a
// call is made), node/node.ts (one node's cache, rate budget and circuit breaker), model/model.ts (the API, operation
// by operation). All limits and time-outs are in limits.ts.

import type { Milliseconds, Nanoseconds } from "../units/time.ts";
import type { ApiError } from "./api-error.ts";
import type { AssetLimitsBundle, ListAssetBundle } from "./model/bundle.ts";
import type { MarketData } from "./model/market.ts";
import type { AssetNames, MarketNames, NodeNames, Staker } from "./model/names.ts";
import type { Checkpoint, KeyRotation, NetworkTime, NodeInfo, OrderFilter, Snapshot } from "./model/model.ts";
import type { Order } from "./model/order.ts";
import type { Page, PageRequest } from "./model/page.ts";
import type { PartyStake } from "./model/stake.ts";
import type { SourceMemory, Verdict, VerdictThresholds } from "./verdict/verdict.ts";

/** The source of an answer, and its time. */
export interface AsOf {
  readonly network: string;
  /** Host and port of the node that answered. */
  readonly node: string;
  /** The block of the answer, if the node sent it. */
  readonly blockHeight?: bigint;
  readonly blockTime?: Nanoseconds;
  readonly receivedAt: Nanoseconds;
  readonly simulated: boolean;
}

export interface Answer<T> {
  readonly value: T;
  readonly asOf: AsOf;
  /** How long its body was; left out where several made it. */
  readonly bytes?: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Priority: part of each node's budget is reserved for watchers. Default "people". */
  readonly lane?: "people" | "watchers";
  /** Bypasses the cache. */
  readonly fresh?: boolean;
  /** The longest wait for a node's budget; a node with a longer wait counts as one that refuses. Default: the client's limit. */
  readonly queueMillis?: Milliseconds;
}

export interface LedgerOptions extends CallOptions {
  /** Names of nodes that get the request only if no other node can. */
  readonly after?: ReadonlySet<string>;
  /** Failures of nodes that were asked for the same export: these nodes are not asked again. */
  readonly failed?: readonly ApiError[];
}

/** The range of one export. Times are half-open: from inclusive, to exclusive; the node cuts them to whole seconds. */
export interface LedgerQuery {
  readonly partyId: string;
  readonly assetId: string;
  readonly from?: Nanoseconds;
  readonly to?: Nanoseconds;
}

/** The bytes of a ledger export, without framing. */
export interface LedgerStream {
  /**
   * Passes the bytes on in order, as they arrive. Their buffer is reused: they are valid only until `take` returns.
   * While a promise from `take` is pending the node is paused, and `take` still gets bytes that had already arrived,
   * less than 1 MiB. Resolves once the export is complete and consumed; rejects with ApiError (an error in mid-stream,
   * a dropped connection, an idle time-out), the signal's reason, or the error of `take`. May be called once.
   */
  consume(take: (bytes: Buffer) => Promise<void> | undefined): Promise<void>;
  /**
   * Drops the connection; `consume` rejects. A failure that only the content showed counts for the node. Safe to call at
   * any time.
   */
  cancel(failure?: ApiError): void;
  /** Failures of the nodes that were asked before this one. */
  readonly failed: readonly ApiError[];
  /**
   * False where only the connection's end ends the answer (HTTP/1.0, or neither a length nor chunks): a file that is cut
   * between two rows looks whole.
   */
  readonly endIsProven: boolean;
  /** How much of the answer has arrived, from 0 to 1; undefined where the node does not say how long it is. */
  share(): number | undefined;
  /** The media type from the node; default `text/csv`. */
  readonly contentType: string;
  /** For how many days this node keeps ledger entries, Infinity for ever; left out where it is unknown. */
  readonly ledgerDays?: number;
  readonly asOf: AsOf;
}

/** The eleven operations of the interface, and the optional ones for names. All reject with ApiError, or the signal's reason. */
export interface Operations {
  getNetworkTime(options?: CallOptions): Promise<Answer<NetworkTime>>;
  getNodeInfo(options?: CallOptions): Promise<Answer<NodeInfo>>;
  getMarketsData(options?: CallOptions): Promise<Answer<readonly MarketData[]>>;
  /** `version` left out = the current one; 1 or more. */
  getOrder(orderId: string, version?: number, options?: CallOptions): Promise<Answer<Order>>;
  /** Without a party: all of them. */
  getPartiesStake(party?: string, options?: CallOptions): Promise<Answer<readonly PartyStake[]>>;
  getKeyRotations(query?: PageRequest & { nodeId?: string }, options?: CallOptions): Promise<Answer<Page<KeyRotation>>>;
  getSnapshots(query?: PageRequest, options?: CallOptions): Promise<Answer<Page<Snapshot>>>;
  getCheckpoints(query?: PageRequest, options?: CallOptions): Promise<Answer<Page<Checkpoint>>>;
  getListAssetBundle(assetId: string, options?: CallOptions): Promise<Answer<ListAssetBundle>>;
  getAssetLimitsBundle(proposalId: string, options?: CallOptions): Promise<Answer<AssetLimitsBundle>>;
  /** Resolves once the first bytes have arrived and are no error. Each node is asked once at most; see LedgerStream. */
  exportLedger(query: LedgerQuery, options?: LedgerOptions): Promise<LedgerStream>;

  /** Optional API: empty if the node does not offer it; rejects only with the signal's reason. Cached for long. */
  getMarketNames(options?: CallOptions): Promise<readonly MarketNames[]>;
  getAssetNames(options?: CallOptions): Promise<readonly AssetNames[]>;
  getNodeNames(options?: CallOptions): Promise<readonly NodeNames[]>;
  /** The parties that stake, the largest stake first. Cached for long, too: use it for completion only. */
  getStakers(options?: CallOptions): Promise<readonly Staker[]>;
  /** The newest orders, of a party or of all; not kept. Use it for completion only. */
  getOrders(filter: OrderFilter, options?: CallOptions): Promise<readonly Order[]>;
}

/** The state of one node's circuit breaker. */
export interface NodeHealth {
  readonly circuitOpen: boolean;
  /** When the next request may be sent, in Unix milliseconds. */
  readonly circuitOpenUntilMillis?: number;
  readonly lastError?: string;
}

/** One node, asked directly: no fail-over. */
export interface NodeClient extends Operations {
  /** Host and port as people see it. */
  readonly name: string;
  readonly health: NodeHealth;
}

export interface AssessOptions extends CallOptions {
  /** Time limit per node. Default 3 s. */
  readonly timeoutMillis?: Milliseconds;
  readonly thresholds?: VerdictThresholds;
  /** The memory of a more frequent observer in this process. Default: the memory of earlier assessments. */
  readonly earlier?: SourceMemory;
}

/** A network: its nodes in order, with fail-over from one to the next. */
export interface ApiClient extends Operations {
  readonly network: string;
  readonly simulated: boolean;
  readonly nodes: readonly NodeClient[];
  /** The pause that a node gets between two exports. */
  readonly exportPauseMillis: Milliseconds;
  /**
   * Polls every node for its time and judges the answers. The result is remembered in this process, so that a later
   * assessment can detect progress. Without `fresh`, answers of the last half second are reused. Rejects only with the
   * signal's reason.
   */
  assess(options?: AssessOptions): Promise<Verdict>;
  /** Closes all connections; running calls reject. */
  close(): Promise<void>;
}
