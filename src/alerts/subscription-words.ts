import { code, id, joinText, strong, text, type Text, type TextPart } from "../reply/text.ts";
import { groupOf } from "./kind-groups.ts";
import { isConditionKind, type AlertKind } from "./kinds.ts";
import type { Subscription } from "./subscription.ts";
import { thresholdWords } from "./threshold-words.ts";

/** What people call subjects, by their ids. */
export type Labels = Readonly<Record<string, string>>;

type SubscriptionSummary = Pick<
  Subscription,
  "kinds" | "subjects" | "parameters" | "network" | "floor" | "style" | "events" | "quietHours" | "mention" | "personal"
>;

/** `market.price of BTC/USDT, above 70,000 on mainnet`. Pure and total. */
export function subscriptionWords(told: SubscriptionSummary, labels: Labels = {}): Text {
  const subjects = told.subjects.length === 0 ? [] : text` of ${subjectWords(told.subjects, labels)}`;
  const thresholds = thresholdWords(told.parameters);
  const beyond = thresholds === "" ? [] : text`, ${thresholds}`;
  return text`${kindWords(told.kinds)}${subjects}${beyond} on ${strong(told.network)}`;
}

/** How it is told, where that is not the usual way; empty where it is. */
export function deliveryOptionWords({
  floor,
  style,
  events,
  quietHours: quiet,
  mention,
  personal,
  kinds,
}: SubscriptionSummary): Text {
  const conditions = kinds.some((kind) => isConditionKind(kind));
  const parts: TextPart[] = [
    ...(floor === "info" ? [] : [floor === "critical" ? "critical only" : "warnings and worse"]),
    ...(conditions && style !== "live" ? [`${style} style`] : []),
    ...(events === "usual" || personal === true
      ? []
      : [events === "each" ? "events one by one" : "events in one message a day"]),
    ...(quiet === undefined ? [] : [`quiet ${quiet.from} to ${quiet.to} ${quiet.zone}`]),
    ...(mention === undefined ? [] : [text`critical notifies ${id(mention)}`]),
  ];
  return joinText(parts, ", ");
}

/** `the ops alerts`, `all alerts`, or the kinds one by one. */
export function kindWords(kinds: readonly AlertKind[]): Text {
  const group = groupOf(kinds);
  if (group === "all") return text`${strong("all")} alerts`;
  if (group !== undefined) return text`the ${strong(group)} alerts`;
  return joinText(
    kinds.map((kind) => strong(kind)),
    ", ",
  );
}

function subjectWords(subjects: readonly string[], labels: Labels): Text {
  return joinText(
    subjects.map((subject) => subjectName(subject, labels)),
    ", ",
  );
}

/** A subject as people know it: its name, else its id. */
export function subjectName(subject: string, labels: Labels = {}): TextPart {
  const label = labels[subject];
  if (label !== undefined) return strong(label);
  const bundle = /^(list-asset|asset-limits):(.*)$/su.exec(subject);
  if (bundle !== null) return text`${bundle[1]} ${id(bundle[2] ?? "")}`;
  // A node's name is read, not copied: its middle says as much as its ends.
  return /^[0-9a-f]{32,}$/iu.test(subject) ? id(subject) : code(subject);
}
