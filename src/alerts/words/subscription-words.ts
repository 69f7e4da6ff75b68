import { plainText } from "../../reply/plain-text.ts";
import {
  code,
  id,
  type Inline,
  joinText,
  link,
  named,
  number,
  strong,
  text,
  type Text,
  type TextPart,
} from "../../reply/text.ts";
import type { Action } from "../../reply/reply.ts";
import { formatDecimal, parseDecimal, readPlaces, roundDecimal } from "../../units/decimal.ts";
import { formatDuration } from "../../units/time.ts";
import type { GivenParameters } from "../judge/kinds/kind.ts";
import {
  ALERT_KINDS,
  type AlertKind,
  type ConditionKind,
  groupOf,
  isConditionKind,
  KINDS,
} from "../judge/kinds/kinds.ts";
import { factOf, marketConditionsWords, storedConditions } from "../judge/kinds/market-value.ts";
import { labelOf, type ParameterName, type Reading } from "../judge/kinds/reading.ts";
import type { Episode } from "../judge/rules/episode.ts";
import type { Subscription } from "../route/subscription.ts";

/** Display names of subjects, by their ids. */
export type Labels = Readonly<Record<string, string>>;

type SubscriptionSummary = Pick<
  Subscription,
  | "kinds"
  | "subjects"
  | "parameters"
  | "network"
  | "floor"
  | "style"
  | "events"
  | "destination"
  | "quietHours"
  | "mention"
  | "guidance"
  | "chart"
  | "personal"
>;

/** `mark prices of BTC/USDT, above 70,000 on mainnet`. Pure and total. */
export function subscriptionWords(
  summary: Pick<SubscriptionSummary, "kinds" | "subjects" | "parameters" | "network">,
  labels: Labels = {},
): Text {
  const subjects = summary.subjects.length === 0 ? [] : text` of ${subjectWords(summary.subjects, labels)}`;
  const thresholds = thresholdWords(summary.parameters);
  const beyond = thresholds === "" ? [] : text`, ${thresholds}`;
  return text`${kindWords(summary.kinds)}${subjects}${beyond} on ${strong(summary.network)}`;
}

/** How it is delivered: as far as that is not the default, or with `whole` its severity and style in any case. */
export function deliveryOptionWords(
  {
    floor,
    style,
    events,
    quietHours: quiet,
    destination,
    mention,
    guidance: { note, runbook } = {},
    personal,
    chart,
    kinds,
  }: SubscriptionSummary,
  whole = false,
): Text {
  const conditions = kinds.some((kind) => isConditionKind(kind));
  const parts: TextPart[] = [
    ...(floor === "info" && !whole ? [] : [SEVERITY_WORDS[floor]]),
    ...(conditions && (style !== "live" || whole) ? [`${style} style`] : []),
    ...(events === "usual" || personal === true
      ? []
      : [events === "each" ? "events one by one" : "events in one message a day"]),
    ...(quiet === undefined ? [] : [`quiet ${quiet.from} to ${quiet.to} ${quiet.zone}`]),
    ...(mention === undefined
      ? []
      : [
          text`critical notifies ${mention.startsWith("user:") ? text`the person ${id(mention.slice(5))}` : named("role", destination.platform, mention)}`,
        ]),
    ...(note === undefined ? [] : [text`says “${note}”`]),
    ...(chart === "off" ? ["without pictures"] : []),
    ...(runbook === undefined ? [] : [text`with a ${link("runbook", runbook)}`]),
  ];
  return joinText(parts, ", ");
}

const SEVERITY_WORDS: Readonly<Record<SubscriptionSummary["floor"], string>> = {
  info: "every severity",
  warning: "warnings and worse",
  critical: "critical only",
};

/** `the ops alerts`, `all alerts`, or the kinds one by one, by their nouns. */
function kindWords(kinds: readonly AlertKind[]): Text {
  const group = groupOf(kinds);
  if (group === "all") return text`${strong("all")} alerts`;
  if (group !== undefined) return text`the ${strong(group)} alerts`;
  return joinText(
    kinds.map((kind) => strong(kindNoun(kind))),
    ", ",
  );
}

const CONDITION_NOUNS: Readonly<Record<ConditionKind, string>> = {
  "network.stalled": "stalls",
  "network.disagree": "disagreements of nodes",
  "network.time-back": "steps back in time",
  "network.clock": "clock differences",
  "watch.blind": "unseen networks",
  "node.lagging": "node lags",
  "node.down": "node outages",
  "node.lying": "wrong answers",
  "node.diverges": "different histories",
  "node.refuses": "refusals of nodes",
  "node.slow": "slow nodes",
  "network.slow": "slow blocks",
  "checkpoint.overdue": "overdue checkpoints",
  "snapshot.overdue": "overdue snapshots",
  "market.auction": "auctions",
  "market.price": "mark prices",
  "market.bound": "near price bounds",
  "market.value": "values of markets",
};

