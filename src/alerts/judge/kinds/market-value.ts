// The condition that an alert about a value of a market has: what people write and its one spelling. market-measure.ts says when it is met.
import { UserError } from "../../../errors.ts";
import { type Decimal, formatDecimal, parseDecimal } from "../../../units/decimal.ts";
import { formatDuration, formatSpan, type Milliseconds, parseDuration } from "../../../units/time.ts";
import { nearestNumber, parseTypedNumber } from "../../../units/typed-number.ts";

/** What can be compared, how people call it, and whether it is a per cent: `either` has a form in each unit. */
export const VALUES = {
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
const MARKET_VALUES = Object.keys(VALUES) as readonly MarketValue[];

/** Facts of a market by name; a spread in per cent of the mid price is `spread%`. */
export type MarketFact = MarketValue | "spread%";

type Side = "above" | "below" | "within" | "changes";

/** One comparison. It is met beyond the limit, and over again once the value is back by `back`. */
export interface MarketCondition {
  readonly value: MarketValue;
  readonly side: Side;
  readonly limit: Decimal;
  /** The limit is in per cent. */
  readonly percent: boolean;
  /** Of a change: within which time, and which way alone. */
  readonly within?: Milliseconds;
  readonly way?: "up" | "down";
  /** In the unit of the limit. */
  readonly back: Decimal;
  /** As it was given: `0.5%` of the limit, or in its unit. */
  readonly givenBack?: string;
  readonly critical: boolean;
  /** Of the subscription, not of its rules: it ends once one alert of it is over, and at a moment. */
  readonly once?: true;
  readonly until?: string;
}

/** A change that is asked for: of which fact, over which time. */
export interface ValueChange {
  readonly fact: MarketFact;
  readonly within: Milliseconds;
}

/** The shortest and the longest time that a change is measured over. */
const SHORTEST_CHANGE: Milliseconds = 60_000;
const LONGEST_CHANGE: Milliseconds = 86_400_000;

/** Words for a change, and the way that they name. */
const CHANGES: readonly (readonly [RegExp, MarketCondition["way"]])[] = [
  [/^(?:changes?|moves?)(?: by)?\b/iu, undefined],
  [/^(?:rises?|gains?)(?: by)?\b/iu, "up"],
  [/^(?:falls?|drops?|loses?)(?: by)?\b/iu, "down"],
];

/** What holds where nothing else is given: half of one per cent of the limit. */
const USUAL_BACK = { units: 5n, scale: 3 };

const SIDES: readonly (readonly [RegExp, Side])[] = [
  [/^(?:is )?(?:above|over|>(?!=))/iu, "above"],
  [/^(?:is )?(?:below|under|<(?!=))/iu, "below"],
  [/^(?:is )?within\b/iu, "within"],
];

/** A limit without its value is one of the mark price. */
const BARE_LIMIT = /^(?:is )?(?:above|over|below|under|[<>]) ?\d/iu;

export const EXAMPLES = "mark above 70,000, last below 50,000 or above 70,000, mark changes 5% within 10min";

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
  const { givenBack, ...options } = reader.options();
  const conditions = limits.map((one): MarketCondition => {
    const back = backOf(one, givenBack, reader);
    return { ...one, ...options, back, ...(givenBack === undefined ? {} : { givenBack }) };
  });
  // Equal limits are one rule, which is told once.
  const bySpelling = new Map(conditions.map((one) => [formatMarketConditions([one]), one]));
  const [first, ...others] = bySpelling.values();
  if (first === undefined) throw reader.fault("There is no condition");
  return [first, ...others];
}

/** Whether words begin a condition: a value, and how it is compared. */
export function beginsCondition(words: string): boolean {
  const reader = new Reader(words);
  const isValue = MARKET_VALUES.some((one) => reader.takes(VALUES[one].called));
  return BARE_LIMIT.test(reader.rest) || (isValue && [...SIDES, ...CHANGES].some(([said]) => reader.takes(said)));
}

