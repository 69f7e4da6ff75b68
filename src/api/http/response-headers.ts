import { nanoseconds, type Nanoseconds } from "../../units/nanoseconds.ts";
import type { HttpHeaders } from "./http.ts";

const DIGITS = /^\d{1,20}$/u;

/** The block an answer speaks for, from `X-Block-Height` and `X-Block-Timestamp` (nanoseconds), where they are sent. */
export function readBlock(headers: HttpHeaders): { blockHeight?: bigint; blockTime?: Nanoseconds } {
  const height = headers["x-block-height"];
  const time = headers["x-block-timestamp"];
  const blockHeight = typeof height === "string" && DIGITS.test(height) ? BigInt(height) : undefined;
  const nanos = typeof time === "string" && DIGITS.test(time) ? BigInt(time) : 0n;
  // A node that has taken in no block yet says 0.
  const blockTime = nanos > 0n ? nanoseconds(nanos) : undefined;
  return {
    ...(blockHeight === undefined ? {} : { blockHeight }),
    ...(blockTime === undefined ? {} : { blockTime }),
  };
}