/** `node outages`; the key itself of a kind that only another version knows. */
export function kindNoun(kind: string): string {
  const known = ALERT_KINDS.find((one) => one === kind);
  if (known === undefined) return kind;
  return isConditionKind(known) ? CONDITION_NOUNS[known] : KINDS[known].nouns[1];
}

function subjectWords(subjects: readonly string[], labels: Labels): Text {
  return joinText(
    subjects.map((subject) => subjectName(subject, labels)),
    ", ",
  );
}

/** A subject's display name, else its id. */
export function subjectName(subject: string, labels: Labels = {}): TextPart {
  const label = labels[subject];
  if (label !== undefined) return strong(label);
  const bundle = /^(list-asset|asset-limits):(.*)$/su.exec(subject);
  if (bundle !== null) return text`${bundle[1]} ${id(bundle[2] ?? "")}`;
  // A node's name is not shortened like an id.
  return /^[0-9a-f]{32,}$/iu.test(subject) ? id(subject) : code(subject);
}

/** Its own thresholds, in words; empty if there are none. */
function thresholdWords(parameters: Subscription["parameters"]): string {
  return Object.values(parameters)
    .flatMap((given) => (given === undefined ? [] : wordsOf(given)))
    .filter((word, index, all) => all.indexOf(word) === index)
    .join(", ");
}

/** What differs from the configured parameters, as a rule's id says it: `market.price{high=70000}`. Pure and total. */
export function ruleParameters(rule: string): Readonly<Record<string, string>> {
  const given = /\{(.*)\}$/u.exec(rule)?.[1] ?? "";
  const pairs = given.split(",").map((pair) => pair.split("=", 2));
  return Object.fromEntries(pairs.flatMap(([name = "", value]) => (value === undefined ? [] : [[name, value]])));
}

/** The same in words: `above 70,000`; empty if nothing differs. */
export function ruleWords(rule: string): string {
  return wordsOf(ruleParameters(rule)).join(", ");
}

/** A number of any size with its digits grouped and none of them lost; other text as it is. */
export function groupedNumber(written: string | number): string {
  const exact = parseDecimal(String(written));
  return exact === undefined ? String(written) : formatDecimal(exact, { trim: false });
}

/** A price with the digits that people read, and all of them in the details. */
export function priceWords(written: string): Inline {
  const exact = parseDecimal(written);
  if (exact === undefined) return { kind: "text", text: written };
  return number(formatDecimal(exact, { trim: false }), formatDecimal(roundDecimal(exact, readPlaces(exact))));
}

/** The words for each parameter but those of a price, which belong together. */
const PARAMETER_WORDS: Readonly<
  Record<Exclude<ParameterName, "low" | "high" | "when">, (value: string | number) => string>
> = {
  for: (span) => `for ${spanWords(span)}`,
  criticalFor: (span) => `critical after ${spanWords(span)}`,
  drift: (span) => `drift above ${spanWords(span)}`,
  behind: (span) => `behind by ${spanWords(span)}`,
  atLeast: (span) => `at least ${spanWords(span)}`,
  percent: (value) => `within ${groupedNumber(value)} %`,
  rounds: (value) => (Number(value) === 1 ? "1 look" : `${groupedNumber(value)} looks in a row`),
  blocks: (value) => `behind by ${groupedNumber(value)} blocks`,
  // A small number of JSON may have an exponent.
  factor: (value) => `${Number(value).toLocaleString("en-US", { maximumFractionDigits: 20 })} times the usual spacing`,
  if: (written) => marketConditionsWords(String(written)),
};

function spanWords(millis: string | number): string {
  return formatDuration(Number(millis));
}

function wordsOf({ low, high, when, ...rest }: GivenParameters): string[] {
  const within = when === "within" && low !== undefined && high !== undefined;
  const beyond = [
    ...(high === undefined ? [] : [`above ${groupedNumber(high)}`]),
    ...(low === undefined ? [] : [`below ${groupedNumber(low)}`]),
  ];
  return [
    ...(within ? [`between ${groupedNumber(low)} and ${groupedNumber(high)}`] : []),
    ...(within || beyond.length === 0 ? [] : [beyond.join(" or ")]),
    ...Object.entries(rest).map(
      ([name, value]) => PARAMETER_WORDS[name as keyof typeof PARAMETER_WORDS]?.(value) ?? `${name} ${value}`,
    ),
  ];
}

/** A change of a subscription as a line of the log; `before` if there was one. Pure and total. */
export function subscriptionLogLine(before: Subscription | undefined, after: Subscription, by: string): string {
  const now = fullSubscriptionWords(after);
  const was = before === undefined ? now : fullSubscriptionWords(before);
  const changed = was === now ? "" : `; before: ${was}`;
  return `${after.id} ${changeVerb(before, after)}, by ${by}: ${now}${changed}`;
}

