import { fromMillis, type Milliseconds, type Nanoseconds } from "../units/time.ts";

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
    signal?.throwIfAborted();
    const over = Promise.withResolvers<void>();
    const timer = setTimeout(over.resolve, millis);
    // The rejection of node:timers/promises would gather a stack for each wait that ends early.
    const stop = (): void => {
      clearTimeout(timer);
      over.reject(signal?.reason);
    };
    signal?.addEventListener("abort", stop, { once: true });
    try {
      await over.promise;
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  },
};
