// What makes an alert: the rule that a kind and its thresholds make, its timing, and how a reading is judged under it.
// Read state-machine.ts (pending, firing, recovering) and episode.ts (what is stored of it) next.
import { UserError } from "../../../errors.ts";
import type { Decimal } from "../../../units/decimal.ts";
import type { Milliseconds } from "../../../units/time.ts";
import type { AlertsConfig } from "../../alerts-config.ts";
import type { Condition, GivenParameters, Severity } from "../kinds/kind.ts";
import { HEALTH_KINDS, KINDS } from "../kinds/kinds.ts";
import { type ConditionKind, type Reading, type RuleParameters, severityOfReading } from "../kinds/reading.ts";

/** A kind with all its parameters. Equal rules have equal ids and share their episodes. */
export type Rule = {
  readonly [K in ConditionKind]: {
    /** `network.stalled` where all parameters are the configured ones, else `network.stalled{for=60000}`. */
    readonly id: string;
    readonly kind: K;
    readonly parameters: RuleParameters<K>;
    /**
     * The rule by which a version before judged this one and others together, or itself: its open alert goes on until it
     * is over, and they are judged from then on.
     */
    readonly whole?: string;
  };
}[ConditionKind];

/**
 * The rule that a kind makes with the parameters given.
 *
 * @throws UserError if a parameter is unknown or invalid.
 */
export function ruleFor(kind: ConditionKind, given: GivenParameters, config: AlertsConfig): Rule {
  const record = KINDS[kind];
  const defaults = record.defaults?.(config) ?? {};
  const parsed = record.parameters.safeParse({ ...defaults, ...given });
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": "));
    throw new UserError(`These thresholds do not fit ${kind}: ${faults.join("; ")}.`, {
      remedy: `${kind} takes ${Object.keys(record.parameters.shape).join(", ") || "no thresholds"}.`,
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
export function timingOf({ parameters }: Rule, everyMillis: Milliseconds): Timing {
  const { for: forMillis = 0, rounds = 1, criticalFor } = parameters as Partial<Record<string, number>>;
  return criticalFor === undefined
    ? { forMillis, rounds, patienceMillis: Math.max(forMillis, rounds * everyMillis) }
    : { forMillis, rounds, criticalMillis: criticalFor, patienceMillis: forMillis };
}

/** What a reading means under a rule. */
export interface Judgement {
  readonly state: "good" | "bad" | "near" | "unknown";
  readonly severity: Severity;
  /** Of what is bad: how far beyond its threshold, where that is a figure. */
  readonly beyond?: Decimal;
}

// Nearly all are one of these, of thousands of rules at a look. Only what is bad has a severity that counts.
const GOOD: Judgement = { state: "good", severity: "info" };
const NEAR: Judgement = { state: "near", severity: "info" };
/** What nothing is known of. */
export const UNKNOWN: Judgement = { state: "unknown", severity: "info" };

/**
 * Pure. A reading of another kind than the rule's is unknown to it, and so is one without the facts that it takes.
 * `isTold`: an alert of the rule fires.
 */
export function judgeReading({ kind, parameters }: Rule, reading: Reading, isTold = false): Judgement {
  if (reading.state === "unknown" || reading.kind !== kind) return UNKNOWN;
  const record: Condition = KINDS[kind];
  const bad = record.isBad === undefined ? reading.state === "bad" : record.isBad(parameters, reading, isTold);
  if (bad !== true) return bad === "near" ? NEAR : bad === undefined ? UNKNOWN : GOOD;
  const judged = { state: "bad", severity: severityOfReading(reading, parameters) } as const;
  const beyond = record.beyond?.(parameters, reading);
  return beyond === undefined ? judged : { ...judged, beyond };
}

/** Whether a rule is judged though nobody may have subscribed to it. */
export function isJudgedAlways({ id, kind }: Pick<Rule, "id" | "kind">): boolean {
  return id === kind && HEALTH_KINDS.includes(kind);
}
