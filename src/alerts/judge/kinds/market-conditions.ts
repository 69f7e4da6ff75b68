import { z } from "zod";

import { compareDecimals, formatDecimal, parseDecimal } from "../../../units/decimal.ts";
import { withoutUndefined } from "../../../units/without-undefined.ts";
import { condition, DecimalText, OF_MARKET, TimeText } from "./kind.ts";
import { beyondLimit, isPriceBad, measure, meets, priceBeyond } from "./market-measure.ts";
import { splitMarketConditions, type MarketCondition, parseMarketConditions } from "./market-value.ts";

const market = {
  label: z.string().exactOptional(),
  /** The state of a market that is over: its figures are the last ones, and no alert. */
  over: z.string().exactOptional(),
};

/** `1.50` and `1.5` are the same threshold. */
const Amount = DecimalText.transform((written) => {
  const exact = parseDecimal(written);
  return exact === undefined ? written : formatDecimal(exact, { group: false });
});

/** The conditions of markets. */
export const MARKET_CONDITIONS = {
  "market.auction": condition({
    words: "a market is in an auction",
    meaning: () => "Orders are collected and not matched until the auction ends.",
    remedy: "Check the trigger and the end, and tell the traders that orders wait.",
    ...OF_MARKET,
    parameters: z.strictObject({ for: z.int().nonnegative() }),
    defaults: () => ({ for: 0 }),
    reading: {
      ...market,
      facts: z.object({
        tradingMode: z.string().exactOptional(),
        trigger: z.string().exactOptional(),
        extension: z.string().exactOptional(),
        start: TimeText.exactOptional(),
        end: TimeText.exactOptional(),
      }),
    },
    begins: ({ facts }) => (facts.tradingMode === "TRADING_MODE_OPENING_AUCTION" ? "info" : "warning"),
  }),
  "market.price": condition({
    words: "a mark price beyond or within thresholds",
    meaning: (_, threshold) => `The subscription asks to be told when the mark price is ${threshold}.`,
    ...OF_MARKET,
    groups: [],
    parameters: z
      .strictObject({ low: Amount.exactOptional(), high: Amount.exactOptional(), when: z.enum(["beyond", "within"]) })
      .refine(({ low, high, when }) => (when === "within" ? low !== undefined && high !== undefined : (low ?? high)), {
        message: "a price alert needs low, high or both; within needs both",
      })
      .refine(({ low, high }) => {
        const [from, to] = [parseDecimal(low ?? ""), parseDecimal(high ?? "")];
        return from === undefined || to === undefined || compareDecimals(from, to) < 0;
      }, "low must be below high"),
    defaults: () => ({ when: "beyond" }),
    needsThreshold: true,
    // A price that jumps from one side to the other is told anew.
    split: ({ low, high, ...rest }) =>
      low === undefined || high === undefined || rest["when"] === "within"
        ? [withoutUndefined({ low, high, ...rest })]
        : [
            { ...rest, high },
            { ...rest, low },
          ],
    wasWhole: true,
    reading: {
      ...market,
      /** The mark price in the market's units; left out where its decimals are not known or there is no price. */
      facts: z.object({ price: DecimalText.exactOptional() }),
    },
    // A market that is over needs no alert.
    isBad: (parameters, { over, state, facts: { price } }) =>
      over !== undefined || (price === undefined && state === "good") ? false : isPriceBad(parameters, price),
    beyond: (parameters, { facts: { price } }) => priceBeyond(parameters, price),
  }),
  "market.bound": condition({
    words: "a mark price near a price bound",
    meaning: () => "Beyond the bound the market goes into an auction.",
    remedy: "Tell the market's makers, and look at the orders that an auction would hold up.",
    ...OF_MARKET,
    parameters: z.strictObject({ percent: Amount }),
    defaults: () => ({ percent: "1" }),
    reading: {
      ...market,
      facts: z.object({
        price: DecimalText.exactOptional(),
        /** The bound that is nearest, and how far it is from the price, in percent of the price. */
        bound: DecimalText.exactOptional(),
        side: z.enum(["lower", "upper"]).exactOptional(),
        distancePercent: DecimalText.exactOptional(),
      }),
    },
    isBad: (parameters, { over, state, facts: { distancePercent } }) => {
      if (over !== undefined || (distancePercent === undefined && state === "good")) return false;
      const [distance, percent] = [parseDecimal(distancePercent ?? ""), parseDecimal(parameters.percent)];
      return distance === undefined || percent === undefined ? undefined : compareDecimals(distance, percent) <= 0;
    },
  }),
  "market.value": condition({
    words: "a value of a market beyond a limit",
    meaning: (_, threshold) => `The subscription asks to be told of this: ${threshold}.`,
    ...OF_MARKET,
    groups: [],
    worst: "critical",
    parameters: z.strictObject({ if: z.string() }),
    needsThreshold: true,
    // Without spaces: they stand between the parts of an episode's name.
    split: ({ if: written }) => splitMarketConditions(String(written)).map((one) => ({ if: one.replaceAll(" ", "_") })),
    reading: {
      ...market,
      /** In the market's units, or in per cent. Left out where a value has none, or its decimals are not known. */
      facts: z.record(z.string(), DecimalText),
    },
    begins: (_, rule) => (conditionOf(rule).critical ? "critical" : "warning"),
    isBad: (rule, { over, facts }, isTold) => {
      if (over !== undefined) return false;
      const known = conditionOf(rule);
      const measured = measure(known, facts);
      return measured && meets(known, measured, isTold);
    },
    beyond: (rule, { facts }) => {
      const known = conditionOf(rule);
      const measured = measure(known, facts);
      return measured && beyondLimit(known, measured);
    },
  }),
} as const;

/** Read once for each rule. */
const conditions = new WeakMap<object, MarketCondition>();

function conditionOf(rule: { readonly if: string }): MarketCondition {
  const known = conditions.get(rule);
  if (known !== undefined) return known;
  const [read] = parseMarketConditions(rule.if);
  conditions.set(rule, read);
  return read;
}
