import { expect, test } from "vitest";

import { RecentKeys } from "../../../../src/adapters/slack/transport/transport.ts";

test("the last keys are known, and no more than those", () => {
  const recent = new RecentKeys(2);
  expect(["a", "b", "a", "c", "b", "a"].map((key) => recent.add(key))).toEqual([true, true, false, true, false, true]);
});
