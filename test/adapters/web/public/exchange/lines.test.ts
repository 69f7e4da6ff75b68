import { describe, expect, test } from "vitest";

import { meaningOf, picked, withoutKeys, withShortIds } from "../../../../../src/adapters/web/public/exchange/lines.js";

const ID = "d59213".padEnd(60, "0").concat("92fa");

test.each([
  [`stake ${ID}`, "d5921300…92fa · 3 linkings", "3 linkings"],
  [`stake ${ID}`, "treasury (d5921300…92fa)", "treasury"],
  ["market show BTC/USDT", "BTC/USDT · active (5f4f0eef…0309)", "active (5f4f0eef…0309)"],
  ["alerts add ops", "ops: what ops channels need", "what ops channels need"],
  [`order market:${ID}`, "d5921300…92fa", undefined],
  ["market list ", "All markets: bid, offer, state", "All markets: bid, offer, state"],
])("beside the line %j the label %j says %j", (line, label, meaning) => {
  expect(meaningOf(line, label)).toBe(meaning);
});

describe("a picked completion", () => {
  test.each([
    ["alerts silence all", "alerts silence all "],
    [`ledger export ${ID}`, `ledger export ${ID} `],
    ['market show "ETH USD"', 'market show "ETH USD" '],
    ["alerts silence ", "alerts silence "],
    ["market show network:", "market show network:"],
  ])("%j goes into the prompt as %j", (line, put) => {
    expect(picked(line)).toBe(put);
  });
});

test.each([
  ['alerts why episode:"market.auction mainnet 0432185e 1"', "alerts why · market.auction"],
  ["alerts why episode:network.stalled|mainnet||3", "alerts why · network.stalled"],
  ["alerts ack network.stalled|mainnet||3", "alerts ack network.stalled"],
  ["alerts why api1", "alerts why api1"],
])("an alert of %s is read as %s", (line, words) => {
  expect(withoutKeys(line)).toBe(words);
});

test("a listed line shortens an id in its middle, and nothing else", () => {
  expect(withShortIds(`ledger export ${ID} USDT`)).toBe("ledger export d5921300…92fa USDT");
  expect(withShortIds("alerts why network.stalled|mainnet||3")).toBe("alerts why network.stalled|mainnet||3");
});
