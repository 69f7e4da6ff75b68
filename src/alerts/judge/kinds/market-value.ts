// The condition that an alert about a value of a market has: what people write, its one spelling, and when it is met.
import { UserError } from "../../../errors.ts";
import { compareDecimals, type Decimal, formatDecimal, parseDecimal } from "../../../units/decimal.ts";
import { parseTypedNumber } from "../../../units/typed-number.ts";

/** What can be compared, how people call it, and whether it is a per cent: `either` has a form in each unit. */
const VALUES = {
  mark: { words: "mark price", called: /^(?:mark(?: price)?|price)\b/iu, percent: false },
  last: { words: "last traded price", called: /^last(?: traded)?(?: price)?\b/iu, percent: false },
  mid: { words: "mid price", called: /^mid(?: price)?\b/iu, percent: false },
  bid: { words: "best bid", called: /^(?:best )?bid\b/iu, percent: false },
  offer: { words: "best offer", called: /^(?:best )?(?:offer|ask)\b/iu, percent: false },
  indicative: { words: "indicative price", called: /^indicative(?: price)?\b/iu, percent: false },
  spread: { words: "spread", called: /^spread\b/iu, percent: "either" },
  "open-interest": { words: "open interest", called: /^open[- ]interest\b/iu, percent: false },
  "stake-ratio": { words: "supplied stake", called: /^stake[- ]ratio\b/iu, percent: true },
  bound: { words: "distance from the nearest price bound", called: /^bound\b/iu, percent: true },
} as const;

export type MarketValue = keyof typeof VALUES;
export const MARKET_VALUES = Object.keys(VALUES) as readonly MarketValue[];

/** Facts of a market by name; a spread in per cent of the mid price is `spread%`. */
export type MarketFact = MarketValue | "spread%";
export const MARKET_FACTS: readonly MarketFact[] = [...MARKET_VALUES, "spread%"];

type Side = "above" | "below" | "within";

/** One comparison. It is met beyond the limit, and over again once the value is back by `back`. */
export interface MarketCondition {
  readonly value: MarketValue;
  readonly side: Side;
  readonly limit: Decimal;
  /** The limit is in per cent. */
  readonly percent: boolean;
  /** In the unit of the limit. */
  readonly back: Decimal;
  /** As it was given: `0.5%` of the limit, or in its unit. */
  readonly givenBack?: string;
  readonly critical: boolean;
}

/** What holds where nothing else is given: half of one per cent of the limit. */
const USUAL_BACK = { units: 5n, scale: 3 };

const SIDES: readonly (readonly [RegExp, Side])[] = [
  [/^(?:is )?(?:above|over|>(?!=))/iu, "above"],
  [/^(?:is )?(?:below|under|<(?!=))/iu, "below"],
  [/^(?:is )?within\b/iu, "within"],
];

const EXAMPLES = "mark above 70,000, spread above 0.5%, last below 50,000 or above 70,000, bound within 2%";

/**
 * The comparisons of `last below 50,000 or above 70,000 back 1% as critical`, each of which is an alert of its own. What
 * stands behind them holds for all of them, and a comparison without a value has that of the one before it.
 *
 * @throws UserError for anything else
 */
export function parseMarketConditions(typed: string): readonly [MarketCondition, ...MarketCondition[]] {
  const reader = new Reader(typed);
  const limits = [reader.limit(undefined)];
  while (reader.takes(/^or\b/iu)) limits.push(reader.limit(limits.at(-1)?.value));
  let givenBack: string | undefined;
  let critical = false;
  while (!reader.isAtEnd) {
    if (reader.takes(/^as critical\b/iu)) critical = true;
    else if (reader.takes(/^back\b/iu)) givenBack = reader.amount("back");
    else throw reader.fault(`“${reader.rest}” is not understood behind a limit`);
  }
  const [first, ...others] = limits.map((one): MarketCondition => {
    const back = backOf(one, givenBack, reader);
    return { ...one, back, critical, ...(givenBack === undefined ? {} : { givenBack }) };
  });
  if (first === undefined) throw reader.fault("There is no condition");
  return [first, ...others];
}

type Limit = Pick<MarketCondition, "value" | "side" | "limit" | "percent">;

class Reader {
  readonly #typed: string;
  rest: string;

  constructor(typed: string) {
    this.#typed = typed;
    // A rule's id has no spaces; in numbers the same mark stands between thousands.
    this.rest = typed
      .replaceAll(/(?<!\d)_|_(?!\d)/gu, " ")
      .trim()
      .replaceAll(/\s+/gu, " ");
  }

  get isAtEnd(): boolean {
    return this.rest === "";
  }

  takes(words: RegExp): boolean {
    const found = words.exec(this.rest)?.[0];
    if (found === undefined) return false;
    this.rest = this.rest.slice(found.length).trimStart();
    return true;
  }

