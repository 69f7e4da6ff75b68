/** What a request is told about its bucket; `retryAfter` in seconds where it is refused. */
export interface RateVerdict {
  readonly headers: Record<string, string>;
  readonly refused?: { readonly retryAfter: number; readonly global: boolean };
}

interface Window {
  startedAt: number;
  used: number;
}

const BUCKET_LIMIT = 5;
const BUCKET_MILLIS = 5000;
const GLOBAL_LIMIT = 50;
const GLOBAL_MILLIS = 1000;

/**
 * Discord's limits: 5 messages in 5 s per channel, told in the headers, and 50 requests a second over all,
 * counted over any stretch of a second. Real time, since what is limited is real traffic.
 */
export class RateLimits {
  readonly #buckets = new Map<string, Window>();
  readonly #recent: number[] = [];
  refusals = 0;

  /** `bucket` names the route and its channel; undefined = only the global limit. */
  take(bucket: string | undefined): RateVerdict {
    const now = performance.now();
    while ((this.#recent[0] ?? Number.POSITIVE_INFINITY) <= now - GLOBAL_MILLIS) this.#recent.shift();
    if (this.#recent.length >= GLOBAL_LIMIT) {
      const retryAfter = ((this.#recent[0] ?? now) + GLOBAL_MILLIS - now) / 1000;
      return this.#refuse({ "x-ratelimit-global": "true", "x-ratelimit-scope": "global" }, retryAfter, true);
    }
    this.#recent.push(now);
    if (bucket === undefined) return { headers: {} };
    const known = this.#buckets.get(bucket);
    const window = known === undefined || now - known.startedAt >= BUCKET_MILLIS ? { startedAt: now, used: 0 } : known;
    this.#buckets.set(bucket, window);
    const resetAfter = (window.startedAt + BUCKET_MILLIS - now) / 1000;
    if (window.used >= BUCKET_LIMIT) return this.#refuse(headersOf(0, resetAfter), resetAfter, false);
    window.used += 1;
    return { headers: headersOf(BUCKET_LIMIT - window.used, resetAfter) };
  }

  #refuse(headers: Record<string, string>, retryAfter: number, global: boolean): RateVerdict {
    this.refusals += 1;
    return { headers: { ...headers, "retry-after": retryAfter.toFixed(3) }, refused: { retryAfter, global } };
  }
}

function headersOf(remaining: number, resetAfter: number): Record<string, string> {
  return {
    "x-ratelimit-bucket": "messages",
    "x-ratelimit-limit": String(BUCKET_LIMIT),
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset-after": resetAfter.toFixed(3),
    "x-ratelimit-scope": "user",
  };
}
