import type { AlertsConfig } from "../../../alerts/alerts-config.ts";
import { type AlertKind, CONDITION_KINDS, isConditionKind, KINDS } from "../../../alerts/judge/kinds/kinds.ts";
import type { ParameterName } from "../../../alerts/judge/kinds/reading.ts";
import { requirePossible } from "../../../alerts/judge/kinds/market-measure.ts";
import {
  beginsCondition,
  endingConditions,
  formatMarketConditions,
  parseMarketConditions,
} from "../../../alerts/judge/kinds/market-value.ts";
import { rulesOf, type Subscription } from "../../../alerts/route/subscription.ts";
import { quoteValue } from "../../../bot/grammar/tokens.ts";
import { quoteTyped } from "../../../bot/nearest.ts";
import type { OptionValues } from "../../../bot/options/options.ts";
import { passes, UserError } from "../../../errors.ts";
import type { Gathered } from "../../../bot/command.ts";
import { parseKinds } from "../alert-kinds.ts";
import { compareDecimals, formatDecimal, parseDecimal } from "../../../units/decimal.ts";
import { groupDigits } from "../../../units/format-number.ts";
import { nearestNumber, parseTypedInteger, parseTypedNumber } from "../../../units/typed-number.ts";
import { formatDuration, formatSpan, type Milliseconds } from "../../../units/time.ts";
import { parseMoment, parseSpan } from "../alert-times.ts";
import type { SUBSCRIPTION_OPTIONS } from "./subscription-options.ts";

export type SubscriptionValues = OptionValues<typeof SUBSCRIPTION_OPTIONS>;
type Parameters = Subscription["parameters"];

/** Which option sets a parameter, and how its value is parsed. */
interface Threshold {
  readonly option: keyof SubscriptionValues;
  readonly read: (option: string, typed: string) => string | number;
  /** What is typed for a value; left out = the value itself. */
  readonly written?: (value: string | number) => string;
}

/** Removes a threshold, so that the default holds. */
export const OFF = /^(?:off|none|default)$/iu;

/** How a form reads a threshold: a value of its own, or one that removes it. */
export function orOff(read: Threshold["read"]): (option: string, typed: string) => unknown {
  return (option, typed) => (OFF.test(typed) ? undefined : read(option, typed));
}

/** Thresholds that `if` takes, too: a chat platform whose commands have few options leaves their own ones out. */
const IN_IF = ["rounds", "factor", "at-least", "drift"] as const;

/** `drift 1m`, as an option and its value. */
function optionInIf(typed: string): readonly [(typeof IN_IF)[number], string] | undefined {
  const [, name, value = ""] = /^([\w-]+)[ :]+(.+)$/su.exec(typed.trim()) ?? [];
  const option = IN_IF.find((one) => one === name?.toLowerCase());
  return option && [option, value];
}

/** What `if` says: a condition in its one spelling, or the value of another threshold. */
export function readIf(_option: string, typed: string): string | number {
  const [option, value] = optionInIf(typed) ?? [];
  if (option === undefined || value === undefined) {
    const conditions = parseMarketConditions(typed);
    requirePossible(conditions);
    return formatMarketConditions(conditions);
  }
  const { read } = Object.values(THRESHOLDS).find((one) => one.option === option) ?? THRESHOLDS.if;
  return read("if", value);
}

/** A word of a line that names an option. */
const NAMES_OPTION = /^(?:--|[a-z][a-z-]*:)/iu;

/** The words of a line that are a condition: from its value on, with `if` or `when` before it, to the next named option. */
export function gatherCondition(words: readonly string[]): Gathered | undefined {
  const at = words.findIndex((word, index) =>
    beginsCondition([word.replace(/^if:/iu, ""), ...words.slice(index + 1)].join(" ")),
  );
  if (at < 0) return undefined;
  const next = words.findIndex((word, index) => index > at && NAMES_OPTION.test(word));
  const to = next < 0 ? words.length : next;
  const condition = words.slice(at, to).join(" ").replace(/^if:/iu, "");
  return { from: /^(?:if|when)$/iu.test(words[at - 1] ?? "") ? at - 1 : at, to, options: { if: condition } };
}