type Limit = Pick<MarketCondition, "value" | "side" | "limit" | "percent" | "within" | "way">;
type TypedOptions = Pick<MarketCondition, "critical" | "givenBack" | "once" | "until">;

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
    const named = MARKET_VALUES.find((one) => this.takes(VALUES[one].called)) ?? before;
    const value = named ?? (BARE_LIMIT.test(this.rest) ? "mark" : undefined);
    if (value === undefined) {
      throw this.fault(`A condition begins with ${MARKET_VALUES.slice(0, -1).join(", ")} or ${MARKET_VALUES.at(-1)}`);
    }
    const change = CHANGES.find(([words]) => this.takes(words));
    if (change !== undefined) return this.change(value, change[1]);
    const side = SIDES.find(([words]) => this.takes(words))?.[1];
    if (side === undefined) {
      throw this.fault(
        `Behind ${value} stands ${value === "bound" ? "within" : "above, below or changes"}, not “${this.rest}”`,
      );
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

  change(value: MarketValue, said: MarketCondition["way"]): Limit {
    if (VALUES[value].percent !== false)
      throw this.fault(`Changes are told of prices and open interest, not of ${value}`);
    const written = this.amount("changes");
    const limit = exactly(written);
    if (!written.endsWith("%") || limit.units === 0n) throw this.fault("A change is in per cent, as in changes 5%");
    const within = this.span();
    const way = said ?? (this.takes(/^up\b/iu) ? "up" : this.takes(/^down\b/iu) ? "down" : undefined);
    return { value, side: "changes", percent: true, limit, within, ...(way === undefined ? {} : { way }) };
  }

  span(): Milliseconds {
    const unit = "(?:s|sec|second|m|min|minute|h|hr|hour|d|day)s?(?![a-z])|(?:m|h|d)(?=\\d)";
    const [found, typed = ""] = new RegExp(`^(?:within|in) ((?:\\d+ ?(?:${unit}) ?)+)`, "iu").exec(this.rest) ?? [];
    const within = parseDuration(typed.replaceAll(/([smhd])[a-z]*/giu, "$1"));
    if (found === undefined || within === undefined || within < SHORTEST_CHANGE || within > LONGEST_CHANGE) {
      throw this.fault("A change needs a time from 1 min to 24 h, as in changes 5% within 10min");
    }
    this.rest = this.rest.slice(found.length).trimStart();
    return within;
  }

  /** What stands behind the limits, in any order. */
  options(): TypedOptions {
    let options: TypedOptions = { critical: false };
    while (!this.isAtEnd) {
      const until = /^until (.+?)(?= once\b| as critical\b| back\b|$)/iu.exec(this.rest);
      if (this.takes(/^as critical\b/iu)) options = { ...options, critical: true };
      else if (this.takes(/^once\b/iu)) options = { ...options, once: true };
      else if (this.takes(/^back\b/iu)) options = { ...options, givenBack: this.amount("back") };
      else if (until?.[1] !== undefined) {
        options = { ...options, until: until[1] };
        this.rest = this.rest.slice(until[0].length).trimStart();
      } else if (/^and\b/iu.test(this.rest)) {
        throw this.fault("Limits are joined by or, not by and: each is an alert of its own");
      } else {
        throw this.fault(
          `“${this.rest}” is not understood behind a limit, where back, once, until and as critical stand`,
        );
      }
    }
    return options;
  }

  /** A number in one spelling, with its per cent sign. */
  amount(of: string): string {
    const [found, number = "", sign = ""] = /^(\S+?)( ?%)?(?= |$)/u.exec(this.rest) ?? [];
    const exact = parseTypedNumber(number);
    if (found === undefined || exact === undefined) {
      const [given = ""] = this.rest.split(" ");
      const near = nearestNumber(given);
      throw this.fault(
        `${of} needs a number${given === "" ? "" : `, not “${given}”`}`,
        near === undefined ? undefined : `Did you mean ${near}?`,
      );
    }
    if (exact.units < 0n) throw this.fault(`${of} cannot be negative`);
    this.rest = this.rest.slice(found.length).trimStart();
    return `${formatDecimal(exact, { group: false })}${sign === "" ? "" : "%"}`;
  }

  fault(what: string, remedy = `Write for example ${EXAMPLES}.`): UserError {
    return new UserError(`${what}: “${this.#typed}”.`, { option: "if", remedy });
  }
}

