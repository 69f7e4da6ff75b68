import {
  ALERT_KINDS,
  type AlertKind,
  isConditionKind,
  isPersonalKind,
  KINDS,
} from "../../../alerts/judge/kinds/kinds.ts";
import { passes } from "../../../errors.ts";
import type { Ask } from "../../../reply/reply.ts";
import { parseKinds } from "../alert-kinds.ts";
import { SUBSCRIPTION_OPTIONS } from "./subscription-options.ts";
import { thresholdOptions } from "./thresholds.ts";

type Field = keyof typeof SUBSCRIPTION_OPTIONS;

const ALL_FIELDS = Object.keys(SUBSCRIPTION_OPTIONS) as readonly Field[];
const OF_A_NEW_WATCH: readonly Field[] = ["subjects", "quiet", "zone", "note", "runbook", "kinds"];
/** A watch keeps its kind and its subject. */
const OF_A_WATCH: readonly Field[] = ["quiet", "zone", "note", "runbook"];
const OF_A_PRICE: readonly Field[] = ["high", "low", "subjects", "quiet", "when"];
const OF_A_VALUE: readonly Field[] = ["if", "subjects", "quiet"];
/** Behind the kind's own thresholds. */
const OF_ONE_KIND: readonly Field[] = ["quiet", "kinds", "mention", "style", "chart"];
const OF_SEVERAL: readonly Field[] = ["kinds", "severity", "style", "quiet", "mention"];

/**
 * The options that a form has for a subscription, the most needed first: those that make a difference to its kinds, and
 * those that are set. All of them where no kinds are chosen.
 */
export function subscriptionFields(given: Ask["options"], isNew: boolean): readonly string[] {
  const typed = given["kinds"];
  if (typeof typed !== "string" || !passes(() => parseKinds(typed))) return ALL_FIELDS;
  const { kinds } = parseKinds(typed);
  if (kinds.some((kind) => isPersonalKind(kind))) return isNew ? OF_A_NEW_WATCH : OF_A_WATCH;
  return [...new Set([...mostNeeded(kinds), ...ALL_FIELDS])].filter(
    (name) => matters(name, kinds) || isSet(name, given),
  );
}

function mostNeeded(kinds: readonly AlertKind[]): readonly Field[] {
  const needed: readonly Field[] = [
    ...(kinds.includes("market.value") ? (["if"] as const) : []),
    ...(kinds.includes("market.price") ? (["high", "low"] as const) : []),
  ];
  // There is no price and no value without a threshold.
  if (kinds.length > 1) return [...needed, ...OF_SEVERAL];
  const [kind] = kinds;
  if (kind === "market.price") return OF_A_PRICE;
  return kind === "market.value" ? OF_A_VALUE : [...thresholdOptions(kinds), ...OF_ONE_KIND];
}

/** Whether an option makes a difference to any of these kinds. */
function matters(name: Field, kinds: readonly AlertKind[]): boolean {
  switch (name) {
    case "severity":
      return new Set(kinds.map((kind) => KINDS[kind].worst)).size > 1 || kinds.some((kind) => isOfSeveral(kind));
    case "mention":
      return kinds.some((kind) => KINDS[kind].worst === "critical");
    case "chart":
      return kinds.some((kind) => isConditionKind(kind));
    case "events":
      return !kinds.every((kind) => isConditionKind(kind));
    case "subjects":
      return kinds.some((kind) => KINDS[kind].about !== undefined);
    default:
      return thresholdOptions(kinds).includes(name) || !thresholdOptions(ALERT_KINDS).includes(name);
  }
}

/** Whether it is not always equally severe. */
function isOfSeveral(kind: AlertKind): boolean {
  return "begins" in KINDS[kind] || "severity" in KINDS[kind];
}

/** Whether it has a value that is not the usual one: whoever set it may take it away. */
function isSet(name: Field, given: Ask["options"]): boolean {
  return ![undefined, "", "info"].includes(given[name] as string | undefined);
}
