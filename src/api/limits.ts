/**
 * Limits and time-outs of a client, by default. A node allows 20 requests a second and a burst of 100 per address, and
 * bans for ten minutes any address that exceeds that for long; other programs may share our address.
 */
export const DEFAULT_LIMITS = {
  /** One attempt, headers and body. */
  tryMillis: 8000,
  /** The whole call, over all attempts and nodes. */
  callMillis: 20_000,
  /** No byte of an export for this long ends it. */
  idleMillis: 60_000,
  /** An export that brings fewer bytes than this in `crawlMillis`, its end not in sight, is given up. */
  crawlBytes: 64 * 1024,
  crawlMillis: 60_000,
  /** Requests a second to one node, all lanes; below the node's own limit of 20. */
  requestsPerSecond: 15,
  /** Requests that may come at once after an idle time; below the node's own 100. */
  burst: 70,
  /** This many of the burst are reserved for watchers. */
  reservedForWatchers: 20,
  /** A request that would wait longer than this in the queue is refused at once. */
  queueMillis: 5000,
  /** The pause before the first retry; it doubles, with a jitter of half. */
  retryMillis: 150,
  /** The pause between two exports of one node. */
  exportPauseMillis: 2000,
};

export type ClientLimits = Readonly<typeof DEFAULT_LIMITS>;

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
