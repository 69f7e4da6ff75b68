import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { DEFAULT_ALERTS_CONFIG as config } from "../../../src/alerts/alerts-config.ts";
import type { GivenParameters } from "../../../src/alerts/judge/kinds/kind.ts";
import { KIND_GROUPS } from "../../../src/alerts/judge/kinds/kinds.ts";
import { ruleFor } from "../../../src/alerts/judge/rules/rules.ts";
import { conditionWords } from "../../../src/alerts/words/condition-words.ts";
import {
  groupedNumber,
  ruleParameters,
  ruleWords,
  subscriptionWords,
} from "../../../src/alerts/words/subscription-words.ts";
import { explanation } from "../../../src/alerts/words/phrases.ts";
import { shortText } from "../../../src/reply/fold.ts";
import { plainText } from "../../../src/reply/plain-text.ts";
import { price } from "../readings.ts";
import { aSubscription } from "../samples.ts";

describe("a price alert", () => {
  it("says its threshold, and the price with the digits of a market's answer; all of them are behind it", () => {
    const { id } = ruleFor("market.price", { high: "70000" }, config);
    const last = price("92914.01150");
    expect(plainText(shortText(conditionWords({ rule: id, last }).now))).toMatch(/ 92,914\.01, above/u);
    expect(plainText(conditionWords({ rule: id, last }).now)).toMatch(/ 92,914\.01150, above/u);
    expect(JSON.stringify(explanation({ kind: "market.price", rule: id, last }))).toContain("above 70,000");
  });

  it.each<[GivenParameters, string, string]>([
    [{ high: "70000" }, "92764.44100", "92,764.44100, above 70,000 on mainnet"],
    [{ low: "50000.5" }, "49999", "49,999, below 50,000.5 on mainnet"],
    [{ low: "50000.5", high: "70000" }, "70000.1", "70,000.1, above 70,000 on mainnet"],
    [{ low: "50000.5", high: "70000" }, "50000.4", "50,000.4, below 50,000.5 on mainnet"],
    [{ low: "1", high: "2000", when: "within" }, "1500.50", "1,500.50, between 1 and 2,000 on mainnet"],
  ])("of %j names what %s has crossed", (given, amount, said) => {
    const { id } = ruleFor("market.price", given, config);
    expect(plainText(conditionWords({ rule: id, last: price(amount) }).now)).toBe(`BTC/USD ${said}`);
  });

  it("says what it is not any more", () => {
    const { id } = ruleFor("market.price", { low: "50000.5", high: "70000" }, config);
    expect(plainText(conditionWords({ rule: id, last: price("60000.00") }).good)).toBe(
      "BTC/USD is not above 70,000 or below 50,000.5 any more on mainnet: mark price 60,000.00",
    );
  });
});

describe("the words of a subscription", () => {
  it.each([
    [["node.down"], "node outages on mainnet"],
    [KIND_GROUPS.ops, "the ops alerts on mainnet"],
    [KIND_GROUPS.all, "all alerts on mainnet"],
  ] as const)("of %j is %j", (kinds, words) => {
    expect(plainText(subscriptionWords(aSubscription({ kinds: [...kinds] })))).toBe(words);
  });
});

describe("a rule's id", () => {
  it.each([
    ["network.stalled", ""],
    ["market.auction{for=60000}", "for 1 min"],
    ["market.price{high=70000,low=50000.5}", "above 70,000 or below 50,000.5"],
    ["node.lagging{behind=120000,blocks=50}", "behind by 2 min, behind by 50 blocks"],
    ["node.lagging{blocks=1000000}", "behind by 1,000,000 blocks"],
    ["checkpoint.overdue{factor=1e-10}", "0.0000000001 times the usual spacing"],
  ])("%s in words is %j", (id, words) => {
    expect(ruleWords(id)).toBe(words);
  });

  it("says its own parameters exactly", () => {
    const amount = fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 30n }), fc.bigInt({ min: 0n, max: 10n ** 9n }));
    fc.assert(
      fc.property(amount, ([whole, fraction]) => {
        const { id, parameters } = ruleFor("market.price", { high: `${whole}.${fraction}1` }, config);
        expect(ruleParameters(id)).toEqual({ high: parameters["high" as never] });
        expect(groupedNumber(`${whole}.${fraction}`).replaceAll(",", "")).toBe(`${whole}.${fraction}`);
      }),
    );
  });
});
