import type { Clock } from "../api/clock.ts";
import { formatDuration, type Milliseconds } from "../units/duration.ts";
import { ObservationTimeout } from "./observation.ts";

/**
 * What `work` comes to, or a rejection with LookTimeout after `limitMillis`, or with the signal's reason. `work` gets a
 * signal that is aborted in either case; what does not heed it is left behind.
 */
export async function withTimeout<T>(
  work: (leave: AbortSignal) => Promise<T>,
  options: { readonly clock: Clock; readonly limitMillis: Milliseconds; readonly signal?: AbortSignal },
): Promise<T> {
  const { clock, limitMillis, signal } = options;
  signal?.throwIfAborted();
  const leave = new AbortController();
  const done = new AbortController();
  const stop = (): void => {
    leave.abort(signal?.reason);
    done.abort(signal?.reason);
  };
  signal?.addEventListener("abort", stop, { once: true });
  const late = clock.sleep(limitMillis, done.signal).then((): never => {
    const reason = new ObservationTimeout(`no answer within ${formatDuration(limitMillis)}`);
    leave.abort(reason);
    throw reason;
  });
  // Where the work fails before it has begun, nobody waits for this.
  late.catch(() => undefined);
  try {
    return await Promise.race([work(leave.signal), late]);
  } finally {
    signal?.removeEventListener("abort", stop);
    done.abort(new Error("done"));
  }
}
