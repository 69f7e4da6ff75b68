import * as fc from "fast-check";
import { expect, test } from "vitest";

import { formatCursor, parseCursor } from "../../../src/answers/pages/page-cursor.ts";

test("a cursor carries its node and block through a button, whatever is in them", () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1 }),
      fc.string({ minLength: 1, unit: "grapheme" }),
      fc.option(fc.bigInt({ min: 0n }), { nil: undefined }),
      (cursor, node, block) => {
        const whole = { cursor, node, ...(block === undefined ? {} : { block }) };
        expect(parseCursor(formatCursor(whole))).toEqual(whole);
      },
    ),
  );
});

test("a bare cursor of a node is taken as it is", () => {
  expect(parseCursor("a+b/c==")).toEqual({ cursor: "a+b/c==" });
});
