import { expect, test } from "vitest";

import { isUnsent } from "../../../src/adapters/chat/is-unsent.ts";

const failed = (code: string): Error => Object.assign(new Error("failed"), { code });

test.each<[string, unknown, boolean]>([
  ["a refused connection", failed("ECONNREFUSED"), true],
  [
    "a name that is not found, below what others threw",
    new Error("fetch", { cause: new Error("x", { cause: failed("ENOTFOUND") }) }),
    true,
  ],
  ["a reset connection", failed("ECONNRESET"), false],
  ["no answer in time", new DOMException("late", "TimeoutError"), false],
  ["a word", "ECONNREFUSED", false],
])("%s", (_what, thrown, unsent) => {
  expect(isUnsent(thrown)).toBe(unsent);
});
