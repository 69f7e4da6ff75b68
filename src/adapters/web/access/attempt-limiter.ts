import { isIPv6 } from "node:net";

import { LRUCache } from "lru-cache";

import { type Nanoseconds, toMillis } from "../../../units/nanoseconds.ts";
import { ATTEMPT_WINDOW_MILLIS, MAX_FAILED_ATTEMPTS, MAX_FAILED_ATTEMPTS_OF_ALL } from "../limits.ts";

interface Window {
  failed: number;
  /** Unix milliseconds. */
  readonly ends: number;
}

/** Counts wrong tokens per address and over all addresses, a minute at a time. */
export interface AttemptLimiter {
  /** Milliseconds until this address may try again; 0 = now. */
  waitMillis(address: string, now: Nanoseconds): number;
  failed(address: string, now: Nanoseconds): void;
}

/** It remembers a bounded number of addresses; the bound over all of them holds beyond that. */
export function createAttemptLimiter(): AttemptLimiter {
  const windows = new LRUCache<string, Window>({ max: 2000 });
  let all: Window = { failed: 0, ends: 0 };
  const current = (window: Window | undefined, at: number): Window =>
    window !== undefined && at < window.ends ? window : { failed: 0, ends: at + ATTEMPT_WINDOW_MILLIS };
  return {
    waitMillis: (address, now) => {
      const at = toMillis(now);
      const own = current(windows.get(addressGroup(address)), at);
      if (own.failed >= MAX_FAILED_ATTEMPTS) return own.ends - at;
      const everyone = current(all, at);
      return everyone.failed >= MAX_FAILED_ATTEMPTS_OF_ALL ? everyone.ends - at : 0;
    },
    failed: (address, now) => {
      const at = toMillis(now);
      const own = current(windows.get(addressGroup(address)), at);
      own.failed += 1;
      windows.set(addressGroup(address), own);
      all = current(all, at);
      all.failed += 1;
    },
  };
}

/** One household or server has a whole /64 of IPv6 addresses (RFC 6177), so they count as one. */
function addressGroup(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = "", tail] = address.split("::");
  const left = head === "" ? [] : head.split(":");
  if (tail === undefined) return left.slice(0, 4).join(":");
  const right = tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0");
  return [...left, ...zeros, ...right].slice(0, 4).join(":");
}
