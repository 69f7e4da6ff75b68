import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { startTimeout } from "../../src/api/clock.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("each expires in its time, whatever the order they were set in", () => {
  const expired: number[] = [];
  for (const millis of [300, 100, 200, 100]) startTimeout(millis, () => expired.push(millis));
  vi.advanceTimersByTime(99);
  expect(expired).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(expired).toEqual([100, 100]);
  vi.advanceTimersByTime(150);
  expect(expired).toEqual([100, 100, 200]);
  vi.advanceTimersByTime(50);
  expect(expired).toEqual([100, 100, 200, 300]);
});

test("a cancelled timeout never expires, and another one may be set while one expires", () => {
  const expired: string[] = [];
  const cancel = startTimeout(100, () => expired.push("called off"));
  startTimeout(100, () => {
    expired.push("first");
    startTimeout(100, () => expired.push("second"));
  });
  cancel();
  cancel();
  vi.advanceTimersByTime(199);
  expect(expired).toEqual(["first"]);
  vi.advanceTimersByTime(1);
  expect(expired).toEqual(["first", "second"]);
});
