import { parseDuration, type Milliseconds } from "../units/duration.ts";

/** What people type for units of a duration, in the letters that durations use. */
const UNIT_WORDS: readonly (readonly [RegExp, string])[] = [
  [/\s*(?:seconds?|secs?)\b/gu, "s"],
  [/\s*(?:minutes?|mins?)\b/gu, "m"],
  [/\s*(?:hours?|hrs?)\b/gu, "h"],
  [/\s*days?\b/gu, "d"],
  [/\s*weeks?\b/gu, "w"],
];

/** A span of time as people type it, `90s`, `2m`, `1 hour`, in milliseconds; undefined where it is none. */
export function parseTypedDuration(typed: string): Milliseconds | undefined {
  let short = typed.trim().toLowerCase();
  for (const [words, letter] of UNIT_WORDS) short = short.replaceAll(words, letter);
  const millis = parseDuration(short);
  return millis !== undefined && Number.isSafeInteger(millis) ? millis : undefined;
}
