import { expect, test } from "vitest";

import { marketFactsOf } from "../../../../src/alerts/judge/kinds/market-facts.ts";
import { MarketData } from "../../../../src/api/model/market.ts";

const NAMES = { decimalPlaces: 2, positionDecimalPlaces: 3 };
const facts = (sent: object, names: Parameters<typeof marketFactsOf>[1]) =>
  marketFactsOf(MarketData.parse(sent), names);

test("prices, volumes and shares are exact, in the market's units", () => {
  expect(
    facts(
      {
        markPrice: "340282366920938463463374607431768211456",
        lastTradedPrice: "100",
        midPrice: "101",
        bestBidPrice: "9950",
        bestOfferPrice: "10050",
        indicativePrice: "1",
        openInterest: "1500",
        suppliedStake: "50000000000000000000",
        targetStake: "150000000000000000000",
        priceMonitoringBounds: [{ minValidPrice: "1", maxValidPrice: "340282366920938463463374607431768211457" }],
      },
      NAMES,
    ),
  ).toEqual({
    mark: "3402823669209384634633746074317682114.56",
    last: "1.00",
    mid: "1.01",
    bid: "99.50",
    offer: "100.50",
    indicative: "0.01",
    spread: "1.00",
    "spread%": "1",
    "open-interest": "1.500",
    "stake-ratio": "33.333333",
    bound: "0",
  });
});

test.each([
  ["a node sends nothing", {}, NAMES, {}],
  [
    "prices are zero, as in an auction",
    { markPrice: "0", bestBidPrice: "0", bestOfferPrice: "0", midPrice: "0" },
    NAMES,
    {},
  ],
  ["one side of the book is empty", { bestBidPrice: "100", bestOfferPrice: "0" }, NAMES, { bid: "1.00" }],
  ["the book is crossed", { bestBidPrice: "200", bestOfferPrice: "100" }, NAMES, { bid: "2.00", offer: "1.00" }],
  ["no stake is asked for", { suppliedStake: "5", targetStake: "0" }, NAMES, {}],
  ["nobody holds a position", { openInterest: "0" }, NAMES, { "open-interest": "0.000" }],
  [
    "the market's decimals are not known",
    { markPrice: "100", bestBidPrice: "99", bestOfferPrice: "101" },
    undefined,
    { "spread%": "2" },
  ],
])("where %s, the values that are not there are left out", (_where, sent, names, expected) => {
  expect(facts(sent, names)).toEqual(expected);
});
