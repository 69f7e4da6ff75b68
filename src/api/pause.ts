import type { Milliseconds } from "../units/duration.ts";
import type { Clock } from "./clock.ts";
import type { CancelSignal } from "./recall.ts";

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
  const left = new AbortController();
  const leave = (): void => left.abort(signal.reason);
  signal.addEventListener("abort", leave, { once: true });
  try {
    await clock.sleep(millis, left.signal);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
