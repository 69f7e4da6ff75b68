import { expect, test } from "vitest";

import { nearest } from "../../src/bot/nearest.ts";

const WORDS = ["first", "time", "info", "market list", "market show"];

test.each<[string, string | undefined]>([
  ["frist", "first"],
  ["fisrt", "first"],
  ["tiem", "time"],
  ["TIEM", "time"],
  ["ifno", "info"],
  ["fino", undefined],
  ["tmei", undefined],
  ["market lits", "market list"],
  ["markte lsit", "market list"],
  ["mark", "market list"],
  ["zzzz", undefined],
])("%j is meant for %s", (typed, meant) => {
  expect(nearest(typed, WORDS)).toBe(meant);
});

test("what is typed right is better than a swap", () => {
  expect(nearest("from", ["form", "from"])).toBe("from");
});
