// What makes an alert: the rule that a kind and its thresholds make, its timing, and how a reading is judged under it.
// Read state-machine.ts (pending, firing, recovering) and episode.ts (what is stored of it) next.
import { z } from "zod";

import type { MarketNames } from "../../api/model/names.ts";
import { UserError } from "../../errors.ts";
import { compareDecimals, decimal, formatDecimal, parseDecimal } from "../../units/decimal.ts";
import type { Milliseconds } from "../../units/duration.ts";
import type { AlertsConfig } from "../alerts-config.ts";
import { DecimalText } from "../kinds/json-fields.ts";
import type { ConditionKind } from "../kinds/kinds.ts";
import type { Reading } from "../kinds/reading.ts";
import { type Severity, severityOfReading } from "../kinds/severity.ts";

const Millis = z.int().nonnegative();
const Count = z.int().positive();
/** `1.50` and `1.5` are the same threshold. */
const Amount = DecimalText.transform((written) => {
  const exact = parseDecimal(written);
  return exact === undefined ? written : formatDecimal(exact, { group: false });
});

/** The parameters of each kind of condition. Spans in milliseconds, prices in the market's units. */
const RULE_PARAMETERS = {
  "network.stalled": z.strictObject({ for: Millis, criticalFor: Millis }),
  "network.disagree": z.strictObject({}),
  "network.time-back": z.strictObject({}),
  "network.clock": z.strictObject({ drift: Millis, for: Millis }),
  "watch.blind": z.strictObject({ rounds: Count }),
  "node.lagging": z.strictObject({ behind: Millis, blocks: Count, for: Millis }),
  "node.down": z.strictObject({ rounds: Count }),
  "checkpoint.overdue": z.strictObject({ factor: z.number().positive(), atLeast: Millis }),
  "market.auction": z.strictObject({ for: Millis }),
  "market.price": z
    .strictObject({ low: Amount.exactOptional(), high: Amount.exactOptional(), when: z.enum(["beyond", "within"]) })
    .refine(({ low, high, when }) => (when === "within" ? low !== undefined && high !== undefined : (low ?? high)), {
      message: "a price alert needs low, high or both; within needs both",
    })
    .refine(({ low, high }) => {
      const [from, to] = [parseDecimal(low ?? ""), parseDecimal(high ?? "")];
      return from === undefined || to === undefined || compareDecimals(from, to) < 0;
    }, "low must be below high"),
  "market.bound": z.strictObject({ percent: Amount }),
} as const satisfies Record<ConditionKind, z.ZodType>;

type RuleParameters<K extends ConditionKind> = z.infer<(typeof RULE_PARAMETERS)[K]>;
/** The parameters that a subscription sets for a kind; the rest is configured. */
export type GivenParameters = Readonly<Record<string, string | number>>;

/** A kind with all its parameters. Equal rules have equal ids and share their episodes. */
export type Rule = {
  readonly [K in ConditionKind]: {
    /** `network.stalled` where all parameters are the configured ones, else `network.stalled{for=60000}`. */
    readonly id: string;
    readonly kind: K;
    readonly parameters: RuleParameters<K>;
  };
}[ConditionKind];

/** The parameters of each kind that a subscription does not set. A price has no default thresholds. */
function defaultParameters(kind: ConditionKind, config: AlertsConfig): GivenParameters {
  switch (kind) {
    case "network.stalled":
      return config.stalled;
    case "network.clock":
      return config.clock;
    case "watch.blind":
      return config.blind;
    case "node.lagging":
      return config.lagging;
    case "node.down":
      return config.down;
    case "checkpoint.overdue":
      return config.overdue;
    case "market.auction":
      return { for: 0 };
    case "market.price":
      return { when: "beyond" };
    case "market.bound":
      return { percent: "1" };
    case "network.disagree":
    case "network.time-back":
      return {};
  }
}

/**
 * The rule that a kind makes with the parameters given.
 *
 * @throws UserError if a parameter is unknown or invalid.
 */
export function ruleFor(kind: ConditionKind, given: GivenParameters, config: AlertsConfig): Rule {
  const defaults = defaultParameters(kind, config);
  const parsed = RULE_PARAMETERS[kind].safeParse({ ...defaults, ...given });
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": "));
    throw new UserError(`These thresholds do not fit ${kind}: ${faults.join("; ")}.`, {
      remedy: `${kind} takes ${Object.keys(RULE_PARAMETERS[kind].shape).join(", ") || "no thresholds"}.`,
    });
  }
  const parameters = parsed.data as GivenParameters;
  const own = Object.entries(parameters)
    .filter(([name, value]) => defaults[name] !== value)
    .map(([name, value]) => `${name}=${value}`)
    .toSorted();
  return { id: own.length === 0 ? kind : `${kind}{${own.join(",")}}`, kind, parameters } as Rule;
}