/** The same for a new subscription, which is to values where no kind is named. */
export function gatherNewCondition(words: readonly string[]): Gathered | undefined {
  const found = gatherCondition(words);
  if (found === undefined) return undefined;
  const [first = "", ...others] = words.slice(0, found.from).filter((word) => !NAMES_OPTION.test(word));
  if (words.some((word) => /^kinds:/iu.test(word)) || passes(() => parseKinds(first))) return found;
  // It may stand before the condition, behind the market.
  const isLast = others.at(-1)?.toLowerCase() === "market.value" && words[found.from - 1] === others.at(-1);
  return { ...found, from: found.from - Number(isLast), options: { kinds: "market.value", ...found.options } };
}

/** A condition with its end as a moment that means the same at all times and in all zones. */
export function withFixedEnd(typed: string, now: Milliseconds, zone: string): string {
  if (OFF.test(typed) || optionInIf(typed) !== undefined) return typed;
  const [first, ...others] = parseMarketConditions(typed);
  if (first.until === undefined) return typed;
  const end = parseMoment("until", first.until, now, zone);
  if (end <= now) {
    throw new UserError(`The end is past: ${quoteTyped(first.until)}.`, { option: "if", remedy: "Give a later end." });
  }
  const until = new Date(end).toISOString().replace(/(?::00)?\.000Z$/u, "Z");
  return formatMarketConditions([{ ...first, until }, ...others]);
}

export const MOST_ROUNDS = 1000;
export const MOST_BLOCKS = 1e9;

/** From 1 to the most. */
function count(most: number): Threshold["read"] {
  return (option, typed) => {
    const whole = parseTypedInteger(typed);
    if (whole !== undefined && whole > 0n && whole <= BigInt(most)) return Number(whole);
    throw outOfBounds(option, typed, `a whole number from 1 to ${groupDigits(String(most))}`, "5");
  };
}

/** Nobody waits for an alert for longer. */
const LONGEST: Milliseconds = 365 * 86_400_000;

/** A span that an alert waits for, or that something is late by. */
export function waitingSpan(option: string, typed: string): Milliseconds {
  const millis = parseSpan(option, typed);
  if (millis <= LONGEST) return millis;
  throw outOfBounds(option, typed, "from 1 ms to 365 d", "2h");
}

function outOfBounds(option: string, typed: string, bounds: string, example: string): UserError {
  return new UserError((named) => `${named(option)} is ${bounds}, not ${quoteTyped(typed)}.`, {
    option,
    remedy: `Write for example ${example}.`,
  });
}

const asTyped = (_option: string, typed: string): string => typed;

const span: Omit<Threshold, "option"> = { read: waitingSpan, written: (value) => formatSpan(Number(value)) };

const THRESHOLDS: Readonly<Record<ParameterName, Threshold>> = {
  high: { option: "high", read: positiveAmount },
  low: { option: "low", read: positiveAmount },
  when: { option: "when", read: asTyped },
  if: { option: "if", read: readIf },
  percent: { option: "percent", read: positiveAmount },
  for: { option: "for", ...span },
  criticalFor: { option: "critical-for", ...span },
  drift: { option: "drift", ...span },
  rounds: { option: "rounds", read: count(MOST_ROUNDS) },
  behind: { option: "behind", ...span },
  blocks: { option: "blocks", read: count(MOST_BLOCKS) },
  factor: { option: "factor", read: readFactor },
  atLeast: { option: "at-least", ...span },
};

/**
 * The thresholds of these kinds: typed values replace earlier ones.
 * @throws UserError for an impossible value, and for an option that none of the kinds takes.
 */
