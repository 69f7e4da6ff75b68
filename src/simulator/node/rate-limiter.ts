import type { Nanoseconds } from "../../units/time.ts";

/** The default of a v0.71 data node (datanode/ratelimit in github.com/vegaprotocol/vega); the rate in requests a second. */
export const DEFAULT_RATE_LIMIT = { rate: 20, burst: 100, banSeconds: 600 };

export type RateLimit = Readonly<typeof DEFAULT_RATE_LIMIT>;

export type RateLimitDecision =
  | { readonly kind: "passed"; readonly remaining: number }
  | { readonly kind: "limited" }
  | { readonly kind: "banned"; readonly seconds: number };

interface ClientBuckets {
  tokens: number;
  /** The second bucket, which refused requests drain. */
  banTokens: number;
  at: Nanoseconds;
  bannedUntil: Nanoseconds | undefined;
}

const MAX_CLIENTS = 10_000;

/** Two token buckets per address: requests refused by the first bucket drain the second, which bans when empty. */
export class RateLimiter {
  readonly limit: RateLimit;
  readonly #now: () => Nanoseconds;
  readonly #clients = new Map<string, ClientBuckets>();

  constructor(limit: RateLimit, now: () => Nanoseconds) {
    this.limit = limit;
    this.#now = now;
  }

  ask(address: string): RateLimitDecision {
    const now = this.#now();
    const client = this.#client(address, now);
    if (client.bannedUntil !== undefined && now < client.bannedUntil) {
      return { kind: "banned", seconds: Math.ceil(Number(client.bannedUntil - now) / 1e9) };
    }
    if (client.tokens >= 1) {
      client.tokens -= 1;
      return { kind: "passed", remaining: Math.floor(client.tokens) };
    }
    if (client.banTokens >= 1) client.banTokens -= 1;
    else client.bannedUntil = (now + BigInt(this.limit.banSeconds) * 1_000_000_000n) as Nanoseconds;
    return { kind: "limited" };
  }

  #client(address: string, now: Nanoseconds): ClientBuckets {
    const { rate, burst } = this.limit;
    let client = this.#clients.get(address);
    if (client === undefined) {
      if (this.#clients.size >= MAX_CLIENTS) this.#clients.clear();
      client = { tokens: burst, banTokens: burst, at: now, bannedUntil: undefined };
      this.#clients.set(address, client);
    }
    // A clock that goes back fills nothing.
    const gained = Math.max(0, (Number(now - client.at) / 1e9) * rate);
    client.tokens = Math.min(burst, client.tokens + gained);
    client.banTokens = Math.min(burst, client.banTokens + gained);
    client.at = now;
    return client;
  }
}
