import { setTimeout as sleep } from "node:timers/promises";

import { RateLimitError } from "discord.js";

/** https://docs.discord.com/developers/topics/rate-limits#global-rate-limit: over all of a bot's routes. */
const REQUESTS_PER_SECOND = 50;
/** A second, and the few milliseconds by which timers may be early. */
const WINDOW_MILLIS = 1003;
/** The longest time in transit: Discord has counted an unanswered request after that. */
const MAX_TRANSIT_MILLIS = 500;

/**
 * Keeps a bot's requests within Discord's limit in any second, whatever the latency: a slot is free again one second
 * after the response, when Discord counted the request at least a second ago. A hanging request holds its slot for one
 * second beyond the longest time in transit.
 */
export class RateLimiter {
  readonly #queues: Readonly<Record<Turn, (() => void)[]>> = { urgent: [], usual: [], last: [] };
  readonly #allowed: () => number;
  /** Requests that Discord may count within this second. */
  #counted = 0;
  #pausedUntil = 0;
  #waking = false;

  /** `processes`: how many share the bot's token, each with an equal part of its limit. */
  constructor(allowed = REQUESTS_PER_SECOND, processes: () => number = () => 1) {
    this.#allowed = () => Math.max(1, Math.floor(allowed / processes()));
  }

  /**
   * Makes a request as soon as a slot is free, in the order of the calls, an urgent one before all others, and the last
   * ones behind them; rejects with the signal's reason before that.
   */
  async run<T>(signal: AbortSignal, request: () => Promise<T>, turn: Turn = "usual"): Promise<T> {
    await this.#turn(signal, turn);
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

  /** The number of requests that wait for a slot, without the last ones: these keep nothing else waiting. */
  get waiting(): number {
    return this.#queues.urgent.length + this.#queues.usual.length;
  }

  /** Starts no request for this long, after a global 429. */
  pause(millis: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + millis);
  }

  async #turn(signal: AbortSignal, turn: Turn): Promise<void> {
    signal.throwIfAborted();
    const waiting = this.#queues[turn];
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const go = (): void => {
      signal.removeEventListener("abort", leave);
      resolve();
    };
    function leave(): void {
      const index = waiting.indexOf(go);
      if (index !== -1) waiting.splice(index, 1);
      reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
    }
    signal.addEventListener("abort", leave, { once: true });
    waiting.push(go);
    this.#release();
    await promise;
  }

  #leave(): void {
    this.#counted -= 1;
    this.#release();
  }

  #release(): void {
    const pause = this.#pausedUntil - performance.now();
    if (pause > 0) {
      if (!this.#waking) setTimeout(() => this.#wake(), pause).unref();
      this.#waking = true;
      return;
    }
    const { urgent, usual, last } = this.#queues;
    while (this.#counted < this.#allowed()) {
      const next = urgent.shift() ?? usual.shift() ?? last.shift();
      if (next === undefined) return;
      this.#counted += 1;
      next();
    }
  }

  #wake(): void {
    this.#waking = false;
    this.#release();
  }
}

/** When a request gets its slot; of the last ones, those that Discord refuses for its limit are not repeated. */
export type Turn = "urgent" | "usual" | "last";

/** Makes one request within the rate limit. */
export type LimitedRequest = <T>(call: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/** After a 429 with a longer wait, the delivery fails and is retried later. */
const MAX_WAIT_MILLIS = 6000;
/** After so many refusals the cause is not a rate limit. */
const MAX_TRIES = 10;

interface LimitedOptions {
  readonly signal: AbortSignal;
  readonly turn: Turn;
  /** Where it is overtaken during a wait for the channel, the delivery fails, and is retried behind what is urgent. */
  readonly isOvertaken: () => boolean;
}

/** The requests of one delivery: rate-limited, repeated after a 429, and with a record of whether one may have arrived. */
export function limitedRequests(limiter: RateLimiter, { signal, turn, isOvertaken }: LimitedOptions) {
  let maybeSent = false;
  return {
    /** Whether Discord may have acted on the last request. */
    maybeSent: () => maybeSent,
    async run<T>(call: () => Promise<T>): Promise<T> {
      for (let tries = 1; ; tries += 1) {
        try {
          const request = (): Promise<T> => {
            maybeSent = true;
            return call();
          };
          return await limiter.run(signal, request, turn);
        } catch (error) {
          if (!(error instanceof RateLimitError)) throw error;
          // A rate-limited request has had no effect.
          maybeSent = false;
          const wait = Math.max(error.timeToReset, error.retryAfter, 0);
          if (error.global) limiter.pause(wait);
          if (tries === MAX_TRIES || wait > MAX_WAIT_MILLIS || turn === "last") throw error;
          if (error.global) continue;
          await sleep(wait, undefined, { signal });
          if (isOvertaken()) throw error;
        }
      }
    },
  };
}
