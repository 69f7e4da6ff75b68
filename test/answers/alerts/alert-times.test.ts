import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { localMillis } from "../../../src/units/local-time.ts";
import {
  parseMoment,
  parsePastRange,
  parseQuietHours,
  parseSpan,
  parseZone,
  splitPast,
} from "../../../src/answers/alerts/alert-times.ts";
import { UserError } from "../../../src/errors.ts";

/** Thursday, 2026-01-15 12:00 UTC. */
const NOON = Date.UTC(2026, 0, 15, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe("a moment", () => {
  test.each<[string, string, number]>([
    ["now", "UTC", NOON],
    ["22:00", "UTC", NOON + 10 * HOUR],
    ["9:30", "UTC", NOON + DAY - 2.5 * HOUR],
    ["12:00", "UTC", NOON + DAY],
    ["22:00", "Europe/Berlin", NOON + 9 * HOUR],
    ["22:00", "Asia/Kolkata", NOON + 4.5 * HOUR],
    ["in 2h", "Europe/Berlin", NOON + 2 * HOUR],
    ["90 minutes", "UTC", NOON + 1.5 * HOUR],
    ["7am", "UTC", NOON + 19 * HOUR],
    ["12am", "UTC", NOON + 12 * HOUR],
    ["12:30 PM", "UTC", NOON + HOUR / 2],
    ["tomorrow", "UTC", NOON + 12 * HOUR],
    ["tomorrow 13:00", "Europe/Berlin", NOON + DAY],
    ["today 11pm", "UTC", NOON + 11 * HOUR],
    ["tomorrow", "Pacific/Auckland", NOON + 23 * HOUR],
    ["2026-07-01", "Europe/Berlin", Date.UTC(2026, 5, 30, 22)],
    ["2026-07-01 08:00", "America/New_York", Date.UTC(2026, 6, 1, 12)],
    ["2026-07-01T08:00Z", "America/New_York", Date.UTC(2026, 6, 1, 8)],
    ["2026-07-01 08:00+02:00", "America/New_York", Date.UTC(2026, 6, 1, 6)],
    ["1 may 2026", "UTC", Date.UTC(2026, 4, 1)],
    ["1782900000", "Europe/Berlin", 1_782_900_000_000],
  ])("%s in %s is the right one", (typed, zone, at) => {
    expect(new Date(parseMoment("from", typed, NOON, zone)).toISOString()).toBe(new Date(at).toISOString());
  });

  test.each<[string, string, number]>([
    ["2026-07-01", "Europe/Berlin", Date.UTC(2026, 6, 1, 22)],
    ["1 may 2026", "UTC", Date.UTC(2026, 4, 2)],
    ["2026-07", "UTC", Date.UTC(2026, 7, 1)],
    ["2026-07-01 08:00", "America/New_York", Date.UTC(2026, 6, 1, 12)],
    ["today", "UTC", NOON + 12 * HOUR],
    ["tomorrow", "UTC", NOON + 12 * HOUR],
    ["22:00", "UTC", NOON + 10 * HOUR],
    ["in 2h", "UTC", NOON + 2 * HOUR],
  ])("an end: %s in %s, a bare date with that day", (typed, zone, at) => {
    expect(new Date(parseMoment("until", typed, NOON, zone)).toISOString()).toBe(new Date(at).toISOString());
  });

  test.each(["", "soon", "25:00", "7 days ago", "2026-02-30", "22:0", "13pm", "0am", "7", "tomorrow 25:00"])(
    "“%s” is none",
    (typed) => {
      expect(() => parseMoment("from", typed, NOON)).toThrow(UserError);
    },
  );

  test("by the clock is the next one, within a day, whatever the zone and the time of year", () => {
    const zones = fc.constantFrom("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe");
    const year = fc.integer({ min: 0, max: 365 * 24 * 60 });
    const time = fc.record({ hour: fc.integer({ min: 0, max: 23 }), minute: fc.integer({ min: 0, max: 59 }) });
    fc.assert(
      fc.property(zones, year, time, (zone, minutes, { hour, minute }) => {
        const now = Date.UTC(2026, 0, 1) + minutes * MINUTE;
        const typed = `${hour}:${String(minute).padStart(2, "0")}`;
        const at = parseMoment("from", typed, now, zone);
        // Clocks that are put back or forward move it by that much at most.
        expect(at).toBeGreaterThan(now - HOUR - 1);
        expect(at).toBeLessThanOrEqual(now + DAY + HOUR);
        const shown = ((localMillis(zone, at) % DAY) + DAY) % DAY;
        const wanted = (hour * 60 + minute) * MINUTE;
        const apart = Math.abs(shown - wanted);
        expect(Math.min(apart, DAY - apart)).toBeLessThanOrEqual(HOUR);
        const shifts = localMillis(zone, now + 2 * DAY) - localMillis(zone, now - DAY) !== 3 * DAY;
        expect(shifts || apart === 0).toBe(true);
      }),
    );
  });
});

test.each<[string, number]>([
  ["30s", 30_000],
  ["1h30m", 1.5 * HOUR],
  ["2 hours", 2 * HOUR],
  ["1 week", 7 * DAY],
  ["250ms", 250],
])("%s is a span of time", (typed, millis) => {
  expect(parseSpan("for", typed)).toBe(millis);
});

test.each(["0s", "-1h", "1.5h", "h", "10", "∞"])("“%s” is no span of time", (typed) => {
  expect(() => parseSpan("for", typed)).toThrow(UserError);
});

test.each<[string, string]>([
  ["europe/berlin", "Europe/Berlin"],
  ["utc", "UTC"],
  ["america/new york", "America/New_York"],
  ["Etc/GMT+5", "Etc/GMT+5"],
])("%s is the zone %s", (typed, zone) => {
  expect(parseZone("zone", typed)).toBe(zone);
});

test.each<[string, object]>([
  ["22:00-07:00", { from: "22:00", to: "07:00" }],
  ["22-7", { from: "22:00", to: "07:00" }],
  ["9:15 to 10", { from: "09:15", to: "10:00" }],
  ["22:00–06:30", { from: "22:00", to: "06:30" }],
])("%s are quiet hours", (typed, hours) => {
  expect(parseQuietHours(typed)).toEqual(hours);
});

test.each(["22:00", "22-22", "24-7", "night"])("“%s” are none", (typed) => {
  expect(() => parseQuietHours(typed)).toThrow(UserError);
});

describe("a range of the past", () => {
  test.each([
    [
      "last night, in the hour that the clock shows twice",
      "America/New_York",
      "last night",
      "2026-11-01T06:30Z",
      "2026-11-01T02:00Z",
      "2026-11-01T06:30Z",
    ],
    [
      "and in its first showing",
      "America/New_York",
      "last night",
      "2026-11-01T05:30Z",
      "2026-11-01T02:00Z",
      "2026-11-01T05:30Z",
    ],
    ["last night, from noon on", "UTC", "last night", "2026-05-02T12:00Z", "2026-05-01T22:00Z", "2026-05-02T07:00Z"],
    ["tonight, in the evening", "UTC", "tonight", "2026-05-02T20:54Z", "2026-05-02T18:00Z", "2026-05-02T20:54Z"],
    ["tonight, by the zone", "Asia/Tokyo", "Tonight", "2026-05-02T11:00Z", "2026-05-02T09:00Z", "2026-05-02T11:00Z"],
    ["tonight, after midnight", "UTC", "tonight", "2026-05-02T02:00Z", "2026-05-01T22:00Z", "2026-05-02T02:00Z"],
    ["tonight, by day", "UTC", "tonight", "2026-05-02T12:00Z", "2026-05-01T22:00Z", "2026-05-02T07:00Z"],
    [
      "last night, in the evening",
      "Europe/Zurich",
      "last night",
      "2026-05-02T21:30Z",
      "2026-05-01T20:00Z",
      "2026-05-02T05:00Z",
    ],
    [
      "a day that begins at 01:00",
      "America/Santiago",
      "yesterday",
      "2026-09-07T15:00Z",
      "2026-09-06T04:00Z",
      "2026-09-07T03:00Z",
    ],
    [
      "a day of a zone with half hours",
      "Australia/Lord_Howe",
      "yesterday",
      "2026-04-05T20:00Z",
      "2026-04-04T13:00Z",
      "2026-04-05T13:30Z",
    ],
    ["longer than any calendar", "UTC", "9999 years", "2026-05-01T12:00Z", "1970-01-01T00:00Z", "2026-05-01T12:00Z"],
  ])("%s (%s)", (_name, zone, when, now, from, to) => {
    const range = parsePastRange({ when }, Date.parse(now), zone);
    expect(range).toEqual({ from: Date.parse(from), to: Date.parse(to) });
  });

  test.each([
    ["sent last night", "sent", { when: "last night" }],
    ["last night sent", "sent", { when: "last night" }],
    ["node.down since yesterday until today", "node.down", { since: "yesterday", until: "today" }],
    ["from 2026-01-14 18:00 to 2026-01-15 07:00", "", { since: "2026-01-14 18:00", until: "2026-01-15 07:00" }],
    ["until yesterday", "", { until: "yesterday" }],
    ["resolved since 3h", "resolved", { since: "3h" }],
    ["after 11 s", "after 11 s", {}],
    ["since the upgrade", "since the upgrade", {}],
    ["1234567890", "1234567890", {}],
  ])("stands in %s apart from the text", (typed, text, given) => {
    expect(splitPast(typed, NOON, "UTC")).toEqual({ text, given });
  });
});
