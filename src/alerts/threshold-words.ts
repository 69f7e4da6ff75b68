import { formatDecimal, parseDecimal } from "../units/decimal.ts";
import { formatDuration } from "../units/duration.ts";
import type { GivenParameters } from "./rules.ts";
import type { Subscription } from "./subscription.ts";

/** The thresholds of its own, in words; empty where there are none. */
export function thresholdWords(parameters: Subscription["parameters"]): string {
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

/** The same in words: `above 70,000`; empty where nothing differs. */
export function ruleWords(rule: string): string {
  return wordsOf(ruleParameters(rule)).join(", ");
}

/** A number of any size with its digits grouped and none of them lost; other text as it is. */
export function groupedNumber(written: string | number): string {
  const exact = parseDecimal(String(written));
  return exact === undefined ? String(written) : formatDecimal(exact, { trim: false });
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
  const beyond = [
    ...(high === undefined ? [] : [`above ${groupedNumber(high)}`]),
    ...(low === undefined ? [] : [`below ${groupedNumber(low)}`]),
  ];
  return [
    ...(within ? [`between ${groupedNumber(low)} and ${groupedNumber(high)}`] : []),
    ...(within || beyond.length === 0 ? [] : [beyond.join(" or ")]),
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
