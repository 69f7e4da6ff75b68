import { compareDecimals, parseDecimal } from "../units/decimal.ts";
import { severityOfReading } from "./kind-severity.ts";
import type { Reading } from "./reading.ts";
import type { Rule, RuleParameters } from "./rules.ts";
import type { Severity } from "./severity.ts";

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

/** Undefined where the facts that it takes are missing. */
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
      // A market that is over has no price, and is where nobody needs to look out for it.
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

/** Whether a rule is there to tell of this price; undefined where the price cannot be read. */
export function isPriceBad(parameters: RuleParameters<"market.price">, shown: string | undefined): boolean | undefined {
  const side = priceSide(parameters, shown);
  return side === undefined ? undefined : (parameters.when === "within") === (side === "between");
}

/** Where a price stands to the thresholds; on one of them it is between. Undefined where the price cannot be read. */
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
