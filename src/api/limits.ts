import type { Milliseconds } from "../units/duration.ts";

/** Limits and time-outs of a client. */
export interface ClientLimits {
  /** One attempt, headers and body. */
  readonly tryMillis: Milliseconds;
  /** The whole call, over all attempts and nodes. */
  readonly callMillis: Milliseconds;
  /** No byte of an export for this long ends it. */
  readonly idleMillis: Milliseconds;
  /** An export that brings fewer bytes than this in `crawlMillis`, its end not in sight, is given up. */
  readonly crawlBytes: number;
  readonly crawlMillis: Milliseconds;
  /** Requests a second to one node, all lanes; below the node's own limit of 20. */
  readonly requestsPerSecond: number;
  /** Requests that may come at once after an idle time; below the node's own 100. */
  readonly burst: number;
  /** This many of the burst are reserved for watchers. */
  readonly reservedForWatchers: number;
  /** A request that would wait longer than this in the queue is refused at once. */
  readonly queueMillis: Milliseconds;
  /** The pause before the first retry; it doubles, with a jitter of half. */
  readonly retryMillis: Milliseconds;
  /** The pause between two exports of one node. */
  readonly exportPauseMillis: Milliseconds;
}

/**
 * The defaults. A node allows 20 requests a second and a burst of 100 per address, and bans for
 * ten minutes any address that exceeds that for long; other programs may share our address.
 */
export const DEFAULT_LIMITS: ClientLimits = {
  tryMillis: 8000,
  callMillis: 20_000,
  idleMillis: 60_000,
  crawlBytes: 64 * 1024,
  crawlMillis: 60_000,
  requestsPerSecond: 15,
  burst: 70,
  reservedForWatchers: 20,
  queueMillis: 5000,
  retryMillis: 150,
  exportPauseMillis: 2000,
};

const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * The most bytes that are read of an answer, by its kind. Each leaves room for many times the largest real answer, and
 * keeps the memory small that a broken or hostile node can take.
 */
export const BODY_BYTES = {
  /** The body of any status but 200: its words go into one sentence. */
  error: 64 * KIB,
  networkTime: 64 * KIB,
  nodeInfo: 64 * KIB,
  order: 256 * KIB,
  /** Some hundred bytes for each validator that signs. */
  bundle: MIB,
  /** A page of rotations, snapshots or checkpoints: some hundred bytes a row. */
  page: 8 * MIB,
  /** A page of 1000 names, with all that a node says of a market. */
  names: 32 * MIB,
  /** All parties with all their linkings. */
  partiesStake: 64 * MIB,
  marketsData: 64 * MIB,
} as const;

/** The most bytes that all bodies under way may hold in this process; beyond it, only the oldest one grows. */
export const BODIES_IN_FLIGHT_BYTES = 96 * MIB;