export function parseThresholds(
  kinds: readonly AlertKind[],
  typed: SubscriptionValues,
  before?: Parameters,
): Parameters {
  const kept = Object.entries(before ?? {}).filter(([kind]) => (kinds as readonly string[]).includes(kind));
  const parameters: Record<string, Record<string, string | number>> = Object.fromEntries(
    kept.map(([kind, given]) => [kind, { ...given }]),
  );
  const inIf = typed.if === undefined ? undefined : optionInIf(typed.if);
  const given = inIf === undefined ? typed : { ...typed, if: undefined, [inIf[0]]: inIf[1] };
  for (const [parameter, { option, read }] of Object.entries(THRESHOLDS)) {
    const value = given[option];
    if (value === undefined) continue;
    const takers = CONDITION_KINDS.filter((kind) => parameter in KINDS[kind].parameters.shape);
    const concerned = takers.filter((kind) => kinds.includes(kind));
    if (concerned.length === 0) {
      throw new UserError((named) => `${named(option)} is for ${takers.join(", ")} alone.`, {
        option,
        remedy: "Leave it out, or add that kind.",
        ...(before === undefined
          ? { suggestion: `alerts add ${takers[0] ?? ""} ${option}:${quoteValue(String(value))}` }
          : {}),
      });
    }
    const set = OFF.test(String(value)) ? undefined : read(option, String(value));
    for (const kind of concerned) {
      const { [parameter]: _, ...others } = parameters[kind] ?? {};
      parameters[kind] = set === undefined ? others : { ...others, [parameter]: set };
    }
  }
  if (kinds.includes("market.value")) requireCondition(kinds, parameters["market.value"]?.["if"]);
  if (kinds.includes("market.price") && !hasLimit(parameters["market.price"])) {
    throw new UserError((named) => `market.price needs a threshold: ${named("high")}, ${named("low")}, or both.`, {
      option: "high",
      remedy: "For example:",
      suggestion: "alerts add market.price BTC/USDT high:70000",
    });
  }
  requireBand(parameters["market.price"] ?? {});
  return parameters;
}

/** @throws UserError without a condition, and for one that ends a subscription to other kinds as well. */
function requireCondition(kinds: readonly AlertKind[], condition: string | number | undefined): void {
  if (condition === undefined) {
    throw new UserError((named) => `market.value needs a condition: ${named("if")}.`, {
      option: "if",
      remedy: "For example:",
      suggestion: 'alerts add market.value BTC/USDT if:"mark above 70,000"',
    });
  }
  if (kinds.length > 1 && endingConditions(String(condition)).length > 0) {
    throw new UserError("once and until end the whole subscription, so that market.value is alone in it.", {
      option: "kinds",
      remedy: "Add the other kinds by a subscription of their own.",
    });
  }
}

/** @throws UserError for two prices with nothing between them, and for `within` without two prices. */
function requireBand({ low, high, when }: Record<string, string | number>): void {
  const missing = when !== "within" ? undefined : low === undefined ? "low" : high === undefined ? "high" : undefined;
  if (missing !== undefined) {
    throw new UserError((named) => `${named("when", "within")} needs both ${named("low")} and ${named("high")}.`, {
      option: missing,
      remedy: "Give the other price, too.",
    });
  }
  const [from, to] = [low, high].map((one) => (one === undefined ? undefined : parseDecimal(String(one))));
  if (from === undefined || to === undefined || compareDecimals(from, to) < 0) return;
  const [least, most] = [from, to].map((one) => formatDecimal(one));
  throw new UserError((named) => `${named("low")} (${least}) is not below ${named("high")} (${most}).`, {
    option: "low",
    remedy: (named) => `Give a lower price here, or a higher one as ${named("high")}.`,
  });
}

/** The options that set a threshold of one of these kinds. */
export function thresholdOptions(kinds: readonly AlertKind[]): (keyof SubscriptionValues)[] {
  const taken = new Set(
    kinds.flatMap((kind) => (isConditionKind(kind) ? Object.keys(KINDS[kind].parameters.shape) : [])),
  );
  return Object.entries(THRESHOLDS).flatMap(([parameter, { option }]) => (taken.has(parameter) ? [option] : []));
}

