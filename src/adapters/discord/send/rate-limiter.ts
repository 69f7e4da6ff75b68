import { setTimeout as sleep } from "node:timers/promises";

import { RateLimitError } from "discord.js";

/** https://docs.discord.com/developers/topics/rate-limits#global-rate-limit: a second, over all of a bot's routes. */
const REQUESTS_PER_SECOND = 50;
/** A second, and what timers may be early. */
const WINDOW_MILLIS = 1003;
/** So long a request may be on its way to Discord: what has no answer after that has been counted there. */
const MAX_TRANSIT_MILLIS = 500;

/**
 * Keeps a bot's requests below what Discord allows in any second, whatever the network does between: the place that a
 * request takes is free again a second after its answer came, and by then Discord counted it at least that long ago. A
 * request that hangs keeps its place no longer than the way there may take.
 */
export class RateLimiter {
  readonly #waiting: (() => void)[] = [];
  #free: number;
  #pausedUntil = 0;
  #waking = false;

  constructor(allowed = REQUESTS_PER_SECOND) {
    this.#free = allowed;
  }

  /** Makes a request when its turn has come, in the order of the calls; rejects with the signal's reason before that. */
  async run<T>(signal: AbortSignal, request: () => Promise<T>): Promise<T> {
    await this.#turn(signal);
    let leaving = false;
    const leave = (): void => {
      if (!leaving) setTimeout(() => this.#leave(), WINDOW_MILLIS).unref();
      leaving = true;
    };
    const late = setTimeout(leave, MAX_TRANSIT_MILLIS).unref();
    try {
      return await request();
    } finally {
      clearTimeout(late);
      leave();
    }
  }

  /** How many wait for their turn. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Lets nothing go for so long: Discord said so. */
  pause(millis: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + millis);
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const go = (): void => {
      signal.removeEventListener("abort", leave);
      resolve();
    };
    const leave = (): void => {
      const index = this.#waiting.indexOf(go);
      if (index !== -1) this.#waiting.splice(index, 1);
      reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
    };
    signal.addEventListener("abort", leave, { once: true });
    this.#waiting.push(go);
    this.#release();
    await promise;
  }

  #leave(): void {
    this.#free += 1;
    this.#release();
  }

  #release(): void {
    const pause = this.#pausedUntil - performance.now();
    if (pause > 0) {
      if (!this.#waking) setTimeout(() => this.#wake(), pause).unref();
      this.#waking = true;
      return;
    }
    while (this.#free > 0 && this.#waiting.length > 0) {
      this.#free -= 1;
      this.#waiting.shift()?.();
    }
  }

  #wake(): void {
    this.#waking = false;
    this.#release();
  }
}

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
