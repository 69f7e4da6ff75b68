import type { Milliseconds } from "../units/duration.ts";

/** The value, or a TimeoutError when it takes longer; what comes later is dropped. */
export async function withTimeout<T>(pending: Promise<T>, millis: Milliseconds): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new DOMException(`no answer within ${millis} ms`, "TimeoutError")), millis);
  try {
    return await Promise.race([pending, late]);
  } finally {
    clearTimeout(timer);
  }
}
