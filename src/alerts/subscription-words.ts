import { code, id, joinText, strong, text, type Text, type TextPart } from "../reply/text.ts";
import { formatDuration } from "../units/duration.ts";
import { groupOf } from "./kind-groups.ts";
import { isConditionKind, type AlertKind } from "./kinds.ts";
import type { GivenParameters } from "./rules.ts";
import type { Subscription } from "./subscription.ts";

/** What people call subjects, by their ids. */
export type Labels = Readonly<Record<string, string>>;

type Told = Pick<
  Subscription,
  "kinds" | "subjects" | "parameters" | "network" | "floor" | "style" | "events" | "quietHours" | "mention" | "personal"
>;

/** `market.price of BTC/USDT above 70000 on mainnet`. Pure and total. */
export function subscriptionWords(told: Told, labels: Labels = {}): Text {
  const subjects = told.subjects.length === 0 ? [] : text` of ${subjectWords(told.subjects, labels)}`;
  const thresholds = thresholdWords(told.parameters);
  const beyond = thresholds === "" ? [] : text`, ${thresholds}`;
  return text`${kindWords(told.kinds)}${subjects}${beyond} on ${strong(told.network)}`;
}

/** How it is told, where that is not the usual way; empty where it is. */
export function mannerWords({ floor, style, events, quietHours: quiet, mention, personal, kinds }: Told): Text {
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

/** `the ops set`, or the kinds one by one. */
export function kindWords(kinds: readonly AlertKind[]): Text {
  const group = groupOf(kinds);
  if (group !== undefined) return text`the ${strong(group)} set`;
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

/** The thresholds of its own, in words; empty where there are none. */
export function thresholdWords(parameters: Subscription["parameters"]): string {
  return Object.values(parameters)
    .flatMap((given) => (given === undefined ? [] : wordsOf(given)))
    .filter((word, index, all) => all.indexOf(word) === index)
    .join(", ");
}

const SPANS: Readonly<Record<string, string>> = {
  for: "for",
  criticalFor: "critical after",
  drift: "drift above",
  behind: "behind by",
  atLeast: "at least",
};

function wordsOf({ low, high, when, ...rest }: GivenParameters): string[] {
  const within = when === "within" && low !== undefined && high !== undefined;
  return [
    ...(within ? [`within ${low} and ${high}`] : []),
    ...(within || low === undefined ? [] : [`below ${low}`]),
    ...(within || high === undefined ? [] : [`above ${high}`]),
    ...Object.entries(rest).map(([name, value]) => {
      const span = SPANS[name];
      if (span !== undefined) return `${span} ${formatDuration(Number(value))}`;
      switch (name) {
        case "percent":
          return `within ${value} %`;
        case "rounds":
          return `${value} looks in a row`;
        case "blocks":
          return `behind by ${value} blocks`;
        case "factor":
          return `${value} times the usual spacing`;
        default:
          return `${name} ${value}`;
      }
    }),
  ];
}
