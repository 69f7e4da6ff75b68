import { field } from "../../reply/block.ts";
import { enumWords } from "../../reply/enum-words.ts";
import { id, joinText, strong, text, type Text, type TextPart } from "../../reply/text.ts";
import { formatDecimal } from "../../units/decimal.ts";
import { formatDuration } from "../../units/time.ts";
import type { ConditionKind } from "../judge/kinds/kinds.ts";
import { type Measure, measure, measuredValue, priceSide } from "../judge/kinds/market-measure.ts";
import {
  factOf,
  type MarketCondition,
  marketLimitWords,
  marketValueWords,
  storedConditions,
} from "../judge/kinds/market-value.ts";
import type { Reading } from "../judge/kinds/reading.ts";
import type { WordsOf } from "./condition-words.ts";
import { clock, timeField } from "./phrases.ts";
import { groupedNumber, priceWords, ruleParameters, ruleWords } from "./subscription-words.ts";

/** The words for the conditions of markets. */
export const MARKET_WORDS: WordsOf<Extract<ConditionKind, `market.${string}`>> = {
  "market.auction": (reading, network) => {
    const { tradingMode, trigger, extension, end } = reading.facts;
    return {
      now: text`${marketName(reading)} on ${network} is in an auction`,
      past: text`${marketName(reading)} on ${network} was in an auction`,
      good: text`${marketName(reading)} trades again on ${network}`,
      figures: [
        ...(trigger === undefined ? [] : [`trigger: ${enumWords(trigger, "AUCTION_TRIGGER")}`]),
        ...(extension === undefined ? [] : [`extended: ${enumWords(extension, "AUCTION_TRIGGER")}`]),
        ...(end === undefined ? [] : [text`until ${clock(end, { seconds: true })}`]),
      ],
      fields: [
        ...(tradingMode === undefined ? [] : [field("Mode", enumWords(tradingMode, "TRADING_MODE"))]),
        ...(trigger === undefined ? [] : [field("Trigger", enumWords(trigger, "AUCTION_TRIGGER"))]),
        ...(extension === undefined ? [] : [field("Extended by", enumWords(extension, "AUCTION_TRIGGER"))]),
        ...timeField("Ends", end),
      ],
    };
  },
  "market.price": (reading, network, rule, recovers) => {
    const { price } = reading.facts;
    const mark = price === undefined ? [] : text`: mark price ${priceWords(price)}`;
    const shown = recovers ? undefined : price;
    return {
      now: text`${marketName(reading)}${shown === undefined ? " is" : text` ${priceWords(shown)},`} ${thresholdSideWords(rule, price)} on ${network}`,
      past: text`${marketName(reading)} on ${network}${overWith(reading, price === undefined ? [] : [text`mark price ${priceWords(price)}`])} was ${ruleWords(rule) || "beyond its threshold"}`,
      good:
        reading.over === undefined
          ? text`${marketName(reading)} is not ${ruleWords(rule) || "beyond its threshold"} any more on ${network}${mark}`
          : text`${marketName(reading)} on ${network} is over: ${enumWords(reading.over, "STATE")}${mark}`,
      figures: price === undefined ? [] : [text`mark price ${priceWords(price)}`],
      fields: [
        ...(price === undefined ? [] : [field("Mark price", priceWords(price))]),
        ...(ruleWords(rule) === "" ? [] : [field("Threshold", ruleWords(rule))]),
      ],
    };
  },
  "market.bound": (reading, network, _, recovers) => {
    const { price, bound, side, distancePercent } = reading.facts;
    const near = bound === undefined || recovers ? "a price bound" : text`its ${side} bound ${priceWords(bound)}`;
    const shown = recovers ? undefined : price;
    return {
      now: text`${marketName(reading)}${shown === undefined ? " is" : text` ${priceWords(shown)},`} near ${near} on ${network}`,
      past: text`${marketName(reading)} on ${network} was near a price bound`,
      good: text`${marketName(reading)} is away from its price bounds on ${network}`,
      figures: [
        ...(price === undefined ? [] : [text`mark price ${priceWords(price)}`]),
        ...(bound === undefined ? [] : [text`${side} bound ${priceWords(bound)}`]),
        ...(distancePercent === undefined ? [] : [`${distancePercent} % away`]),
      ],
      fields: [
        ...(price === undefined ? [] : [field("Mark price", priceWords(price))]),
        ...(bound === undefined ? [] : [field(side === "lower" ? "Lower bound" : "Upper bound", priceWords(bound))]),
        ...(distancePercent === undefined ? [] : [field("Distance", `${distancePercent} %`)]),
      ],
    };
  },
  "market.value": (reading, network, rule, recovers) => {
    const condition = marketConditionOf(rule);
    const limit = ruleWords(rule) || "beyond its limit";
    const name = condition === undefined ? "value" : marketValueWords(condition.value);
    const side = condition === undefined ? "beyond its limit" : marketLimitWords(condition);
    const value = condition && reading.facts[factOf(condition)];
    const measured = condition && measure(condition, reading.facts);
    const market = text`${marketName(reading)} on ${network}`;
    const shown = (written: string): TextPart =>
      condition?.percent === true && condition.within === undefined
        ? `${groupedNumber(written)} %`
        : priceWords(written);
    const figures = value === undefined ? [] : [text`${name} ${shown(value)}`];
    const change = condition?.within === undefined || measured === undefined ? undefined : changeWords(measured);
    const past = change ?? (value === undefined ? undefined : shown(value));
    const now =
      past === undefined || recovers
        ? side
        : change === undefined
          ? text`${past}, ${side}`
          : text`${past} within ${formatDuration(condition?.within ?? 0)}`;
    return {
      now: text`${market}: ${name} ${now}`,
      past: text`${market}${overWith(reading, figures)}: ${name} was ${side}`,
      good:
        reading.over === undefined
          ? text`${market}: ${name} is not ${side} any more`
          : text`${market} is over: ${enumWords(reading.over, "STATE")}${figures.length === 0 ? [] : text`, ${joinText(figures, ", ")}`}`,
      figures: [...(change === undefined ? [] : [change]), ...figures],
      fields: [...figures.map((figure) => field("Value", figure)), field("Limit", limit)],
    };
  },
};