/** The thresholds that these kinds have, as they would be typed; one that differs from kind to kind is left out. */
export function presentThresholds(kinds: readonly AlertKind[], parameters: Parameters): Record<string, string> {
  const present: Record<string, string> = {};
  for (const [parameter, { option, written = String }] of Object.entries(THRESHOLDS)) {
    const takers = CONDITION_KINDS.filter((kind) => kinds.includes(kind) && parameter in KINDS[kind].parameters.shape);
    const [value, ...others] = new Set(takers.map((kind) => parameters[kind]?.[parameter]));
    if (value !== undefined && others.length === 0) present[option] = written(value);
  }
  return present;
}

/**
 * Default thresholds count, too: a subscription's own are checked together with them.
 * @throws UserError for thresholds that contradict each other.
 */
export function requireConsistentThresholds(
  subscription: Pick<Subscription, "kinds" | "parameters">,
  config: AlertsConfig,
): void {
  for (const { id, kind, parameters } of rulesOf(subscription, config)) {
    if (kind !== "network.stalled" || id === kind || parameters.criticalFor >= parameters.for) continue;
    const [critical, first] = [parameters.criticalFor, parameters.for].map((millis) => formatDuration(millis));
    throw new UserError(
      (named) => `${named("critical-for")} (${critical}) is shorter than ${named("for")} (${first}).`,
      {
        option: "critical-for",
        remedy: (named) =>
          `An alert is told first and critical later: ${named("for", "5m")} ${named("critical-for", "15m")}.`,
      },
    );
  }
}

function hasLimit(given: Record<string, string | number> | undefined): boolean {
  return given?.["high"] !== undefined || given?.["low"] !== undefined;
}

/** An exact decimal in its canonical form. */
function amount(option: string, typed: string): string {
  const written = typed.trim();
  const isPercent = /^[\d.,'_ ]+%$/u.test(written);
  if (isPercent && option !== "percent") throw noPercentage(option, typed);
  const exact = parseTypedNumber(isPercent ? written.slice(0, -1) : written);
  if (exact !== undefined) return formatDecimal(exact, { group: false });
  const near = nearestNumber(written);
  throw new UserError((named) => `${named(option)} is a number, not ${quoteTyped(typed)}.`, {
    option,
    remedy: `Write it as ${option === "high" || option === "low" ? "70000, 70,000, 1.5k or 0.25" : "3 or 0.5"}.${near === undefined ? "" : ` Did you mean ${near}?`}`,
  });
}

/** A price in percent is none: of which price is not known. */
function noPercentage(option: string, typed: string): UserError {
  const isPrice = option === "high" || option === "low";
  return new UserError(
    (named) => `${named(option)} is a ${isPrice ? "price" : "number"}, not a percentage: ${quoteTyped(typed)}.`,
    {
      option,
      remedy: isPrice
        ? "Write the price itself, as in 70,000. How near to its bound a price comes, in percent, is told by market.bound."
        : "Write it as 3 or 2.5.",
    },
  );
}

/** Prices and distances are positive: a threshold of zero or less is always crossed or never. */
export function positiveAmount(option: string, typed: string): string {
  const written = amount(option, typed);
  if ((parseDecimal(written)?.units ?? 0n) > 0n) return written;
  throw outOfBounds(option, typed, "above zero", option === "percent" ? "0.5" : "70000");
}

const [LEAST_FACTOR, MOST_FACTOR] = [0.01, 1000];

export function readFactor(option: string, typed: string): number {
  const value = Number(amount(option, typed));
  if (value >= LEAST_FACTOR && value <= MOST_FACTOR) return value;
  throw outOfBounds(option, typed, "from 0.01 to 1,000", "3");
}
