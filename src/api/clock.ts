import { setTimeout as sleep } from "node:timers/promises";

import type { Milliseconds } from "../units/duration.ts";
import { fromMillis, type Nanoseconds } from "../units/nanoseconds.ts";

/** Both clocks and sleeping, replaceable so that tests run in virtual time. */
export interface Clock {
  /** Monotonic, from an arbitrary origin. */
  monotonicMillis(): Milliseconds;
  wallClock(): Nanoseconds;
  /** Rejects with the signal's reason when that is aborted first. */
  sleep(millis: Milliseconds, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  monotonicMillis: () => performance.now(),
  wallClock: () => fromMillis(Date.now()),
  async sleep(millis, signal) {
    try {
      await sleep(millis, undefined, { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
};
