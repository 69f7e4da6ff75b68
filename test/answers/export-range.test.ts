import { describe, expect, test } from "vitest";

import { exportRange } from "../../src/answers/export-range.ts";
import { parseTimeSpan } from "../../src/bot/time-span.ts";
import { formatUtc, fromMillis } from "../../src/units/nanoseconds.ts";

const now = fromMillis(Date.UTC(2024, 2, 13, 15, 30, 45));

function asked(from?: string, to?: string): string {
  const span = (typed?: string) => (typed === undefined ? undefined : parseTimeSpan(typed, now));
  const range = exportRange(span(from), span(to), now, (a, b) => `from:${a} to:${b}`);
  const shown = [range.from, range.to].map((at) => (at === undefined ? "…" : formatUtc(at).slice(0, 16)));
  return shown.join(" to ");
}

describe("the range of an export", () => {
  test.each([
    [undefined, undefined, "… to …"],
    ["2024-01-01", undefined, "2024-01-01 00:00 to …"],
    ["7d", undefined, "2024-03-06 15:30 to …"],
    ["this month", undefined, "2024-03-01 00:00 to …"],
    ["last month", undefined, "2024-02-01 00:00 to 2024-03-01 00:00"],
    ["Last  Week", undefined, "2024-03-04 00:00 to 2024-03-11 00:00"],
    ["yesterday", undefined, "2024-03-12 00:00 to 2024-03-13 00:00"],
    ["last month", "now", "2024-02-01 00:00 to 2024-03-13 15:30"],
    ["2024-01-01", "2024-01-31", "2024-01-01 00:00 to 2024-02-01 00:00"],
    [undefined, "yesterday", "… to 2024-03-13 00:00"],
  ])("from %s to %s is %s", (from, to, range) => {
    expect(asked(from, to)).toBe(range);
  });

  test.each([
    ["2024-04-01", undefined, "from lies in the future"],
    ["2024-02-01", "2024-01-01", "is earlier than from"],
    ["now", "now", "the same moment"],
    [undefined, "1969-12-01", "before 1970"],
  ])("from %s to %s is refused: %s", (from, to, sentence) => {
    expect(() => asked(from, to)).toThrow(sentence);
  });
});
