import { describe, expect, test } from "vitest";

import { exportRange, rangeName, rangeOptions } from "../../src/answers/export-range.ts";
import { parseTimeSpan } from "../../src/bot/options/time-span.ts";
import { formatUtc, fromMillis } from "../../src/units/time.ts";
import { saying } from "../support/said.ts";

const now = fromMillis(Date.UTC(2024, 2, 13, 15, 30, 45));

function asked(from?: string, to?: string): string {
  const span = (typed?: string) => (typed === undefined ? undefined : parseTimeSpan(typed, now));
  const range = exportRange(span(from), span(to), now, (a, b) => `from:${a} to:${b}`);
  const shown = [range.from, range.to].map((at) => (at === undefined ? "…" : formatUtc(at).slice(0, 16)));
  return shown.join(" to ");
}

describe("the range of an export", () => {
  test.each([
    [undefined, undefined, "… to 2024-03-13 15:30"],
    ["2024-01-01", undefined, "2024-01-01 00:00 to 2024-01-02 00:00"],
    ["2024-01", undefined, "2024-01-01 00:00 to 2024-02-01 00:00"],
    ["january 2024", undefined, "2024-01-01 00:00 to 2024-02-01 00:00"],
    ["2023", undefined, "2023-01-01 00:00 to 2024-01-01 00:00"],
    ["2024-03", undefined, "2024-03-01 00:00 to 2024-03-13 15:30"],
    ["2024-03-13", undefined, "2024-03-13 00:00 to 2024-03-13 15:30"],
    ["2024-01", "now", "2024-01-01 00:00 to 2024-03-13 15:30"],
    ["2024-01-01 12:30", undefined, "2024-01-01 12:30 to 2024-03-13 15:30"],
    ["7d", undefined, "2024-03-06 15:30 to 2024-03-13 15:30"],
    ["this month", undefined, "2024-03-01 00:00 to 2024-03-13 15:30"],
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
    ["2024-04-01", undefined, saying("from")],
    ["2024-02-01", "2024-01-01", saying("from")],
    ["now", "now", saying("from")],
    ["now", undefined, saying("from", "2024-03-13 15:30:45 UTC")],
    [undefined, "1969-12-01", saying(1970)],
  ])("from %s to %s is refused", (from, to, named) => {
    expect(() => asked(from, to)).toThrow(named);
    expect(() => asked(from, to)).toThrowErrorMatchingSnapshot();
  });
});

describe("the range in a file's name", () => {
  const midnight = (day: string) => fromMillis(Date.parse(`${day}T00:00:00Z`));
  const morning = fromMillis(Date.UTC(2024, 0, 5, 6, 30));
  test.each([
    [
      "whole days, by the first and the last",
      midnight("2023-05-01"),
      midnight("2023-06-01"),
      "2023-05-01-through-2023-05-31",
    ],
    ["one day", midnight("2024-02-29"), midnight("2024-03-01"), "2024-02-29"],
    ["from the beginning to the end of a day", undefined, midnight("2024-01-01"), "start-through-2023-12-31"],
    ["hours, by both ends", morning, midnight("2024-01-06"), "2024-01-05T063000Z-until-2024-01-06T000000Z"],
    ["until now", midnight("2024-01-01"), now, "2024-01-01T000000Z-until-2024-03-13T153045Z"],
    ["everything", undefined, now, "start-until-2024-03-13T153045Z"],
  ])("%s", (_words, from, to, name) => {
    expect(rangeName({ from, to })).toBe(name);
  });
});

describe("the range as it is typed again", () => {
  const at = (typed: string): ReturnType<typeof fromMillis> => fromMillis(Date.parse(typed));
  const spanOf = (typed?: string) => (typed === undefined ? undefined : parseTimeSpan(typed, now));

  test.each([
    [undefined, "2024-02-01T00:00:00Z", "to:2024-02-01T00:00Z"],
    ["2023-01-01T00:00:00Z", "2024-01-01T00:00:00Z", "from:2023"],
    ["2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z", "from:2024-02"],
    ["2024-03-01T00:00:00Z", "2024-03-02T00:00:00Z", "from:2024-03-01"],
    ["2024-02-01T00:00:00Z", "2024-02-29T00:00:00Z", "from:2024-02-01 to:2024-02-28"],
    ["2023-12-01T00:00:00Z", "2024-02-01T00:00:00Z", "from:2023-12-01 to:2024-01-31"],
    ["2024-02-01T06:30:00Z", "2024-02-02T00:00:05Z", "from:2024-02-01T06:30Z to:2024-02-02T00:00:05Z"],
    ["2024-03-01T00:00:00Z", "2024-03-13T15:30:45Z", "from:2024-03-01T00:00Z to:2024-03-13T15:30:45Z"],
  ])("%s to %s is %s, and means the same whenever it is typed", (from, to, typed) => {
    const range = { from: from === undefined ? undefined : at(from), to: at(to) };
    const options = rangeOptions(range);
    expect(
      Object.entries(options)
        .map(([name, value]) => `${name}:${value}`)
        .join(" "),
    ).toBe(typed);
    expect(exportRange(spanOf(options.from), spanOf(options.to), now, () => "")).toEqual(range);
  });
});
