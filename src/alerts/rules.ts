import { z } from "zod";

import { UserError } from "../errors.ts";
import { compareDecimals, formatDecimal, parseDecimal } from "../units/decimal.ts";
import type { Milliseconds } from "../units/duration.ts";
import type { AlertsConfig } from "./alerts-config.ts";
import { DecimalText } from "./json-units.ts";
import type { ConditionKind } from "./kinds.ts";

const Millis = z.int().nonnegative();
const Count = z.int().positive();
/** `1.50` and `1.5` are the same threshold. */
const Amount = DecimalText.transform((written) => {
  const exact = parseDecimal(written);
  return exact === undefined ? written : formatDecimal(exact, { group: false });
});

/** What can be set for a kind of condition. Spans in milliseconds, prices in the market's units. */
export const RULE_PARAMETERS = {
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

export type RuleParameters<K extends ConditionKind> = z.infer<(typeof RULE_PARAMETERS)[K]>;
/** What a subscription sets of a kind; what it leaves out is the configuration's. */
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

/** The parameters of each kind where a subscription says nothing. A price has no default thresholds. */
export function defaultParameters(kind: ConditionKind, config: AlertsConfig): GivenParameters {
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
 * @throws UserError where a parameter is unknown or cannot be.
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
  /** An absence of the bot longer than this starts a pending alert again. */
  readonly patienceMillis: Milliseconds;
}

/** `everyMillis` is how often the watcher looks. */
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
