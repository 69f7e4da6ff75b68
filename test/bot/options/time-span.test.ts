import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { parseTimeSpan } from "../../../src/bot/options/time-span.ts";
import { formatUtc, fromMillis, nanoseconds } from "../../../src/units/time.ts";

// A Wednesday.
const now = fromMillis(Date.UTC(2024, 2, 13, 15, 30, 45));

function shown(typed: string): string {
  const span = parseTimeSpan(typed, now);
  if (span === undefined) return "none";
  const [from, to] = [span.from, span.to].map((at) => {
    const fraction = `.${String(at % 1_000_000_000n).padStart(9, "0")}`.replace(/\.?0+$/u, "");
    return formatUtc(at).replace(" UTC", fraction);
  });
  return from === to ? String(from) : `${from} to ${to}`;
}

describe("a typed time", () => {
  test.each([
    ["2023-05-01", "2023-05-01 00:00:00 to 2023-05-02 00:00:00"],
    ["2024-02-29", "2024-02-29 00:00:00 to 2024-03-01 00:00:00"],
    ["2023-02-29", "none"],
    ["2023-13-01", "none"],
    ["2023-05", "2023-05-01 00:00:00 to 2023-06-01 00:00:00"],
    ["2023-12", "2023-12-01 00:00:00 to 2024-01-01 00:00:00"],
    ["2023", "2023-01-01 00:00:00 to 2024-01-01 00:00:00"],
    ["1 May 2023", "2023-05-01 00:00:00 to 2023-05-02 00:00:00"],
    ["May 1, 2023", "2023-05-01 00:00:00 to 2023-05-02 00:00:00"],
    ["may 2023", "2023-05-01 00:00:00 to 2023-06-01 00:00:00"],
    ["foo 2023", "none"],
    ["2023-05-01 12:30", "2023-05-01 12:30:00"],
    ["2023-05-01T12:30:15.25Z", "2023-05-01 12:30:15.25"],
    ["2023-05-01 12:30 +02:00", "2023-05-01 10:30:00"],
    ["2023-05-01 00:30 -0100", "2023-05-01 01:30:00"],
    ["2023-05-01 24:00", "none"],
    ["now", "2024-03-13 15:30:45"],
    ["today", "2024-03-13 00:00:00 to 2024-03-14 00:00:00"],
    ["Yesterday", "2024-03-12 00:00:00 to 2024-03-13 00:00:00"],
    ["7d", "2024-03-06 15:30:45"],
    ["1h30m", "2024-03-13 14:00:45"],
    ["7 days ago", "2024-03-06 15:30:45"],
    ["last 24 hours", "2024-03-12 15:30:45"],
    ["1 month ago", "2024-02-13 15:30:45"],
    ["2 years", "2022-03-13 15:30:45"],
    ["last month", "2024-02-01 00:00:00 to 2024-03-01 00:00:00"],
    ["this month", "2024-03-01 00:00:00 to 2024-04-01 00:00:00"],
    ["last week", "2024-03-04 00:00:00 to 2024-03-11 00:00:00"],
    ["this week", "2024-03-11 00:00:00 to 2024-03-18 00:00:00"],
    ["q3", "2023-07-01 00:00:00 to 2023-10-01 00:00:00"],
    ["Q1", "2024-01-01 00:00:00 to 2024-04-01 00:00:00"],
    ["q4 of 2022", "2022-10-01 00:00:00 to 2023-01-01 00:00:00"],
    ["2022-q4", "2022-10-01 00:00:00 to 2023-01-01 00:00:00"],
    ["last quarter", "2023-10-01 00:00:00 to 2024-01-01 00:00:00"],
    ["last year", "2023-01-01 00:00:00 to 2024-01-01 00:00:00"],
    ["last day", "2024-03-12 00:00:00 to 2024-03-13 00:00:00"],
    ["1683000000", "2023-05-02 04:00:00"],
    ["1683000000123", "2023-05-02 04:00:00.123"],
    ["1683000000123456789", "2023-05-02 04:00:00.123456789"],
    ["05/01/2023", "none"],
    ["soon", "none"],
    ["", "none"],
  ])("%j is %s", (typed, expected) => {
    expect(shown(typed)).toBe(expected);
  });

  test("the last day of a long month goes back to the last day of a short one", () => {
    const march = fromMillis(Date.UTC(2023, 2, 31, 8));
    expect(parseTimeSpan("1 month ago", march)?.from).toBe(fromMillis(Date.UTC(2023, 1, 28, 8)));
  });

  test.each(["constructor", "__proto__", "tostring"])("%s is no time", (typed) => {
    expect(parseTimeSpan(typed, now)).toBeUndefined();
  });

  test("whatever is typed, a span never ends before it begins", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-z: -]{0,24}$/u)), (typed) => {
        const span = parseTimeSpan(typed, now);
        expect(span === undefined || span.to >= span.from).toBe(true);
      }),
    );
  });

  test("every day is one day long", () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date("9999-12-30"), noInvalidDate: true }), (date) => {
        const span = parseTimeSpan(date.toISOString().slice(0, 10), now);
        expect(span === undefined ? undefined : span.to - span.from).toBe(nanoseconds(86_400_000_000_000n));
      }),
    );
  });
});
