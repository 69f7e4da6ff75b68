import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  assetAmount,
  marketAmounts,
  percentOfFraction,
  percentWords,
  stakeAmount,
  summedAmounts,
} from "../../src/answers/amounts.ts";
import { enumWords, timeInForceWords } from "../../src/reply/enum-words.ts";
import { ORDER_REASONS, orderReason, reasonClause } from "../../src/reply/order-reasons.ts";
import type { MarketNames } from "../../src/api/model/names.ts";
import { ORDER_SCRIPTS } from "../../src/simulator/market/orders.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import type { Inline } from "../../src/reply/text.ts";
import { compareDecimals, decimal, parseDecimal, roundedPercentOf, wholeDigits } from "../../src/units/decimal.ts";
import { runs } from "../support/runs.ts";

const market = (decimalPlaces: number, positionDecimalPlaces: number): MarketNames => ({
  id: "ab",
  code: undefined,
  name: undefined,
  decimalPlaces,
  positionDecimalPlaces,
  settlementAsset: undefined,
  state: undefined,
});
const asset = { id: "cd", name: undefined, symbol: "USDT", decimals: 6, erc20: true };

/** The exact number and the short one, where they differ. */
function digits(inline: Inline): string[] {
  return inline.kind === "number" ? [inline.text, inline.short] : [plainText([inline])];
}

describe("amounts that people add up", () => {
  const shown = (inline: Inline): bigint => {
    const words = inline.kind === "number" ? inline.short : plainText([inline]);
    return (
      parseDecimal(words.replaceAll(/,| USDT/gu, ""))!.units *
      10n ** BigInt(6 - (/\.(\d+)/u.exec(words)?.[1]?.length ?? 0))
    );
  };

  test.each<[string, bigint, bigint]>([
    ["rounding up twice", 1_234_567_125_600n, 1_000_000_120_400n],
    ["rounding apart", 4_069_583_912_814_999n, 1_005_000n],
    ["as they are", 5_000_000n, 4_000_000n],
  ])("%s: the difference shown is that of the amounts shown", (_, got, sent) => {
    const amount = summedAmounts(asset, [[got, -sent, sent - got]]);
    expect(shown(amount(got)) - shown(amount(sent))).toBe(shown(amount(got - sent)));
  });

  test("whatever they are, and with no more digits than needed", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 15n), fc.bigInt(0n, 10n ** 15n), (got, sent) => {
        const amount = summedAmounts(asset, [[got, -sent, sent - got]]);
        expect(shown(amount(got)) - shown(amount(sent))).toBe(shown(amount(got - sent)));
      }),
      runs(200),
    );
    expect(
      digits(
        summedAmounts(asset, [[3_000_000_111_111n, -1_000_000_111_111n, -2_000_000_000_000n]])(3_000_000_111_111n),
      ),
    ).toEqual(["3,000,000.111111 USDT", "3,000,000.11 USDT"]);
  });
});

