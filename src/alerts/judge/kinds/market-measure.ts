import type { MarketNames } from "../../../api/model/names.ts";
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  decimal,
  formatDecimal,
  parseDecimal,
  percentOf,
} from "../../../units/decimal.ts";
import { UserError } from "../../../errors.ts";
import { formatSpan, type Milliseconds } from "../../../units/time.ts";
import { backWords, EXAMPLES, factOf, isPrice, type MarketCondition, type MarketFact, VALUES } from "./market-value.ts";

/** The thresholds of a price. */
interface PriceThresholds {
  readonly low?: string;
  readonly high?: string;
  readonly when: "beyond" | "within";
}

/** Whether a price meets the thresholds; undefined if the price cannot be read. */
export function isPriceBad(thresholds: PriceThresholds, shown: string | undefined): boolean | undefined {
  const side = priceSide(thresholds, shown);
  return side === undefined ? undefined : (thresholds.when === "within") === (side === "between");
}

/** Where a price is relative to the thresholds; on one of them it is between. Undefined if the price cannot be read. */
export function priceSide(
  { low: lower, high: upper }: Pick<PriceThresholds, "low" | "high">,
  shown: string | undefined,
): "below" | "between" | "above" | undefined {
  const price = parseDecimal(shown ?? "");
  if (price === undefined) return undefined;
  const low = parseDecimal(lower ?? "");
  const high = parseDecimal(upper ?? "");
  if (low !== undefined && compareDecimals(price, low) < 0) return "below";
  return high !== undefined && compareDecimals(price, high) > 0 ? "above" : "between";
}

/** How far a price is beyond the nearer threshold; undefined between them, and where it cannot be read. */
export function priceBeyond(given: PriceThresholds, shown: string | undefined): Decimal | undefined {
  const { low, high, when } = given;
  const price = parseDecimal(shown ?? "");
  const side = priceSide(given, shown);
  const limit = parseDecimal((side === "above" ? high : low) ?? "");
  if (price === undefined || limit === undefined || when === "within") return undefined;
  const past = addDecimals(price, { ...limit, units: -limit.units });
  return past.units < 0n ? { ...past, units: -past.units } : past;
}

/** A price in its market's units, to be compared with thresholds; undefined if its decimals are not known. */
export function exactPrice(units: bigint, market: Pick<MarketNames, "decimalPlaces"> | undefined): string | undefined {
  const places = market?.decimalPlaces;
  if (places === undefined || places < 0) return undefined;
  return formatDecimal(decimal(units, places), { group: false, trim: false });
}

// Whether the values of a market meet a condition. All of it is exact: a ratio is compared by multiplying, not by dividing.

/** Digits behind the point of what is in per cent. */
export const PERCENT_DIGITS = 6;

/** Exact decimals by the names of facts; the least and the most of a time as `mark low 10m` and `mark high 10m`. */
export type MarketFacts = Readonly<Record<string, string>>;

export function extremeFact(of: MarketFact, which: "low" | "high", within: Milliseconds): string {
  return `${of} ${which} ${formatSpan(within)}`;
}

/** What a condition compares with its limit: a value, or a change, as a part of what it is measured from. */
export interface Measure {
  readonly value: Decimal;
  readonly of?: Decimal;
  readonly way?: "up" | "down";
}

/** What was read of the facts asked for last: several rules in a row ask for the same ones. */
const latest = { facts: {} as MarketFacts, figures: new Map<string, Decimal>() };

function read(facts: MarketFacts, name: string): Decimal | undefined {
  if (latest.facts !== facts) {
    latest.facts = facts;
    latest.figures.clear();
  }
  const before = latest.figures.get(name);
  if (before !== undefined) return before;
  const written = facts[name];
  const figure = written === undefined ? undefined : parseDecimal(written);
  if (figure !== undefined) latest.figures.set(name, figure);
  return figure;
}

