import { describe, expect, it } from "vitest";

import {
  formatMarketConditions,
  marketConditionsWords,
  parseMarketConditions,
} from "../../../../src/alerts/judge/kinds/market-value.ts";
import { meets, requirePossible } from "../../../../src/alerts/judge/kinds/market-measure.ts";
import { UserError } from "../../../../src/errors.ts";
import { parseDecimal } from "../../../../src/units/decimal.ts";

const spelling = (typed: string): string => formatMarketConditions(parseMarketConditions(typed));

describe("a condition of a value of a market", () => {
  it.each([
    ["mark above 70,000", "mark above 70000", "mark price above 70,000"],
    ["  Mark  price > 70k ", "mark above 70000", "mark price above 70,000"],
    ["price is over 1.5M", "mark above 1500000", "mark price above 1,500,000"],
    [
      "last below 50,000 or above 70,000",
      "last below 50000 or last above 70000",
      "last traded price below 50,000 or above 70,000",
    ],
    ["bid < 1 or offer > 2", "bid below 1 or offer above 2", "best bid below 1 or best offer above 2"],
    ["ask above 2", "offer above 2", "best offer above 2"],
    ["ask > 2 or above 2.0 or below 1", "offer above 2 or offer below 1", "best offer above 2 or below 1"],
    ["spread above 0.5%", "spread above 0.5%", "spread above 0.5 %"],
    ["spread above 12.50", "spread above 12.5", "spread above 12.5"],
    ["stake ratio below 100 %", "stake-ratio below 100%", "supplied stake below 100 %"],
    ["bound within 2%", "bound within 2%", "distance from the nearest price bound within 2 %"],
    ["open interest above 1'000", "open-interest above 1000", "open interest above 1,000"],
    ["mid above 70k back 1,000.5", "mid above 70000 back 1000.5", "mid price above 70,000, over once back by 1,000.5"],
    ["mid above 1 back 0.5%", "mid above 1 back 0.5%", "mid price above 1, over once back by 0.5 %"],
    [
      "indicative above 1 back 10 as critical",
      "indicative above 1 back 10 as critical",
      "indicative price above 1, over once back by 10, critical",
    ],
    [
      "mark changes 5% within 10 min",
      "mark changes 5% within 10m",
      "mark price up or down by 5 % or more within 10 min",
    ],
    [
      "last drops by 2.5 % in 1h30m",
      "last changes 2.5% within 90m down",
      "last traded price down by 2.5 % or more within 1 h 30 min",
    ],
    [
      "price rises 5% within 2 hours or above 70k once until tomorrow 7am",
      "mark changes 5% within 2h up or mark above 70000 once until tomorrow 7am",
      "mark price up by 5 % or more within 2 h or above 70,000, once, until tomorrow 7am",
    ],
    [
      "bid above 5 until 18:00 as critical",
      "bid above 5 as critical until 18:00",
      "best bid above 5, critical, until 18:00",
    ],
    [
      "mark above 340282366920938463463.374607431768211456",
      "mark above 340282366920938463463.374607431768211456",
      "mark price above 340,282,366,920,938,463,463.374607431768211456",
    ],
  ])("%s has one spelling, and words", (typed, stored, words) => {
    expect(spelling(typed)).toBe(stored);
    expect(spelling(stored)).toBe(stored);
    expect(spelling(stored.replaceAll(" ", "_"))).toBe(stored);
    expect(marketConditionsWords(stored)).toBe(words);
  });

  it.each([
    "",
    "above",
    "mark",
    "mark above",
    "mark above high",
    "mark above 5%",
    "mark within 5",
    "mark above -1",
    "mark >= 5",
    "marked above 5",
    "stake-ratio below 100",
    "bound above 2%",
    "bound within 2",
    "mark above 0",
    "mark above 5 or",
    "mark above 5 back",
    "mark above 5 back soon",
    "mark above 5 as warning",
    "mark above 5 6",
    "mark above 2m",
    "volume above 5",
    "mark changes 5 within 10m",
    "mark changes 0% within 10m",
    "mark changes 5%",
    "mark changes 5% within 59s",
    "mark changes 5% within 25h",
    "mark changes 5% within soon",
    "mark changes 5% within 10mark",
    "spread changes 5% within 10m",
    "mark above 5 until",
    "mark above 5 once more",
  ])("%s is refused with what to write", (typed) => {
    const refusal = ((): unknown => {
      try {
        return parseMarketConditions(typed);
      } catch (error) {
        return error;
      }
    })();
    expect(refusal).toBeInstanceOf(UserError);
    expect((refusal as UserError).option).toBe("if");
  });

  // Each line: the condition, then values in their order and whether it is met after each.
  it.each([
    ["mark above 100", "100 no, 100.000000000000000001 yes, 99.6 yes, 99.5 no, 100 no, 101 yes"],
    ["mark below 100", "100 no, 99.999999999999999999 yes, 100.4 yes, 100.5 no, 100 no"],
    ["bound within 2%", "2.000001 no, 2 yes, 2.01 yes, 2.010001 no, 0 yes"],
    ["mark above 100 back 10", "101 yes, 91 yes, 90 no, 95 no, 100 no"],
    ["mark above 100 back 10%", "101 yes, 90.1 yes, 90 no"],
    ["mark above 100 back 0", "101 yes, 100 no"],
    ["spread above 0 back 1", "0 no, 0.1 yes, 0 yes, -1 no"],
    ["mark above 18446744073709551616", "18446744073709551616 no, 18446744073709551617 yes"],
  ])("%s is met beyond the limit until the value is back: %s", (typed, story) => {
    const [condition] = parseMarketConditions(typed);
    let isTold = false;
    for (const step of story.split(", ")) {
      const [value = "", met] = step.split(" ");
      isTold = meets(condition, { value: parseDecimal(value)! }, isTold);
      expect([value, isTold]).toEqual([value, met === "yes"]);
    }
  });
});

it.each([
  "mark above 70 back 70",
  "last above 70 back 100%",
  "bid below 5 or above 70 back 80",
  "mark above 0 back 0",
  "mid above 0 back 10",
  "open-interest above 0 back 10",
  "stake-ratio above 0% back 1",
  "mark falls 101% within 1h",
])("%s is refused where it is typed: it never ends, or never begins", (typed) => {
  expect(() => requirePossible(parseMarketConditions(typed))).toThrow(/never ends|more than 100%/u);
});

it.each([
  "mark above 70 back 69",
  "spread above 0 back 1",
  "open-interest above 0 back 0",
  "mark below 5 back 100",
  "mark rises 300% within 1h",
])("%s is possible", (typed) => {
  expect(() => requirePossible(parseMarketConditions(typed))).not.toThrow();
});
