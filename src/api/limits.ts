import type { Milliseconds } from "../units/duration.ts";

/** Limits and time-outs of a client. */
export interface ClientLimits {
  /** One attempt, headers and body. */
  readonly tryMillis: Milliseconds;
  /** The whole call, over all attempts and nodes. */
  readonly callMillis: Milliseconds;
  /** No byte of an export for this long ends it. */
  readonly idleMillis: Milliseconds;
  readonly maxBodyBytes: number;
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
  maxBodyBytes: 64 * 1024 * 1024,
  requestsPerSecond: 15,
  burst: 70,
  reservedForWatchers: 20,
  queueMillis: 5000,
  retryMillis: 150,
  exportPauseMillis: 2000,
};
