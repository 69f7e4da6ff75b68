import { expect, test } from "vitest";

import { withoutUndefined } from "../../src/units/without-undefined.ts";

test("leaves out what is undefined, and keeps null, zero, the empty text and the order", () => {
  const kept = withoutUndefined({ b: null, gone: undefined, a: 0, text: "", no: false });
  expect(Object.entries(kept)).toStrictEqual([
    ["b", null],
    ["a", 0],
    ["text", ""],
    ["no", false],
  ]);
});
