import { expect, test } from "vitest";

import {
  addressOf,
  isOffered,
  moved,
  placeAt,
  RANGES,
  spanOf,
  zoomed,
} from "../../../../../src/adapters/web/public/network/place.js";
import { DAY, HOUR, MINUTE } from "../../../../support/kept-looks.ts";

const NOW = Date.UTC(2026, 4, 1, 12);
const past = { network: "mainnet", last: 4 * HOUR, until: NOW - 8 * HOUR };
const shown = { from: past.until - past.last, to: past.until };
const live = { ...past, until: undefined };
const until = (hours: number): number => NOW - hours * HOUR;

test.each([
  ["#network", { network: undefined, last: HOUR, until: undefined }],
  ["#network?last=7d", { network: undefined, last: 7 * DAY, until: undefined }],
  ["#network?network=testnet&last=all", { network: "testnet", last: "all", until: undefined }],
  ["#network?last=90m&until=2026-05-01T12:00:00.000Z", { network: undefined, last: 90 * MINUTE, until: NOW }],
  ["#network?last=5m&until=whenever", { network: undefined, last: HOUR, until: undefined }],
  ["#network?last=999999d", { network: undefined, last: HOUR, until: undefined }],
] as const)("%s leads to a place, which leads back to it", (hash, place) => {
  expect(placeAt(hash)).toEqual(place);
  expect(placeAt(addressOf(place))).toEqual(place);
});

test.each([
  ["a quarter earlier", moved(past, shown, -1, NOW), { last: 4 * HOUR, until: until(9) }],
  ["a quarter later", moved(past, shown, 1, NOW), { last: 4 * HOUR, until: until(7) }],
  ["later than now: it goes on by itself", moved(past, { ...shown, to: NOW }, 1, NOW), { until: undefined }],
  [
    "earlier of all",
    moved({ ...live, last: "all" }, { from: until(8), to: NOW }, -1, NOW),
    { last: 8 * HOUR, until: until(2) },
  ],
  ["in, around the middle", zoomed(past, shown, "in", { now: NOW }), { last: 2 * HOUR, until: until(9) }],
  ["in, around a look", zoomed(past, shown, "in", { now: NOW, around: until(8) }), { last: 2 * HOUR, until: until(8) }],
  ["out", zoomed(past, shown, "out", { now: NOW }), { last: 8 * HOUR, until: until(6) }],
  ["in, going on", zoomed(live, shown, "in", { now: NOW }), { last: 2 * HOUR, until: undefined }],
  ["in as far as it goes", zoomed({ ...live, last: 15 * MINUTE }, shown, "in", { now: NOW }), { last: 10 * MINUTE }],
])("%s", (_, place, wanted) => {
  expect(place).toMatchObject({ network: "mainnet", ...wanted });
});

test.each([
  ["90s", 90_000],
  ["1h30m", 5_400_000],
  ["2 min", 120_000],
  ["1.5s", 1500],
  ["30", undefined],
  ["soon", undefined],
  ["0s", undefined],
])("%s as a threshold", (typed, millis) => {
  expect(spanOf(typed)).toBe(millis);
});

test.each([
  [MINUTE, "1 h, All"],
  [3 * HOUR, "1 h, 24 h, All"],
  [8 * DAY, "1 h, 24 h, 7 d, 30 d, All"],
  [-Infinity, "1 h, All"],
])("of %d ms that are kept, the ranges that show more are offered: %s", (kept, offered) => {
  const names = RANGES.filter((_, index) => isOffered(index, kept)).map(([name]) => name);
  expect(names.join(", ")).toBe(offered);
});
