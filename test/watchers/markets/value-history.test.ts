import { expect, test } from "vitest";

import { extremesOf, withValue, type ValueHistory } from "../../../src/watchers/markets/value-history.ts";

test("the least and the most of each time are those of all its values, however many were forgotten", () => {
  const span = 600_000;
  let state = 42;
  const random = (): number => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
  const seen: { readonly at: number; readonly value: number }[] = [];
  let history: ValueHistory | undefined;
  let at = 0;
  for (let look = 0; look < 400; look += 1) {
    at += Math.ceil(random() * 20_000);
    const value = Math.floor(random() * 50);
    seen.push({ at, value });
    history = withValue(history, at, String(value), span);
    for (const within of [60_000, 300_000, span]) {
      const inside = seen.filter((one) => one.at >= at - within).map((one) => one.value);
      expect(extremesOf(history, at, within)).toEqual([`${Math.min(...inside)}`, `${Math.max(...inside)}`]);
    }
  }
  expect(history!.low.length + history!.high.length).toBeLessThan(40);
});

test("a value that rises for a day is kept by the minute", () => {
  let history: ValueHistory | undefined;
  const day = 86_400_000;
  for (let at = 0; at < day; at += 5000) history = withValue(history, at, String(at), day);
  expect(history!.low.length).toBeLessThanOrEqual(1440);
  expect(extremesOf(history!, day - 5000, day)).toEqual(["0", String(day - 5000)]);
});