/** How long, and over how many rounds, it must be bad before it fires. */
export interface Timing {
  readonly forMillis: Milliseconds;
  readonly rounds: number;
  /** Bad for so long altogether it is critical, whatever its reading says. */
  readonly criticalMillis?: Milliseconds;
  /** A downtime of the bot longer than this starts a pending alert again. */
  readonly patienceMillis: Milliseconds;
}

/** `everyMillis` is the watcher's interval. */
export function timingOf(rule: Rule, everyMillis: Milliseconds): Timing {
  switch (rule.kind) {
    case "network.stalled": {
      const { for: forMillis, criticalFor } = rule.parameters;
      return { forMillis, rounds: 1, criticalMillis: criticalFor, patienceMillis: forMillis };
    }
    case "network.clock":
    case "node.lagging":
    case "market.auction":
      return { forMillis: rule.parameters.for, rounds: 1, patienceMillis: Math.max(rule.parameters.for, everyMillis) };
    case "watch.blind":
    case "node.down":
      return { forMillis: 0, rounds: rule.parameters.rounds, patienceMillis: rule.parameters.rounds * everyMillis };
    case "network.disagree":
    case "network.time-back":
    case "checkpoint.overdue":
    case "market.price":
    case "market.bound":
      return { forMillis: 0, rounds: 1, patienceMillis: everyMillis };
  }
}

/** What a reading means under a rule. */
export interface Judgement {
  readonly state: "good" | "bad" | "unknown";
  readonly severity: Severity;
}

/** Pure. A reading of another kind than the rule's is unknown to it. */
export function judgeReading(rule: Rule, reading: Reading): Judgement {
  const severity = severityOfReading(reading);
  if (reading.state === "unknown" || reading.kind !== rule.kind) return { state: "unknown", severity };
  const bad = isBad(rule, reading);
  return { state: bad === undefined ? "unknown" : bad ? "bad" : "good", severity };
}

/** Undefined if the facts that it takes are missing. */
function isBad(rule: Rule, reading: Reading): boolean | undefined {
  switch (rule.kind) {
    case "network.clock": {
      if (reading.kind !== rule.kind || reading.facts.driftMillis === undefined) return undefined;
      return Math.abs(reading.facts.driftMillis) > rule.parameters.drift;
    }
    case "node.lagging": {
      if (reading.kind !== rule.kind) return undefined;
      const { behindMillis, behindBlocks } = reading.facts;
      if (behindMillis === undefined && behindBlocks === undefined) return undefined;
      const { behind, blocks } = rule.parameters;
      return (behindMillis ?? 0) > behind || BigInt(behindBlocks ?? "0") > BigInt(blocks);
    }
    case "checkpoint.overdue": {
      if (reading.kind !== rule.kind || reading.facts.sinceMillis === undefined) return undefined;
      const { factor, atLeast } = rule.parameters;
      return reading.facts.sinceMillis > Math.max(atLeast, factor * (reading.facts.usualMillis ?? 0));
    }
    case "market.price":
      if (reading.kind !== rule.kind) return undefined;
      // A market that has ended has no price, and needs no alert.
      if (reading.facts.price === undefined && reading.state === "good") return false;
      return isPriceBad(rule.parameters, reading.facts.price);
    case "market.bound": {
      if (reading.kind !== rule.kind) return undefined;
      if (reading.facts.distancePercent === undefined && reading.state === "good") return false;
      const distance = parseDecimal(reading.facts.distancePercent ?? "");
      const percent = parseDecimal(rule.parameters.percent);
      return distance === undefined || percent === undefined ? undefined : compareDecimals(distance, percent) <= 0;
    }
    case "network.stalled":
    case "network.disagree":
    case "network.time-back":
    case "watch.blind":
    case "node.down":
    case "market.auction":
      return reading.state === "bad";
  }
}

/** Whether a price meets the thresholds; undefined if the price cannot be read. */
export function isPriceBad(parameters: RuleParameters<"market.price">, shown: string | undefined): boolean | undefined {
  const side = priceSide(parameters, shown);
  return side === undefined ? undefined : (parameters.when === "within") === (side === "between");
}

/** Where a price is relative to the thresholds; on one of them it is between. Undefined if the price cannot be read. */
export function priceSide(
  { low: lower, high: upper }: Pick<RuleParameters<"market.price">, "low" | "high">,
  shown: string | undefined,
): "below" | "between" | "above" | undefined {
  const price = parseDecimal(shown ?? "");
  if (price === undefined) return undefined;
  const low = parseDecimal(lower ?? "");
  const high = parseDecimal(upper ?? "");
  if (low !== undefined && compareDecimals(price, low) < 0) return "below";
  return high !== undefined && compareDecimals(price, high) > 0 ? "above" : "between";
}

/** A price in its market's units, to be compared with thresholds; undefined if its decimals are not known. */
export function exactPrice(units: bigint, market: Pick<MarketNames, "decimalPlaces"> | undefined): string | undefined {
  const places = market?.decimalPlaces;
  if (places === undefined || places < 0) return undefined;
  return formatDecimal(decimal(units, places), { group: false, trim: false });
}
