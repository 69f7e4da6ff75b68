import type { Milliseconds } from "../units/duration.ts";

/** Rejects with a TimeoutError if the promise takes longer; a later result is dropped. */
export async function withTimeout<T>(pending: Promise<T>, millis: Milliseconds): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new DOMException(`no answer within ${millis} ms`, "TimeoutError")), millis);
  try {
    return await Promise.race([pending, late]);
  } finally {
    clearTimeout(timer);
  }
}
