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
  sleep: (millis, signal) =>
    new Promise((resolve, reject) => {
      // The rejection of node:timers/promises would gather a stack for each wait that ends early.
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", stop);
        resolve();
      }, millis);
      if (signal?.aborted === true) stop();
      else signal?.addEventListener("abort", stop, { once: true });
    }),
};
