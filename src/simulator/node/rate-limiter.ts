import type { Nanoseconds } from "../../units/nanoseconds.ts";

export interface RateLimit {
  /** Requests a second. */
  readonly rate: number;
  readonly burst: number;
  readonly banSeconds: number;
}

/** What a v0.71 data node does unless configured otherwise (datanode/ratelimit in github.com/vegaprotocol/vega). */
export const DEFAULT_RATE_LIMIT: RateLimit = { rate: 20, burst: 100, banSeconds: 600 };

export type RateLimitDecision =
  | { readonly kind: "passed"; readonly remaining: number }
  | { readonly kind: "limited" }
  | { readonly kind: "banned"; readonly seconds: number };

interface ClientBuckets {
  tokens: number;
  /** The second bucket, spent by refused requests. */
  patience: number;
  at: Nanoseconds;
  bannedUntil: Nanoseconds | undefined;
}

const MAX_CLIENTS = 10_000;

/** Two token buckets per address: whoever goes on asking when the first is empty empties the second, and is banned. */
export class RateLimiter {
  readonly limit: RateLimit;
  readonly #now: () => Nanoseconds;
  readonly #visitors = new Map<string, ClientBuckets>();

  constructor(limit: RateLimit, now: () => Nanoseconds) {
    this.limit = limit;
    this.#now = now;
  }

  ask(address: string): RateLimitDecision {
    const now = this.#now();
    const visitor = this.#visitor(address, now);
    if (visitor.bannedUntil !== undefined && now < visitor.bannedUntil) {
      return { kind: "banned", seconds: Math.ceil(Number(visitor.bannedUntil - now) / 1e9) };
    }
    if (visitor.tokens >= 1) {
      visitor.tokens -= 1;
      return { kind: "passed", remaining: Math.floor(visitor.tokens) };
    }
    if (visitor.patience >= 1) visitor.patience -= 1;
    else visitor.bannedUntil = (now + BigInt(this.limit.banSeconds) * 1_000_000_000n) as Nanoseconds;
    return { kind: "limited" };
  }

  #visitor(address: string, now: Nanoseconds): ClientBuckets {
    const { rate, burst } = this.limit;
    let visitor = this.#visitors.get(address);
    if (visitor === undefined) {
      if (this.#visitors.size >= MAX_CLIENTS) this.#visitors.clear();
      visitor = { tokens: burst, patience: burst, at: now, bannedUntil: undefined };
      this.#visitors.set(address, visitor);
    }
    // A clock that goes back fills nothing.
    const gained = Math.max(0, (Number(now - visitor.at) / 1e9) * rate);
    visitor.tokens = Math.min(burst, visitor.tokens + gained);
    visitor.patience = Math.min(burst, visitor.patience + gained);
    visitor.at = now;
    return visitor;
  }
}
