import { expect, test } from "vitest";

import { Once } from "../../../src/adapters/slack/once.ts";

test("remembers what was seen last, and no more than that", () => {
  const once = new Once(2);
  expect(["a", "b", "a", "c", "b", "a"].map((key) => once.first(key))).toEqual([true, true, false, true, false, true]);
});
