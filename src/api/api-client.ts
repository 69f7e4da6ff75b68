import type { Milliseconds } from "../units/duration.ts";
import type { Nanoseconds } from "../units/nanoseconds.ts";
import type { CancelSignal } from "./cancellation.ts";
import type { AssetLimitsBundle, ListAssetBundle } from "./model/bundle.ts";
import type { MarketData } from "./model/market.ts";
import type { AssetNames, MarketNames, NodeNames } from "./model/names.ts";
import type { Checkpoint, KeyRotation, NetworkTime, NodeInfo, Snapshot } from "./model/network.ts";
import type { Order } from "./model/order.ts";
import type { Page, PageRequest } from "./model/page.ts";
import type { PartyStake } from "./model/stake.ts";
import type { SourceMemory, Verdict, VerdictThresholds } from "./verdict/verdict.ts";

/** As of when and from where an answer holds. */
export interface AsOf {
  readonly network: string;
  /** Host and port of the node that answered. */
  readonly node: string;
  /** The block the answer speaks for, where the node said so. */
  readonly blockHeight?: bigint;
  readonly blockTime?: Nanoseconds;
  readonly receivedAt: Nanoseconds;
  readonly simulated: boolean;
}

export interface Answer<T> {
  readonly value: T;
  readonly asOf: AsOf;
}

export interface CallOptions {
  readonly signal?: CancelSignal;
  /** Watchers go first: their share of a node's budget is never spent by people. Default "people". */
  readonly lane?: "people" | "watchers";
  /** Ask the node even where a cached answer would do. */
  readonly fresh?: boolean;
}

/** What one export asks for. Times are half-open: from inclusive, to exclusive; the node cuts them to whole seconds. */
export interface LedgerQuery {
  readonly partyId: string;
  readonly assetId: string;
  readonly from?: Nanoseconds;
  readonly to?: Nanoseconds;
}

/** The bytes of a ledger export, freed from either framing. */
export interface LedgerStream {
  /**
   * Hands over the bytes in order, as they come. Their memory is used again: they are good only until `take` returns.
   * While a promise that it gave is open the node is held back, and it is called at most for what had arrived already,
   * less than 1 MiB. Resolves only when the export is whole and taken; rejects with ApiError (an error in mid-stream, a dropped connection, an idle time-out),
   * the signal's reason, or what `take` threw or its promise rejected with. Once only.
   */
  consume(take: (bytes: Buffer) => Promise<void> | undefined): Promise<void>;
  /** Gives the rest up and drops the connection; `pour` rejects. Safe to call at any time. */
  cancel(): void;
  /** The media type that the node gave; `text/csv` where it gave none. */
  readonly contentType: string;
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
  /** Resolves once the first bytes are there and are no error. Never retried; see LedgerStream. */
  exportLedger(query: LedgerQuery, options?: CallOptions): Promise<LedgerStream>;

  /** Optional at the node: an empty list where it does not offer them; never rejects but by the signal. Cached for long. */
  getMarketNames(options?: CallOptions): Promise<readonly MarketNames[]>;
  getAssetNames(options?: CallOptions): Promise<readonly AssetNames[]>;
  getNodeNames(options?: CallOptions): Promise<readonly NodeNames[]>;
}

/** How one node fares in this process's eyes. */
export interface NodeHealth {
  readonly circuitOpen: boolean;
  /** Until when it is left alone, in Unix milliseconds. */
  readonly circuitOpenUntilMillis?: number;
  readonly lastError?: string;
}

/** One node, asked directly: no fail-over. */
export interface NodeClient extends Operations {
  /** Host and port as people see it. */
  readonly name: string;
  readonly health: NodeHealth;
}

/** How to look at a network's nodes. */
export interface AssessOptions extends CallOptions {
  readonly signal?: AbortSignal;
  /** A node that has not answered within this is not reachable. Default 3 s. */
  readonly timeoutMillis?: Milliseconds;
  readonly thresholds?: VerdictThresholds;
  /** What others have seen in this process, where somebody looks more often. Default: what earlier looks have seen. */
  readonly earlier?: SourceMemory;
}

/** A network: its nodes in order, with fail-over from one to the next. */
export interface ApiClient extends Operations {
  readonly network: string;
  readonly simulated: boolean;
  readonly nodes: readonly NodeClient[];
  /**
   * Asks every node for its time and judges what they say. What was seen is remembered in this process, so that a
   * later look can tell an advance from a standstill. Without `fresh`, answers of the last half second do.
   * Rejects only with the signal's reason.
   */
  assess(options?: AssessOptions): Promise<Verdict>;
  /** Ends every connection; calls under way reject. */
  close(): Promise<void>;
}

export interface ClientLimits {
  /** One try, headers and body. */
  readonly tryMillis: Milliseconds;
  /** The whole call, over all tries and nodes. */
  readonly callMillis: Milliseconds;
  /** No byte of an export for this long ends it. */
  readonly idleMillis: Milliseconds;
  readonly maxBodyBytes: number;
  /** Requests a second to one node, all lanes; below the node's own limit of 20. */
  readonly requestsPerSecond: number;
  /** How many requests may come at once after a calm; below the node's own 100. */
  readonly burst: number;
  /** So many of the burst are the watchers' alone. */
  readonly reservedForWatchers: number;
  /** A request that would wait longer for its turn is refused at once. */
  readonly queueMillis: Milliseconds;
  /** The pause before the first retry; it doubles, and is spread by half. */
  readonly retryMillis: Milliseconds;
  /** The pause between two exports of one node. */
  readonly exportPauseMillis: Milliseconds;
}
