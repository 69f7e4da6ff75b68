import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  compareDecimals,
  decimal,
  formatDecimal,
  parseDecimal,
  percentOf,
  roundedPercentOf,
} from "../../src/units/decimal.ts";
import {
  formatDuration,
  formatUtc,
  formatWholeDuration,
  fromMillis,
  fromSeconds,
  nanoseconds,
  parseDuration,
  toMillis,
  toSeconds,
} from "../../src/units/time.ts";
import { nearestNumber, parseTypedInteger, parseTypedNumber } from "../../src/units/typed-number.ts";

describe("decimals", () => {
  test.each([
    [0n, 0, "0"],
    [1n, 5, "0.00001"],
    [-1n, 1, "-0.1"],
    [1_234_567n, 2, "12,345.67"],
    [1_000_000n, 6, "1"],
    [-100_000n, 2, "-1,000"],
    [2n ** 64n - 1n, 0, "18,446,744,073,709,551,615"],
    [2n ** 63n - 1n, 18, "9.223372036854775807"],
  ])("%s with %s decimals is %s", (units, scale, expected) => {
    expect(formatDecimal(decimal(units, scale))).toBe(expected);
  });

  const anyDecimal = fc
    .tuple(fc.bigInt({ min: -(10n ** 78n), max: 10n ** 78n }), fc.nat({ max: 30 }))
    .map(([units, scale]) => decimal(units, scale));

  test("what is written is read back, to the digit", () => {
    fc.assert(
      fc.property(anyDecimal, (value) => {
        const again = parseDecimal(formatDecimal(value, { group: false, trim: false }));
        expect(again).toEqual(value);
        const trimmed = parseDecimal(formatDecimal(value, { group: false }));
        expect(trimmed === undefined ? undefined : compareDecimals(trimmed, value)).toBe(0);
      }),
    );
  });

  test.each([
    ["70000", "70000"],
    ["70,000", "70000"],
    ["70'000.50", "70000.5"],
    ["70’000", "70000"],
    ["1 234 567.8", "1234567.8"],
    ["1\u202F234", "1234"],
    ["70_000", "70000"],
    ["1.5k", "1500"],
    ["1.5 K", "1500"],
    ["70,000k", "70000000"],
    ["2M", "2000000"],
    ["0.0000005M", "0.5"],
    ["3bn", "3000000000"],
    ["-1,000", "-1000"],
    ["18,446,744,073,709,551,615", "18446744073709551615"],
    ["9.223372036854775807", "9.223372036854775807"],
    ["0.000000000000000001k", "0.000000000000001"],
  ])("people write %s for %s", (typed, expected) => {
    expect(formatDecimal(parseTypedNumber(typed) ?? decimal(-1n), { group: false })).toBe(expected);
  });

  test.each<[typed: string, near?: string]>([
    ["2m", "2M (2,000,000)"],
    ["1,5", "1.5"],
    ["0,500", "0.500"],
    ["70,00", "70.00"],
    ["1,000'000"],
    ["70.000,5"],
    ["1e5"],
    ["5%"],
    ["k"],
    [""],
    ["1.5kk"],
    ["0x10"],
    ["∞"],
  ])("%s may mean two numbers, or none", (typed, near) => {
    expect(parseTypedNumber(typed)).toBeUndefined();
    expect(nearestNumber(typed)).toBe(near);
  });

  test("whole numbers are those without a rest", () => {
    expect(["1,000", "1.5k", "2.5", "1.0005k"].map(parseTypedInteger)).toEqual([1000n, 1500n, undefined, undefined]);
  });

  test("shares in percent, and none of nothing", () => {
    expect(percentOf(decimal(1n), decimal(3n))).toEqual(decimal(3333n, 2));
    expect(percentOf(decimal(-5n, 1), decimal(1n))).toEqual(decimal(-5000n, 2));
    expect(percentOf(decimal(1n), decimal(0n))).toBeUndefined();
  });

  test.each([
    [6.7188e4, 1e6, 2, "6.72"],
    [1, 3, 2, "33.33"],
    [2, 3, 2, "66.67"],
    [-2, 3, 2, "-66.67"],
    [5, 1000, 0, "1"],
    [-5, 1000, 0, "-1"],
    // Neither to nothing nor to the whole; the words say "<" and ">".
    [4999, 1_000_000, 0, "1"],
    [-4999, 1_000_000, 0, "-1"],
    [999_999, 1_000_000, 2, "99.99"],
    [1_000_001, 1_000_000, 2, "100.01"],
    [1_000_000, 1_000_000, 2, "100"],
    [0, 1_000_000, 2, "0"],
    [831_008, 9_233_430_000, 3, "0.009"],
  ])("%d of %d with %d digits reads %s %%", (part, whole, digits, shown) => {
    const percent = roundedPercentOf(decimal(BigInt(part)), decimal(BigInt(whole)), digits);
    expect(percent === undefined ? undefined : formatDecimal(percent)).toBe(shown);
  });

  test.each(["", "1e5", "abc", "1.", ".5", "1,000", "--1", "0x10", " "])("%j is no decimal", (typed) => {
    expect(parseDecimal(typed)).toBeUndefined();
  });
});

describe("durations", () => {
  test.each([
    ["90s", 90_000],
    ["1h30m", 5_400_000],
    ["7d", 604_800_000],
    ["250ms", 250],
    ["1 h 5 s", 3_605_000],
    ["", undefined],
    ["5", undefined],
    ["-5s", undefined],
    ["1y", undefined],
  ])("%j is %s ms", (typed, millis) => {
    expect(parseDuration(typed)).toBe(millis);
  });

  test.each([
    [0, "0 ms"],
    [999, "999 ms"],
    [61_000, "1 min 1 s"],
    [3_600_000, "1 h"],
    [183_845_000, "2 d 3 h"],
    [364 * 86_400_000, "364 d"],
    [365 * 86_400_000 - 1, "364 d 23 h"],
    [365 * 86_400_000, "1 y"],
    [(3 * 365 + 325) * 86_400_000 + 7_200_000, "3 y 325 d"],
    [-5_000, "-5 s"],
    [Number.NaN, "unknown"],
  ])("%s ms is %s", (millis, shown) => {
    expect(formatDuration(millis)).toBe(shown);
  });

  test("to the second where nothing may be left out", () => {
    expect(formatDuration(604_795_000)).toBe("6 d 23 h");
    expect(formatWholeDuration(604_795_000)).toBe("6 d 23 h 59 min 55 s");
    expect(formatWholeDuration(604_800_000)).toBe("7 d");
    expect(formatWholeDuration(-61_500)).toBe("-1 min 1 s");
  });
});

describe("nanoseconds", () => {
  test("are shown to the second", () => {
    expect(formatUtc(nanoseconds(1_674_004_199_297_309_001n))).toBe("2023-01-18 01:09:59 UTC");
    expect(formatUtc(fromSeconds(2n ** 63n))).toBe("Unix second 9223372036854775808");
  });

  test("round down, before 1970 too", () => {
    expect(toSeconds(nanoseconds(-1n))).toBe(-1n);
    expect(toMillis(nanoseconds(-1n))).toBe(-1);
    expect(toMillis(fromMillis(1_700_000_000_123.9))).toBe(1_700_000_000_123);
  });
});
