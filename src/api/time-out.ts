import type { Milliseconds } from "../units/duration.ts";

interface PendingTimeout {
  readonly atMillis: Milliseconds;
  readonly expire: () => void;
}

const pendingTimeouts = new Set<PendingTimeout>();
let timer: NodeJS.Timeout | undefined;
let wakesAtMillis = Number.POSITIVE_INFINITY;

/**
 * Calls `expire`, which must not throw, once so much time has passed; what is returned calls that off. For what is called
 * off nearly always: all share one timer of Node's, which takes a microsecond to set and clear. It does not keep the
 * process alive; what is waited for does.
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