  limit(before: MarketValue | undefined): Limit {
    const value = MARKET_VALUES.find((one) => this.takes(VALUES[one].called)) ?? before;
    if (value === undefined) throw this.fault(`“${this.rest}” begins with no value of a market`);
    const side = SIDES.find(([words]) => this.takes(words))?.[1];
    if (side === undefined) {
      throw this.fault(`Behind ${value} stands ${value === "bound" ? "within" : "above or below"}, not “${this.rest}”`);
    }
    if ((side === "within") !== (value === "bound")) {
      throw this.fault(value === "bound" ? "How near to a bound is said by within" : "Only a bound takes within");
    }
    const written = this.amount(value);
    const percent = written.endsWith("%");
    const takesPercent = VALUES[value].percent;
    if (takesPercent !== "either" && takesPercent !== percent) {
      throw this.fault(
        percent ? `${value} is a number, not a percentage` : `${value} is in per cent, as in ${written}%`,
      );
    }
    return { value, side, percent, limit: exactly(written) };
  }

  /** A number in one spelling, with its per cent sign. */
  amount(of: string): string {
    const [found, number = "", sign = ""] = /^(\S+?)( ?%)?(?= |$)/u.exec(this.rest) ?? [];
    const exact = parseTypedNumber(number);
    if (found === undefined || exact === undefined) {
      throw this.fault(`${of} needs a number, not “${this.rest.split(" ")[0] ?? ""}”`);
    }
    if (exact.units < 0n) throw this.fault(`${of} cannot be negative`);
    this.rest = this.rest.slice(found.length).trimStart();
    return `${formatDecimal(exact, { group: false })}${sign === "" ? "" : "%"}`;
  }

  fault(what: string): UserError {
    return new UserError(`${what}: “${this.#typed}”.`, { option: "if", remedy: `Write for example ${EXAMPLES}.` });
  }
}

function exactly(written: string): Decimal {
  return parseDecimal(written.replace("%", "")) ?? { units: 0n, scale: 0 };
}

/** How far behind the limit it is over. */
function backOf({ limit, side, value }: Limit, given: string | undefined, reader: Reader): Decimal {
  if (given !== undefined && !given.endsWith("%")) return exactly(given);
  if (limit.units === 0n) throw reader.fault(`A limit of 0 needs back and a number, as in ${value} ${side} 0 back 10`);
  const share = given === undefined ? USUAL_BACK : { ...exactly(given), scale: exactly(given).scale + 2 };
  return { units: limit.units * share.units, scale: limit.scale + share.scale };
}

/** The one spelling, by which equal conditions are one rule: `mark above 70000 or mark below 50000 back 1% as critical`. */
export function formatMarketConditions(conditions: readonly [MarketCondition, ...MarketCondition[]]): string {
  const limits = conditions.map(
    ({ value, side, limit, percent }) =>
      `${value} ${side} ${formatDecimal(limit, { group: false })}${percent ? "%" : ""}`,
  );
  const [{ givenBack, critical }] = conditions;
  const back = givenBack === undefined ? "" : ` back ${givenBack}`;
  return `${limits.join(" or ")}${back}${critical ? " as critical" : ""}`;
}

/** The comparisons of a condition that is stored; none where this version cannot read it. */
export function storedConditions(written: string): readonly MarketCondition[] {
  try {
    return parseMarketConditions(written);
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}

/** What is compared with what: `above 70,000`. */
export function marketLimitWords({ side, limit, percent }: MarketCondition): string {
  return `${side} ${formatDecimal(limit)}${percent ? " %" : ""}`;
}

/** A condition for people: `mark price above 70,000 or below 50,000`; as it is written where it cannot be read. */
export function marketConditionsWords(written: string): string {
  const all = storedConditions(written);
  const [first] = all;
  if (first === undefined) return written;
  const words = all.map((one, index) => {
    const isSame = index > 0 && all[index - 1]?.value === one.value;
    return isSame ? marketLimitWords(one) : `${VALUES[one.value].words} ${marketLimitWords(one)}`;
  });
  const back = first.givenBack === undefined ? "" : `, over once back by ${first.givenBack.replace("%", " %")}`;
  return `${words.join(" or ")}${back}${first.critical ? ", critical" : ""}`;
}

/** The fact that a condition is about. */
export function factOf({ value, percent }: Pick<MarketCondition, "value" | "percent">): MarketFact {
  return value === "spread" && percent ? "spread%" : value;
}

/** How people call a value. */
export function marketValueWords(value: MarketValue): string {
  return VALUES[value].words;
}

/**
 * Whether a value meets the condition. Between the limit and as far behind it as `back` says, what is told already goes
 * on, and nothing begins. On the limit a value is not beyond it, but within it.
 */
export function meets({ side, limit, back }: MarketCondition, value: Decimal, isTold: boolean): boolean {
  if (side === "within") {
    return compareDecimals(value, limit) <= 0 || (isTold && compareDecimals(value, sum(limit, back)) <= 0);
  }
  const sign = side === "above" ? 1 : -1;
  if (compareDecimals(value, limit) * sign > 0) return true;
  const over = sum(limit, side === "above" ? { ...back, units: -back.units } : back);
  return isTold && compareDecimals(value, over) * sign > 0;
}

function sum(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  const units = (one: Decimal): bigint => one.units * 10n ** BigInt(scale - one.scale);
  return { units: units(a) + units(b), scale };
}
