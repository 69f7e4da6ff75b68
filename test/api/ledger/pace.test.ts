import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { measurePace } from "../../../src/api/ledger/pace.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What was sent in each window in which an export of this length crawled, where 10 bytes a window are enough. */
function crawled(windows: readonly number[], length?: number, isPaused = false): readonly number[] {
  const reports: number[] = [];
  const headers = length === undefined ? {} : { "content-length": String(length) };
  const receiver = { isPaused: () => isPaused, crawls: (bytes: number) => void reports.push(bytes) };
  const pace = measurePace({ crawlBytes: 10, crawlMillis: 1000 }, headers, receiver);
  for (const bytes of windows) {
    pace.add(bytes);
    vi.advanceTimersByTime(1000);
  }
  pace.stop();
  vi.advanceTimersByTime(10_000);
  return reports;
}

test.each([
  ["fast enough", [10, 10, 10], undefined, []],
  ["too slow", [10, 9, 10, 0], undefined, [9, 0]],
  ["too slow, its end a window away at this pace", [20, 5], 30, []],
  ["too slow, its end farther away", [20, 5], 31, [5]],
])("an export that is %s", (_name, windows, length, reports) => {
  expect(crawled(windows, length)).toEqual(reports);
});

test("an export does not crawl while its consumer pauses it", () => {
  expect(crawled([0, 0], undefined, true)).toEqual([]);
});
