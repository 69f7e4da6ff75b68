import * as fc from "fast-check";
import { expect, test } from "vitest";

import { DecimalSum } from "../../src/export/normalise/decimal-sum.ts";

function sumOf(numbers: readonly string[]): bigint {
  const sum = new DecimalSum();
  for (const number of numbers) {
    const bytes = Buffer.from(`<${number}>`);
    sum.add(bytes, 1, bytes.length - 1);
  }
  return sum.value;
}

test.each([
  [[], 0n],
  [["0"], 0n],
  [["9".repeat(15), "1"], 10n ** 15n],
  [["9".repeat(30), "1"], 10n ** 30n],
  [["9".repeat(31), "1"], 10n ** 31n],
  [[`1${"0".repeat(29)}`, "-1"], 10n ** 29n - 1n],
  [["007"], 7n],
  [Array.from({ length: 41 }, () => "9".repeat(30)), 41n * (10n ** 30n - 1n)],
])("%j is %s", (numbers, expected) => {
  expect(sumOf(numbers)).toBe(expected);
});

test("is exact, however long the integers are and however many", () => {
  const integer = fc.oneof(
    fc.bigInt({ min: 0n, max: 10n ** 15n }),
    fc.bigInt({ min: 10n ** 29n, max: 10n ** 30n }),
    fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
  );
  fc.assert(
    fc.property(fc.array(integer, { maxLength: 60 }), (integers) => {
      expect(sumOf(integers.map(String))).toBe(integers.reduce((sum, one) => sum + one, 0n));
    }),
  );
});
