import { expect, test } from "vitest";

import { RecentKeys } from "../../../../src/adapters/slack/transport/transport.ts";

test("remembers what was seen last, and no more than that", () => {
  const once = new RecentKeys(2);
  expect(["a", "b", "a", "c", "b", "a"].map((key) => once.add(key))).toEqual([true, true, false, true, false, true]);
});
