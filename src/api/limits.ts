import type { ClientLimits } from "./api-client.ts";

/**
 * What holds unless told otherwise. A node allows 20 requests a second and a burst of 100 per address, and bans for
 * ten minutes whoever runs into that for long; other programs may share our address.
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