function changeVerb(before: Subscription | undefined, { state }: Subscription): string {
  if (before === undefined) return state === "active" ? "added" : `added as ${state}`;
  if (before.state === state) return "changed";
  return state === "active" ? "resumed" : state;
}

function fullSubscriptionWords(one: Subscription): string {
  const manner = plainText(deliveryOptionWords(one));
  return `${plainText(subscriptionWords(one))}${manner === "" ? "" : ` (${manner})`}`;
}

/**
 * Of an alert of a price or a value: opens the form of a subscription of one's own that begins beyond the present one. None
 * of another alert.
 */
export function tellAtActions({ rule, last, network }: Pick<Episode, "rule" | "last" | "network">): Action[] {
  const limit = presentLimit(rule, last);
  return limit === undefined ? [] : [tellAtAction(network, last.subject, labelOf(last), limit)];
}

/** A present value, and on which side of it a limit is wanted; `measure`: of what, where it is not the mark price. */
interface PresentValue {
  readonly present: string;
  readonly side: "above" | "below";
  readonly measure?: { readonly name: string; readonly unit: string };
}

/** Opens the form of a subscription of one's own to a market: it holds the present value, and begins with one beyond it. */
export function tellAtAction(
  network: string,
  marketId: string,
  label: string | undefined,
  { present, side, measure }: PresentValue,
): Action {
  const next = beyond(present, side);
  const [option, limit] =
    measure === undefined
      ? [side === "above" ? "high" : "low", next]
      : ["if", `${measure.name} ${side} ${next}${measure.unit}`];
  return tellAt(network, marketId, label, { [option]: limit }, { [option]: presentWords(present, measure) });
}

/** The same with a limit that is known. */
export function tellAt(
  network: string,
  marketId: string,
  label: string | undefined,
  limit: Readonly<Record<string, string>>,
  hints: Readonly<Record<string, string>> = {},
): Action {
  // A comma would part the name in two.
  const subjects = label === undefined || label.includes(",") ? marketId : label;
  const kinds = "if" in limit ? "market.value" : "market.price";
  // Where a line takes the place of the form, it ends with what is to be changed.
  const options = { kinds, subjects, to: "me", network, ...limit };
  return { label: "Tell me at …", invocation: { command: "alerts add", options }, effect: "reply", form: true, hints };
}

/** `Now 70,000`, or `Now spread 0.5%`. */
function presentWords(present: string, measure: PresentValue["measure"]): string {
  return measure === undefined ? `Now ${groupedNumber(present)}` : `Now ${measure.name} ${present}${measure.unit}`;
}

/** A limit one per cent beyond a value, in three digits: the value itself would be crossed at once, or by nothing. */
function beyond(present: string, side: PresentValue["side"]): string {
  const { units, scale } = parseDecimal(present) ?? { units: 0n, scale: 0 };
  const size = units < 0n ? -units : units;
  const isUp = side === "above";
  const moved = units * 100n + (isUp ? size : -size);
  const step = 10n ** BigInt(Math.max(0, String(size * 100n).length - 3));
  const floor = moved / step - (moved < 0n && moved % step !== 0n ? 1n : 0n);
  const whole = isUp && moved % step !== 0n ? floor + 1n : floor;
  return formatDecimal({ units: whole * step, scale: scale + 2 }, { group: false });
}

/** The present value of a rule, on the side of its limit. */
function presentLimit(rule: string, { kind, facts }: Reading): PresentValue | undefined {
  const parameters = ruleParameters(rule);
  if (kind === "market.price" && "price" in facts) {
    const present = facts.price === undefined ? undefined : typed(facts.price);
    return present === undefined ? undefined : { present, side: parameters["high"] === undefined ? "below" : "above" };
  }
  const [condition] = kind === "market.value" ? storedConditions(parameters["if"] ?? "") : [];
  if (condition === undefined || kind !== "market.value") return undefined;
  const name = condition.value === "bound" ? "mark" : condition.value;
  const present = typed(facts[name === "mark" ? name : factOf(condition)] ?? "");
  if (present === undefined) return undefined;
  const unit = condition.percent && condition.within === undefined && name !== "mark" ? "%" : "";
  return { present, side: condition.side === "below" ? "below" : "above", measure: { name, unit } };
}

/** With the digits that people read; a value of nothing is no limit. */
function typed(written: string): string | undefined {
  const exact = parseDecimal(written);
  if (exact === undefined || exact.units === 0n) return undefined;
  return formatDecimal(roundDecimal(exact, readPlaces(exact)), { group: false });
}
