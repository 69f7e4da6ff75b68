import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { assetAmount, marketAmounts, percentOfFraction, percentWords, stakeAmount } from "../../src/answers/amounts.ts";
import { enumWords, timeInForceWords } from "../../src/answers/enum-words.ts";
import { ORDER_REASONS, orderReason } from "../../src/answers/order-reasons.ts";
import type { MarketNames } from "../../src/api/model/names.ts";
import { ORDER_SCRIPTS } from "../../src/simulator/market/orders.ts";
import { decimal, parseDecimal, roundedPercentOf } from "../../src/units/decimal.ts";

const market = (decimalPlaces: number, positionDecimalPlaces: number): MarketNames => ({
  id: "ab",
  code: undefined,
  name: undefined,
  decimalPlaces,
  positionDecimalPlaces,
  settlementAsset: undefined,
});
const asset = { id: "cd", name: undefined, symbol: "USDT", decimals: 6, erc20: true };

describe("amounts", () => {
  test.each([
    ["9000000000000000000", 42n, "> 99.99 %"],
    ["9000000000000000000", 0n, "100.00 %"],
    ["9000000000000000000", 8_999_999_999_999_999_958n, "< 0.01 %"],
    ["9000000000000000000", 9_000_000_000_000_000_000n, "0.00 %"],
    ["8", 4n, "50.00 %"],
  ])("of %s, %s left: never rounded to whole or to nothing", (size, left, shown) => {
    expect(percentWords(roundedPercentOf(decimal(BigInt(size) - left), decimal(BigInt(size))))).toBe(shown);
  });

  test.each([
    ["6250012000", 5, "62,500.12000"],
    ["5", 5, "0.00005"],
    ["-1", 2, "-0.01"],
    ["0", 0, "0"],
  ])("price %s with %i decimals is %s", (units, places, shown) => {
    expect(marketAmounts(market(places, 0)).price(BigInt(units))).toBe(shown);
  });

  test("sizes drop zeros behind the point, and may count whole lots", () => {
    expect(marketAmounts(market(0, 3)).size(1500n)).toBe("1.5");
    expect(marketAmounts(market(0, -2)).size(15n)).toBe("1,500");
  });

  test("without decimals, and with decimals that no token has, the integer is marked raw", () => {
    expect(marketAmounts(undefined).price(6250012000n)).toBe("6250012000 raw");
    expect(marketAmounts(market(-1, 5000)).price(12n)).toBe("12 raw");
    expect(marketAmounts(market(-1, 5000)).size(12n)).toBe("12 raw");
    expect(assetAmount(12n, undefined)).toBe("12 raw");
  });

  test("amounts of an asset carry its symbol; text that is no number stays as it is", () => {
    const amounts = marketAmounts(market(5, 3), asset);
    expect(amounts.amount("185780000000")).toBe("185,780 USDT");
    expect(amounts.amount("12.5")).toBe("0.0000125 USDT");
    expect(amounts.amount("plenty")).toBe("plenty");
    expect(amounts.amount(undefined)).toBe("–");
    expect(assetAmount(1n, asset)).toBe("0.000001 USDT");
  });

  test("no digit is lost, whatever the decimals", () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.nat(30), (units, places) => {
        const shown = marketAmounts(market(places, 0)).price(units);
        expect(BigInt(shown.replaceAll(/[,.]/gu, ""))).toBe(units);
      }),
    );
  });

  test("stake counts in 18 decimals, fractions in percent", () => {
    expect(stakeAmount(1_000_000_000_000_000_001n)).toBe("1.000000000000000001");
    expect(percentOfFraction(parseDecimal("0.0375"))).toBe("3.75 %");
    expect(percentOfFraction(parseDecimal("1"))).toBe("100 %");
  });
});

describe("words", () => {
  test.each([
    ["STATUS_PARTIALLY_FILLED", "STATUS", "partially filled"],
    ["STATUS_FOO", "STATUS", "foo"],
    ["SOMETHING_ELSE", "STATUS", "something else"],
    ["AUCTION_TRIGGER_UNABLE_TO_DEPLOY_LP_ORDERS", "AUCTION_TRIGGER", "unable to deploy LP orders"],
    ["as it is", "STATUS", "as it is"],
    ["STATUS_", "STATUS", "STATUS_"],
    [undefined, "STATUS", "–"],
  ])("%s reads %s", (value, prefix, words) => {
    expect(enumWords(value, prefix)).toBe(words);
  });

  test("a time in force is its short form with what that means; unknown ones pass", () => {
    expect(timeInForceWords("TIME_IN_FORCE_IOC")).toBe("IOC (immediate or cancel)");
    expect(timeInForceWords("TIME_IN_FORCE_UNTIL_TEA")).toBe("until tea");
    expect(timeInForceWords("constructor")).toBe("constructor");
  });

  test("every reason of release v0.71 is a sentence; unknown ones stay readable", () => {
    // The enum has 50 numbers after the unspecified one, of which 38 and 39 were never used, and 24 and 25 have two names.
    expect(Object.keys(ORDER_REASONS)).toHaveLength(50);
    const simulated = ORDER_SCRIPTS.flatMap(({ steps }) => steps.flatMap(({ reason }) => reason ?? []));
    expect(Object.keys(ORDER_REASONS)).toEqual(expect.arrayContaining(simulated));
    for (const sentence of Object.values(ORDER_REASONS)) expect(sentence).toMatch(/^[A-Z].*\.$/u);
    expect(orderReason("ORDER_ERROR_FULL_MOON")).toBe("The network says: full moon.");
    expect(orderReason("ORDER_ERROR_UNSPECIFIED")).toBeUndefined();
    expect(orderReason("constructor")).toBe("The network says: constructor.");
    expect(orderReason(undefined)).toBeUndefined();
  });
});