describe("amounts", () => {
  test.each([
    ["9000000000000000000", 42n, ["> 99.99 %"]],
    ["9000000000000000000", 0n, ["100.00 %", "100 %"]],
    ["9000000000000000000", 8_999_999_999_999_999_958n, ["< 0.01 %"]],
    ["9000000000000000000", 9_000_000_000_000_000_000n, ["0 %"]],
    ["8", 4n, ["50.00 %", "50 %"]],
    ["10000", 8766n, ["12.34 %", "12.3 %"]],
    ["10000", 3n, ["99.97 %"]],
    ["10000", -1_224_567n, ["12,345.67 %", "12,346 %"]],
  ])("of %s, %s left: never rounded to whole or to nothing", (size, left, shown) => {
    expect(digits(percentWords(roundedPercentOf(decimal(BigInt(size) - left), decimal(BigInt(size)))))).toEqual(shown);
  });

  test.each([
    ["6250012000", 5, ["62,500.12000", "62,500.12"]],
    ["10392407300", 5, ["103,924.07300", "103,924.07"]],
    ["10392407500", 5, ["103,924.07500", "103,924.08"]],
    ["-10392407500", 5, ["-103,924.07500", "-103,924.08"]],
    ["1000000", 3, ["1,000.000", "1,000"]],
    ["99999951", 5, ["999.99951", "1,000"]],
    ["1659906", 4, ["165.9906", "165.991"]],
    ["340857512", 10, ["0.0340857512", "0.0340858"]],
    ["5", 5, ["0.00005"]],
    ["-1", 2, ["-0.01"]],
    ["0", 0, ["0"]],
    ["0", 4, ["0.0000", "0"]],
  ])("price %s with %i decimals is %s", (units, places, shown) => {
    expect(digits(marketAmounts(market(places, 0)).price(BigInt(units)))).toEqual(shown);
  });

  test("sizes drop zeros behind the point, and may count whole lots", () => {
    expect(digits(marketAmounts(market(0, 3)).size(1500n))).toEqual(["1.5"]);
    expect(digits(marketAmounts(market(0, -2)).size(15n))).toEqual(["1,500"]);
  });

  test("without decimals, and with decimals that no token has, the integer is marked raw", () => {
    expect(digits(marketAmounts(undefined).price(6250012000n))).toEqual(["6250012000 raw"]);
    expect(digits(marketAmounts(market(-1, 5000)).price(12n))).toEqual(["12 raw"]);
    expect(digits(marketAmounts(market(-1, 5000)).size(12n))).toEqual(["12 raw"]);
    expect(digits(assetAmount(12n, undefined))).toEqual(["12 raw"]);
  });

  test("amounts of an asset carry its symbol, exact and short; text that is no number stays as it is", () => {
    const amounts = marketAmounts(market(5, 3), asset);
    expect(digits(amounts.amount("185780000000"))).toEqual(["185,780 USDT"]);
    expect(digits(amounts.amount("185780123456"))).toEqual(["185,780.123456 USDT", "185,780.12 USDT"]);
    expect(digits(amounts.amount("12.5"))).toEqual(["0.0000125 USDT"]);
    expect(digits(amounts.amount("plenty"))).toEqual(["plenty"]);
    expect(digits(amounts.amount(undefined))).toEqual(["–"]);
    expect(digits(assetAmount(1n, asset))).toEqual(["0.000001 USDT"]);
  });

  const units = fc.oneof(fc.bigInt(), fc.bigInt({ min: -(10n ** 7n), max: 10n ** 7n }));

  test("no digit is lost, whatever the decimals", () => {
    fc.assert(
      fc.property(units, fc.nat(30), (units, places) => {
        const [exact = ""] = digits(marketAmounts(market(places, 0)).price(units));
        expect(BigInt(exact.replaceAll(/[,.]/gu, ""))).toBe(units);
      }),
    );
  });

  test("the short number is within half a unit of its last digit, with the sign of the exact one and no more digits", () => {
    fc.assert(
      fc.property(units, fc.nat(30), (units, places) => {
        const [exact = "", short = exact] = digits(marketAmounts(market(places, 0)).price(units));
        const [a, b] = [exact, short].map((shown) => parseDecimal(shown.replaceAll(",", ""))!);
        const difference = { units: a!.units - b!.units * 10n ** BigInt(a!.scale - b!.scale), scale: a!.scale };
        // A zero that is cut is a digit, too: the last of the six, or the second behind the point.
        const whole = wholeDigits(a!);
        const last = Math.abs(Number(exact.replaceAll(",", ""))) >= 1000 ? 2 : (whole <= -3 ? 5 : 6) - whole;
        const twice = { units: difference.units * 2n, scale: difference.scale };
        const unit = { units: 10n ** BigInt(Math.max(0, -last)), scale: Math.max(0, last) };
        expect(compareDecimals(twice, unit)).toBeLessThanOrEqual(0);
        expect(compareDecimals({ ...twice, units: -twice.units }, unit)).toBeLessThanOrEqual(0);
        expect(Math.sign(Number(b!.units))).toBe(Math.sign(Number(a!.units)));
        expect(short.length).toBeLessThanOrEqual(exact.length + 1);
        expect(short).not.toMatch(/\.\d*0$/u);
      }),
    );
  });

  test("stake counts in 18 decimals, fractions in percent, and a block's height has its thousands apart to read", () => {
    expect(digits(stakeAmount(1_000_000_000_000_000_001n))).toEqual(["1.000000000000000001", "1"]);
    expect(digits(percentOfFraction(parseDecimal("0.0375")))).toEqual(["3.75 %"]);
    expect(digits(percentOfFraction(parseDecimal("0.66666666")))).toEqual(["66.666666 %", "66.7 %"]);
    expect(digits(percentOfFraction(parseDecimal("0.9999")))).toEqual(["99.99 %"]);
    expect(digits(percentOfFraction(parseDecimal("1")))).toEqual(["100 %"]);
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
    // The first clause of each has room in a list, before the order.
    for (const reason of Object.keys(ORDER_REASONS)) expect(reasonClause(reason)?.length).toBeLessThan(50);
    expect(orderReason("ORDER_ERROR_FULL_MOON")).toBe("The network says: full moon.");
    expect(orderReason("ORDER_ERROR_UNSPECIFIED")).toBeUndefined();
    expect(orderReason("constructor")).toBe("The network says: constructor.");
    expect(reasonClause("constructor")).toBe("constructor");
    expect(reasonClause("ORDER_ERROR_MARGIN_CHECK_FAILED")).toBe("the margin is not covered");
    expect(orderReason(undefined)).toBeUndefined();
  });
});
