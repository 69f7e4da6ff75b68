import type { Milliseconds } from "../../units/time.ts";
import type { Clock } from "../clock.ts";

export type Lane = "people" | "watchers";

/** A node's rate budget as a token bucket: one token a request. */
export interface BudgetLimits {
  readonly requestsPerSecond: number;
  readonly burst: number;
  /** This many tokens are reserved for watchers. */
  readonly reserved: number;
}

interface Waiting {
  readonly lane: Lane;
  readonly grant: () => void;
  readonly refuse: (reason: unknown) => void;
}

/** Thrown when the wait would be longer than the caller allows. */
export class BudgetExhausted extends Error {
  override readonly name = "BudgetExhausted";
  readonly waitMillis: Milliseconds;

  constructor(waitMillis: Milliseconds) {
    super("the budget of this node is spent");
    this.waitMillis = waitMillis;
  }
}

/** One node's budget, set below the node's own rate limit. Watchers have priority; people are served in order. */
export class RateBudget {
  readonly #limits: BudgetLimits;
  readonly #clock: Clock;
  readonly #queues: Record<Lane, Waiting[]> = { watchers: [], people: [] };
  #tokens: number;
  #filledAtMillis: Milliseconds;
  #pumping = false;

  constructor(limits: BudgetLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#tokens = limits.burst;
    this.#filledAtMillis = clock.monotonicMillis();
  }

  /** Takes a token if one is free for this lane and no caller waits. */
  tryTake(lane: Lane): boolean {
    this.#fill();
    const ahead = this.#queues.watchers.length + (lane === "people" ? this.#queues.people.length : 0);
    if (ahead > 0 || this.#tokens < this.#needed(lane)) return false;
    this.#tokens -= 1;
    return true;
  }

  /**
   * Waits for a token. Rejects with BudgetExhausted at once when that would take longer than `maxWaitMillis`, or with the
   * signal's reason.
   */
  take(lane: Lane, maxWaitMillis: Milliseconds, signal?: AbortSignal): Promise<void> {
    if (this.tryTake(lane)) return Promise.resolve();
    const wait = this.#waitFor(lane);
    if (wait > maxWaitMillis) return Promise.reject(new BudgetExhausted(wait));
    return new Promise((resolve, reject) => {
      const queue = this.#queues[lane];
      const waiting: Waiting = {
        lane,
        grant: () => {
          signal?.removeEventListener("abort", leave);
          resolve();
        },
        refuse: (reason) => {
          const index = queue.indexOf(waiting);
          if (index !== -1) queue.splice(index, 1);
          reject(reason);
        },
      };
      function leave(): void {
        waiting.refuse(signal?.reason);
      }
      queue.push(waiting);
      signal?.addEventListener("abort", leave, { once: true });
      void this.#pump();
    });
  }

  /** Applies the remaining quota that the node reports, where it is lower than our own count. */
  observeRemaining(remaining: number): void {
    this.#fill();
    this.#tokens = Math.min(this.#tokens, Math.max(0, remaining));
  }

  /** Rejects all waiting callers. */
  close(reason: unknown): void {
    for (const waiting of [...this.#queues.watchers, ...this.#queues.people]) waiting.refuse(reason);
  }

  /** How long a new request of this lane would wait now. */
  #waitFor(lane: Lane): Milliseconds {
    const ahead = this.#queues.watchers.length + (lane === "people" ? this.#queues.people.length : 0);
    const missing = ahead + this.#needed(lane) - this.#tokens;
    return Math.max(0, (missing / this.#limits.requestsPerSecond) * 1000);
  }

  #needed(lane: Lane): number {
    return lane === "watchers" ? 1 : 1 + this.#limits.reserved;
  }

  #fill(): void {
    const now = this.#clock.monotonicMillis();
    const gained = ((now - this.#filledAtMillis) / 1000) * this.#limits.requestsPerSecond;
    this.#tokens = Math.min(this.#limits.burst, this.#tokens + gained);
    this.#filledAtMillis = now;
  }

  /** Grants while tokens last, then sleeps until the next one; runs only while callers wait. */
  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    let next = this.#next();
    while (next !== undefined) {
      this.#fill();
      const missing = this.#needed(next.lane) - this.#tokens;
      if (missing <= 1e-9) {
        this.#tokens -= 1;
        this.#queues[next.lane].shift();
        next.grant();
      } else {
        // Sleeps no longer than one token takes, since a watcher may have moved to the front meanwhile.
        await this.#clock.sleep(Math.max(1, (Math.min(1, missing) / this.#limits.requestsPerSecond) * 1000));
      }
      next = this.#next();
    }
    this.#pumping = false;
  }

  #next(): Waiting | undefined {
    return this.#queues.watchers[0] ?? this.#queues.people[0];
  }
}
