import { setTimeout as sleep } from "node:timers/promises";

import { RateLimitError } from "discord.js";

import type { RateLimiter } from "./pacer.ts";

/** Makes one request when it may be made. */
export type LimitedRequest = <T>(call: () => Promise<T>) => Promise<T>;

/** Longer waits are handed back to whoever sends. */
const MAX_WAIT_MILLIS = 6000;
/** A request that is refused so often has met something else than a limit. */
const MAX_TRIES = 10;

/** One message on its way: paced with all others, waiting where Discord says so, and knowing whether it may have arrived. */
export class LimitedRequests {
  readonly #pacer: RateLimiter;
  readonly #signal: AbortSignal;
  #begun = false;

  constructor(pacer: RateLimiter, signal: AbortSignal) {
    this.#pacer = pacer;
    this.#signal = signal;
  }

  /** Whether Discord may have acted on the last request. */
  get maybeSent(): boolean {
    return this.#begun;
  }

  async run<T>(call: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#pacer.run(this.#signal, () => {
          this.#begun = true;
          return call();
        });
      } catch (error) {
        if (!(error instanceof RateLimitError)) throw error;
        // A request that was refused has had no effect; it takes its turn again.
        this.#begun = false;
        const wait = Math.max(error.timeToReset, error.retryAfter, 0);
        if (error.global) this.#pacer.pause(wait);
        if (tries === MAX_TRIES || wait > MAX_WAIT_MILLIS) throw error;
        if (!error.global) await sleep(wait, undefined, { signal: this.#signal });
      }
    }
  }
}