/** Undefined where a fact is missing. Of a change the larger way. */
export function measure(condition: MarketCondition, facts: MarketFacts): Measure | undefined {
  const { within, way } = condition;
  const fact = factOf(condition);
  const value = read(facts, fact);
  if (value === undefined || within === undefined) return value && { value };
  const [low, high] = (["low", "high"] as const).map((which) => read(facts, extremeFact(fact, which, within)));
  if (low === undefined || high === undefined) return undefined;
  const up = { value: addDecimals(value, negated(low)), of: low, way: "up" } as const;
  const down = { value: addDecimals(high, negated(value)), of: high, way: "down" } as const;
  if (way !== undefined) return way === "up" ? up : down;
  return compareDecimals(times(up.value, high), times(down.value, low)) >= 0 ? up : down;
}

/**
 * Whether a value meets the condition. Between the limit and as far behind it as `back` says, what is told already goes
 * on, and nothing begins. On the limit a value is not beyond it, but within it, and a change is as large as it.
 */
export function meets({ side, limit, back }: MarketCondition, measured: Measure, isTold: boolean): boolean {
  const beyond = compareWith(measured, limit);
  switch (side) {
    case "within":
      return beyond <= 0 || (isTold && compareWith(measured, addDecimals(limit, back)) <= 0);
    case "below":
      return beyond < 0 || (isTold && compareWith(measured, addDecimals(limit, back)) < 0);
    case "above":
      return beyond > 0 || (isTold && compareWith(measured, addDecimals(limit, negated(back))) > 0);
    case "changes":
      return beyond >= 0 || (isTold && compareWith(measured, addDecimals(limit, negated(back))) > 0);
  }
}

function compareWith({ value, of }: Measure, limit: Decimal): number {
  if (of === undefined) return compareDecimals(value, limit);
  return compareDecimals({ units: value.units * 100n, scale: value.scale }, times(limit, of));
}

/**
 * Conditions that are typed anew. Stored ones stay as they are.
 *
 * @throws UserError for one that is never met, or never over: a price does not come down to zero, nor fall by more than all
 */
export function requirePossible(conditions: readonly MarketCondition[]): void {
  for (const condition of conditions) {
    const { value, side, limit, percent, way } = condition;
    requireEnd(condition);
    if (way === "down" && compareDecimals(limit, WHOLE) > 0) throw impossible("Nothing falls by more than 100%");
    if (side === "below" && limit.units === 0n) throw impossible(`No ${VALUES[value].words} is below 0`);
    const below = conditions.find((one) => one.side === "below" && one.value === value && one.percent === percent);
    if (side === "above" && below !== undefined && compareDecimals(limit, below.limit) < 0) {
      throw impossible(`A value is always above ${formatDecimal(limit)} or below ${formatDecimal(below.limit)}`);
    }
  }
}
const WHOLE = { units: 100n, scale: 0 };

/** No value but a spread goes below zero, and no price down to it. */
function requireEnd({ value, side, limit, percent, back, givenBack = "" }: MarketCondition): void {
  if (side === "below" || side === "within" || (value === "spread" && limit.units === 0n)) return;
  const past = compareDecimals(back, limit);
  if (past < 0 || (past === 0 && (side === "changes" || !isPrice(value)))) return;
  const from = `${formatDecimal(limit)}${percent ? " %" : ""}`;
  const instead = isPrice(value) ? undefined : "Write back 0.";
  throw impossible(
    `An alert from ${from} on that is over once back by ${backWords(givenBack)} never ends`,
    limit.units > 0n ? `Leave out back, or give less than ${from}.` : instead,
  );
}

function impossible(what: string, remedy = `Write for example ${EXAMPLES}.`): UserError {
  return new UserError(`${what}.`, { option: "if", remedy });
}

/** In the limit's unit; a change in per cent, cut behind its digits. */
export function measuredValue({ value, of }: Measure): Decimal {
  return (of && percentOf(value, of, PERCENT_DIGITS)) ?? value;
}

/** How far a value is beyond the limit. */
export function beyondLimit({ side, limit }: MarketCondition, measured: Measure): Decimal {
  const value = measuredValue(measured);
  return side === "above" || side === "changes"
    ? addDecimals(value, negated(limit))
    : addDecimals(limit, negated(value));
}

function negated({ units, scale }: Decimal): Decimal {
  return { units: -units, scale };
}

function times(a: Decimal, b: Decimal): Decimal {
  return { units: a.units * b.units, scale: a.scale + b.scale };
}
