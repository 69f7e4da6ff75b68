import type { Milliseconds } from "./duration.ts";

/** How long to wait: for so long, or until the signal is aborted; with `graceMillis`, so long beyond its abort. */
interface Wait {
  readonly millis?: Milliseconds;
  readonly signal?: AbortSignal;
  readonly graceMillis?: Milliseconds;
}

const OVER = Symbol("over");

/** What becomes of a promise, or of `late` where the wait is over first; what then still comes is dropped. */
export async function inTime<T, L>(pending: Promise<T>, wait: Wait, late: () => L): Promise<T | L> {
  const { millis, signal, graceMillis = 0 } = wait;
  const { promise: over, resolve } = Promise.withResolvers<typeof OVER>();
  let timer = millis === undefined ? undefined : setTimeout(resolve, millis, OVER);
  const leave = (): void => {
    clearTimeout(timer);
    if (graceMillis === 0) resolve(OVER);
    else timer = setTimeout(resolve, graceMillis, OVER);
  };
  signal?.addEventListener("abort", leave, { once: true });
  if (signal?.aborted === true) leave();
  try {
    const outcome = await Promise.race([pending, over]);
    return outcome === OVER ? late() : outcome;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", leave);
  }
}

/** Rejects with a TimeoutError if the promise takes longer; a later result is dropped. */
export function withTimeout<T>(pending: Promise<T>, millis: Milliseconds): Promise<T> {
  return inTime(pending, { millis }, () => {
    throw new DOMException(`no answer within ${millis} ms`, "TimeoutError");
  });
}