function exactly(written: string): Decimal {
  return parseDecimal(written.replace("%", "")) ?? { units: 0n, scale: 0 };
}

/** How far behind the limit it is over. */
function backOf({ limit, percent, side, value }: Limit, given: string | undefined, reader: Reader): Decimal {
  if (given !== undefined && !given.endsWith("%")) return exactly(given);
  if (limit.units === 0n) {
    const example = `${value} ${side} 0${percent ? "%" : ""} back ${side === "above" ? 0 : 1}`;
    if (side === "below") throw reader.fault("No value is below 0");
    if (side === "above" && isPrice(value)) throw reader.fault(`Every ${VALUES[value].words} is above 0`);
    throw reader.fault(`A limit of 0 needs back and a number, as in ${example}`);
  }
  const share = given === undefined ? USUAL_BACK : { ...exactly(given), scale: exactly(given).scale + 2 };
  return { units: limit.units * share.units, scale: limit.scale + share.scale };
}

/** The one spelling, by which equal conditions are one rule: `mark above 70000 or mark below 50000 back 1% as critical`. */
export function formatMarketConditions(conditions: readonly [MarketCondition, ...MarketCondition[]]): string {
  const limits = conditions.map(({ value, side, limit, percent, within, way }) => {
    const span = within === undefined ? "" : ` within ${formatSpan(within)}`;
    return `${value} ${side} ${formatDecimal(limit, { group: false })}${percent ? "%" : ""}${span}${way === undefined ? "" : ` ${way}`}`;
  });
  const [{ givenBack, critical, once, until }] = conditions;
  return [
    limits.join(" or "),
    ...(givenBack === undefined ? [] : [`back ${givenBack}`]),
    ...(critical ? ["as critical"] : []),
    ...(once === undefined ? [] : ["once"]),
    ...(until === undefined ? [] : [`until ${until}`]),
  ].join(" ");
}

/** What each rule of a condition has of it. */
export function splitMarketConditions(written: string): readonly string[] {
  return parseMarketConditions(written).map(({ once: _once, until: _until, ...one }) => formatMarketConditions([one]));
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

/** The changes that a condition asks for. */
export function changesOf(written: string): ValueChange[] {
  if (!written.includes(" changes ")) return [];
  return storedConditions(written).flatMap((one) =>
    one.within === undefined ? [] : [{ fact: factOf(one), within: one.within }],
  );
}

/** The comparisons of a stored condition whose subscription ends by itself; none of another one. */
export function endingConditions(written: string): readonly MarketCondition[] {
  return / (?:once|until)\b/u.test(written) ? storedConditions(written) : [];
}

/** What is compared with what: `above 70,000`. */
export function marketLimitWords({ side, limit, percent, within, way }: MarketCondition): string {
  const amount = `${formatDecimal(limit)}${percent ? " %" : ""}`;
  if (within === undefined) return `${side} ${amount}`;
  return `${way ?? "up or down"} by ${amount} or more within ${formatDuration(within)}`;
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
  const { givenBack, critical, once, until } = first;
  return [
    words.join(" or "),
    ...(givenBack === undefined ? [] : [`over once back by ${backWords(givenBack)}`]),
    ...(critical ? ["critical"] : []),
    ...(once === undefined ? [] : ["once"]),
    ...(until === undefined ? [] : [`until ${until.replace("T", " ").replace("Z", " UTC")}`]),
  ].join(", ");
}

export function backWords(given: string): string {
  return `${formatDecimal(exactly(given))}${given.endsWith("%") ? " %" : ""}`;
}

/** The fact that a condition is about. */
export function factOf({ value, percent, side }: Pick<MarketCondition, "value" | "percent" | "side">): MarketFact {
  return value === "spread" && percent && side !== "changes" ? "spread%" : value;
}

/** Whether it is never 0. */
export function isPrice(value: MarketValue): boolean {
  return VALUES[value].percent === false && value !== "open-interest";
}

/** How people call a value. */
export function marketValueWords(value: MarketValue): string {
  return VALUES[value].words;
}
