import { setTimeout as sleep } from "node:timers/promises";

import type { Milliseconds } from "../units/duration.ts";
import { fromMillis, type Nanoseconds } from "../units/nanoseconds.ts";
import type { CancelSignal } from "./cancellation.ts";

/** Both clocks and sleeping, replaceable so that tests run in virtual time. */
export interface Clock {
  /** Monotonic, from an arbitrary origin. */
  monotonicMillis(): Milliseconds;
  wallClock(): Nanoseconds;
  /** Rejects with the signal's reason when that is aborted first. */
  sleep(millis: Milliseconds, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  monotonicMillis: () => performance.now(),
  wallClock: () => fromMillis(Date.now()),
  async sleep(millis, signal) {
    try {
      await sleep(millis, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
};

/** Sleeps on a request's signal, which need not be an AbortSignal. Rejects with the signal's reason. */
export async function sleepUnlessCancelled(
  clock: Clock,
  millis: Milliseconds,
  signal: CancelSignal | undefined,
): Promise<void> {
  if (signal === undefined) {
    await clock.sleep(millis);
    return;
  }
  signal.throwIfAborted();
  const cancelled = new AbortController();
  const cancel = (): void => cancelled.abort(signal.reason);
  signal.addEventListener("abort", cancel, { once: true });
  try {
    await clock.sleep(millis, cancelled.signal);
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

interface PendingTimeout {
  readonly atMillis: Milliseconds;
  readonly expire: () => void;
}

const pendingTimeouts = new Set<PendingTimeout>();
let timer: NodeJS.Timeout | undefined;
let wakesAtMillis = Number.POSITIVE_INFINITY;

/**
 * Calls `expire`, which must not throw, after this time; the returned function cancels it. For time-outs that are
 * cancelled nearly always: all share one timer of Node's, which takes a microsecond to set and clear. It does not keep
 * the process alive.
 */
export function startTimeout(millis: Milliseconds, expire: () => void): () => void {
  const one: PendingTimeout = { atMillis: performance.now() + millis, expire };
  pendingTimeouts.add(one);
  if (one.atMillis < wakesAtMillis) wakeAt(one.atMillis);
  return () => pendingTimeouts.delete(one);
}

function wakeAt(atMillis: Milliseconds): void {
  clearTimeout(timer);
  wakesAtMillis = atMillis;
  // Node's timers keep whole milliseconds only.
  timer = setTimeout(expireDue, Math.ceil(atMillis - performance.now())).unref();
}

function expireDue(): void {
  const now = performance.now();
  let next = Number.POSITIVE_INFINITY;
  wakesAtMillis = next;
  for (const one of pendingTimeouts) {
    if (one.atMillis <= now) {
      pendingTimeouts.delete(one);
      one.expire();
    } else if (one.atMillis < next) {
      next = one.atMillis;
    }
  }
  if (next < wakesAtMillis) wakeAt(next);
}