/** That a market is over, and its last figure, as an insertion; nothing while it is not. */
export function overWith({ over }: { readonly over?: string }, figure: readonly TextPart[]): Text {
  if (over === undefined) return [];
  return text` (${enumWords(over, "STATE")}${figure.length === 0 ? [] : text`, ${joinText(figure, ", ")} at the end`})`;
}

/** `up 5.25 %`, cut behind two digits, so that it says no more than what happened. */
function changeWords(measured: Measure): string {
  const { units, scale } = measuredValue(measured);
  const cut = scale > 2 ? { units: units / 10n ** BigInt(scale - 2), scale: 2 } : { units, scale };
  return `${measured.way ?? "changed"} by ${formatDecimal(cut)} %`;
}

/** The comparison of a rule; undefined where this version cannot read it. */
function marketConditionOf(rule: string): MarketCondition | undefined {
  return storedConditions(ruleParameters(rule)["if"] ?? "")[0];
}

/** Which side of the thresholds the price is on: `above 70,000`; all of them where it is on neither, or not known. */
function thresholdSideWords(rule: string, price: string | undefined): string {
  const { low, high, when } = ruleParameters(rule);
  const both = low !== undefined && high !== undefined && when !== "within";
  if (both && price !== undefined) {
    const given = { low, high, when: "beyond" } as const;
    const side = priceSide(given, price);
    if (side === "above") return `above ${groupedNumber(high)}`;
    if (side === "below") return `below ${groupedNumber(low)}`;
  }
  return ruleWords(rule) || "beyond its threshold";
}

function marketName(reading: Extract<Reading, { label?: string }>): TextPart {
  return reading.label === undefined ? id(reading.subject) : strong(reading.label);
}
