import { LRUCache } from "lru-cache";

import { type Nanoseconds, toMillis } from "../../../units/nanoseconds.ts";
import { ATTEMPT_WINDOW_MILLIS, MAX_FAILED_ATTEMPTS } from "../limits.ts";
import { clientGroup } from "./client-address.ts";

interface Window {
  failed: number;
  /** Unix milliseconds. */
  readonly ends: number;
}

export type AttemptLimiter = ReturnType<typeof createAttemptLimiter>;

/** Counts what a client does too often, such as wrong tokens, a minute at a time, for a bounded number of clients. */
export function createAttemptLimiter(max = MAX_FAILED_ATTEMPTS) {
  const windows = new LRUCache<string, Window>({ max: 2000 });
  const current = (address: string, at: number): Window => {
    const window = windows.get(clientGroup(address));
    return window !== undefined && at < window.ends ? window : { failed: 0, ends: at + ATTEMPT_WINDOW_MILLIS };
  };
  return {
    /** Milliseconds until this client may try again; 0 = now. */
    waitMillis(address: string, now: Nanoseconds): number {
      const at = toMillis(now);
      const { failed, ends } = current(address, at);
      return failed >= max ? ends - at : 0;
    },
    failed(address: string, now: Nanoseconds): void {
      const window = current(address, toMillis(now));
      window.failed += 1;
      windows.set(clientGroup(address), window);
    },
  };
}
