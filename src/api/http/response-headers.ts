import type { Milliseconds } from "../../units/duration.ts";
import { nanoseconds, type Nanoseconds } from "../../units/nanoseconds.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import type { HttpHeaders } from "./http.ts";

const DIGITS = /^\d{1,20}$/u;
const MAX_RETRY_AFTER_MILLIS: Milliseconds = 24 * 3_600_000;

/** The block of an answer, from `X-Block-Height` and `X-Block-Timestamp` (nanoseconds), if sent. */
export function readBlock(headers: HttpHeaders): { blockHeight?: bigint; blockTime?: Nanoseconds } {
  const height = headers["x-block-height"];
  const time = headers["x-block-timestamp"];
  const blockHeight = typeof height === "string" && DIGITS.test(height) ? BigInt(height) : undefined;
  const nanos = typeof time === "string" && DIGITS.test(time) ? BigInt(time) : 0n;
  // A node that has taken in no block yet says 0.
  const blockTime = nanos > 0n ? nanoseconds(nanos) : undefined;
  return withoutUndefined({ blockHeight, blockTime });
}

/** The longer wait of the two headers; a banning node sends `RateLimit-Retry-After`. */
export function readRetryAfter(headers: HttpHeaders): Milliseconds | undefined {
  const wait = Math.max(
    ...["ratelimit-retry-after", "retry-after"].map((name) => parseRetryAfter(headers[name], headers)),
  );
  return wait <= 0 ? undefined : Math.min(wait, MAX_RETRY_AFTER_MILLIS);
}

/** Seconds, or a date as proxies send it, by their own clock (RFC 9110, 10.2.3); 0 where it is neither. */
function parseRetryAfter(value: HttpHeaders[string], { date }: HttpHeaders): Milliseconds {
  const text = String(value).trim();
  if (/^\d{1,9}$/u.test(text)) return Number(text) * 1000;
  const wait = text.endsWith("GMT") ? Date.parse(text) - Date.parse(String(date)) : 0;
  return Number.isNaN(wait) ? 0 : wait;
}
