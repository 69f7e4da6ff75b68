import { nanoseconds, type Nanoseconds } from "../units/nanoseconds.ts";
import type { HttpHeaders } from "./http.ts";

const DIGITS = /^\d{1,20}$/u;

/** The block an answer speaks for, from `X-Block-Height` and `X-Block-Timestamp` (nanoseconds), where they are sent. */
export function readBlock(headers: HttpHeaders): { blockHeight?: bigint; blockTime?: Nanoseconds } {
  const height = headers["x-block-height"];
  const time = headers["x-block-timestamp"];
  const blockHeight = typeof height === "string" && DIGITS.test(height) ? BigInt(height) : undefined;
  const blockTime = typeof time === "string" && DIGITS.test(time) ? nanoseconds(BigInt(time)) : undefined;
  return {
    ...(blockHeight === undefined ? {} : { blockHeight }),
    ...(blockTime === undefined ? {} : { blockTime }),
  };
}
