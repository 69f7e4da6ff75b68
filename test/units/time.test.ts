import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { inTime } from "../../src/units/time.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = (): Promise<string> => new Promise(() => {});
const late = (): string => "late";

test("gives what comes in time, and leaves no timer behind", async () => {
  const { signal } = new AbortController();
  expect(await inTime(Promise.resolve("there"), { millis: 1000, signal }, late)).toBe("there");
  await expect(inTime(Promise.reject(new Error("no")), { millis: 1000, signal }, late)).rejects.toThrow("no");
  expect(vi.getTimerCount()).toBe(0);
});

test("waits for so long", async () => {
  const waited = inTime(never(), { millis: 1000 }, late);
  await vi.advanceTimersByTimeAsync(999);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await waited).toBe("late");
});

test("waits until the signal is aborted, even before", async () => {
  const leaving = new AbortController();
  const waited = inTime(never(), { signal: leaving.signal }, late);
  leaving.abort();
  expect(await waited).toBe("late");
  expect(await inTime(never(), { millis: 1000, signal: leaving.signal }, late)).toBe("late");
  expect(vi.getTimerCount()).toBe(0);
});

test("waits for so long beyond the abort", async () => {
  const leaving = new AbortController();
  const pending = Promise.withResolvers<string>();
  const waited = [pending.promise, never()].map((one) =>
    inTime(one, { signal: leaving.signal, graceMillis: 500 }, late),
  );
  await vi.advanceTimersByTimeAsync(10_000);
  leaving.abort();
  await vi.advanceTimersByTimeAsync(499);
  pending.resolve("just in time");
  await vi.advanceTimersByTimeAsync(1);
  expect(await Promise.all(waited)).toEqual(["just in time", "late"]);
});

test("drops what fails once the wait is over", async () => {
  const pending = Promise.withResolvers<string>();
  const waited = inTime(pending.promise, { millis: 1 }, () => {
    throw new Error("too late");
  });
  await Promise.all([expect(waited).rejects.toThrow("too late"), vi.advanceTimersByTimeAsync(1)]);
  pending.reject(new Error("unhandled, were it not dropped"));
  await vi.advanceTimersByTimeAsync(1);
});
