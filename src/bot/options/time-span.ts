import {
  fromMillis,
  type Milliseconds,
  nanoseconds,
  type Nanoseconds,
  parseDuration,
  toMillis,
} from "../../units/time.ts";
import { nearest } from "../nearest.ts";
import type { TimeSpan } from "./options.ts";

/**
 * A time as people type it, in UTC: `2023-05-01` (a day), `2023-05` (a month), `2023`, `1 may 2023`, `2023-05-01 12:30`,
 * `7d` and `7 days ago` (a moment before now), `today`, `yesterday`, `last night` (22:00 to 07:00), `tomorrow 7am`,
 * `last month`, `this week` (from Monday), `now`, Unix seconds, milliseconds or nanoseconds. Undefined when it is none of these.
 */
export function parseTimeSpan(typed: string, now: Nanoseconds): TimeSpan | undefined {
  const compact = inFigures(typed);
  const found =
    named(compact, now) ??
    calendar(compact) ??
    clock(compact) ??
    unix(compact) ??
    ago(compact, now) ??
    relative(compact, now);
  return found === undefined ? undefined : { ...found, typed: typed.trim() };
}

/** From 22:00 to 07:00; before 07:00, until now. */
export const LAST_NIGHT = "last night";

/** Times in words. */
export const TIME_WORDS: readonly string[] = [
  "now",
  "today",
  "yesterday",
  "tomorrow",
  LAST_NIGHT,
  ...["last", "this"].flatMap((which) => ["day", "week", "month", "quarter", "year"].map((unit) => `${which} ${unit}`)),
];

/** The time in words that was probably meant; undefined where none is near. */
export function nearestTime(typed: string): string | undefined {
  return nearest(typed.trim().replaceAll(/\s+/gu, " "), TIME_WORDS);
}

interface Span {
  readonly from: Nanoseconds;
  readonly to: Nanoseconds;
}

const moment = (at: Nanoseconds): Span => ({ from: at, to: at });
const between = (from: number, to: number): Span => ({ from: fromMillis(from), to: fromMillis(to) });

/** A map, so that typing `constructor` finds nothing. */
const DAYS: ReadonlyMap<string, number> = new Map([
  ["yesterday", -1],
  ["today", 0],
  ["tomorrow", 1],
]);

/** When a night begins, and how long it is. */
const NIGHTFALL: Milliseconds = 22 * 3_600_000;
const NIGHT: Milliseconds = 9 * 3_600_000;

function named(typed: string, now: Nanoseconds): Span | undefined {
  if (typed === "now") return moment(now);
  if (typed === LAST_NIGHT) {
    const from = startOf("day", now, -1) + NIGHTFALL;
    return between(from, Math.min(from + NIGHT, toMillis(now)));
  }
  const [day = "", ...time] = typed.split(" ");
  const shift = DAYS.get(day) ?? sinceWeekday(day, now);
  if (shift === undefined) return undefined;
  const from = startOf("day", now, shift);
  if (time.length === 0) return between(from, startOf("day", now, shift + 1));
  const since = parseTimeOfDay(time.join(" "));
  return since === undefined ? undefined : moment(fromMillis(from + since));
}

/** The last Monday before today, in days from today. */
function sinceWeekday(typed: string, now: Nanoseconds): number | undefined {
  const at = WEEKDAYS.indexOf(typed);
  return at === -1 ? undefined : -(((new Date(toMillis(now)).getUTCDay() + 6 - at) % 7) + 1);
}

const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** `07:00`, `7am` and `7:30 pm`, as what has passed since midnight. */
export function parseTimeOfDay(typed: string): Milliseconds | undefined {
  const match = /^(\d{1,2})(?::([0-5]\d))?(?: ?([ap]m))?$/iu.exec(typed.trim());
  const [, hour, minute, half] = match ?? [];
  if (hour === undefined || (minute === undefined && half === undefined)) return undefined;
  if (half !== undefined && (Number(hour) < 1 || Number(hour) > 12)) return undefined;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === "pm" ? 12 : 0);
  return hours > 23 ? undefined : (hours * 60 + Number(minute ?? 0)) * 60_000;
}

function calendar(typed: string): Span | undefined {
  const numeric = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/u.exec(typed);
  if (numeric !== null) return dateSpan(numeric[1], numeric[2], numeric[3]);
  const dayFirst = /^(\d{1,2})\.? ([a-z]{3,9})\.?,? (\d{4})$/u.exec(typed);
  if (dayFirst !== null) return dateSpan(dayFirst[3], monthNumber(dayFirst[2]), dayFirst[1]);
  const monthFirst = /^([a-z]{3,9})\.? (?:(\d{1,2}),? )?(\d{4})$/u.exec(typed);
  if (monthFirst !== null) return dateSpan(monthFirst[3], monthNumber(monthFirst[1]), monthFirst[2]);
  return undefined;
}

const MONTH_NAMES = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
];

function monthNumber(name = ""): string {
  const index = MONTH_NAMES.findIndex((month) => month.startsWith(name) && name.length >= 3);
  return index === -1 ? "99" : String(index + 1);
}

function dateSpan(yearText = "", monthText?: string, dayText?: string): Span | undefined {
  const year = Number(yearText);
  const month = monthText === undefined ? 1 : Number(monthText);
  const day = dayText === undefined ? 1 : Number(dayText);
  const start = new Date(Date.UTC(year, month - 1, day));
  start.setUTCFullYear(year, month - 1, day);
  // Date carries 30 February over into March; such a date does not exist.
  if (start.getUTCFullYear() !== year || start.getUTCMonth() !== month - 1 || start.getUTCDate() !== day)
    return undefined;
  const end = new Date(start);
  if (monthText === undefined) end.setUTCFullYear(year + 1);
  else if (dayText === undefined) end.setUTCMonth(month);
  else end.setUTCDate(day + 1);
  return between(start.getTime(), end.getTime());
}

function clock(typed: string): Span | undefined {
  const match =
    /^(\d{4})-(\d{2})-(\d{2})(?:t| )(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?: ?(z|utc|([+-])(\d{2}):?(\d{2})))?$/u.exec(
      typed,
    );
  if (match === null) return undefined;
  const day = dateSpan(match[1], match[2], match[3]);
  const [hour, minute, second] = [Number(match[4]), Number(match[5]), Number(match[6] ?? "0")];
  const [offsetHours, offsetMinutes] = [Number(match[10] ?? "0"), Number(match[11] ?? "0")];
  if (day === undefined || hour > 23 || minute > 59 || second > 59 || offsetHours > 14 || offsetMinutes > 59)
    return undefined;
  const offset = (match[9] === "-" ? -1 : 1) * (offsetHours * 60 + offsetMinutes);
  const seconds = BigInt(hour * 3600 + (minute - offset) * 60 + second);
  const fraction = BigInt((match[7] ?? "").padEnd(9, "0"));
  return moment(nanoseconds(day.from + seconds * 1_000_000_000n + fraction));
}

/** Distinguished by their digits: seconds have 10 (years 2001 to 2286), milliseconds 13, nanoseconds 19. */
function unix(typed: string): Span | undefined {
  if (!/^\d+$/u.test(typed)) return undefined;
  const perUnit = { 10: 1_000_000_000n, 13: 1_000_000n, 19: 1n }[typed.length];
  return perUnit === undefined ? undefined : moment(nanoseconds(BigInt(typed) * perUnit));
}

function ago(typed: string, now: Nanoseconds): Span | undefined {
  const bare = typed
    .replace(/^(?:last|past) (?=hour$|minute$)/u, "1 ")
    .replace(/^(?:last|past) (?=\d)/u, "")
    .replace(/ ago$/u, "");
  const months = /^(\d{1,4}) ?(months?|mo|years?|y)$/u.exec(bare);
  if (months !== null) {
    const date = new Date(toMillis(now));
    const count = Number(months[1]) * (months[2]?.startsWith("y") === true ? 12 : 1);
    const day = date.getUTCDate();
    date.setUTCDate(1);
    date.setUTCMonth(date.getUTCMonth() - count);
    const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
    date.setUTCDate(Math.min(day, lastDay));
    return Number.isNaN(date.getTime()) ? undefined : moment(fromMillis(date.getTime()));
  }
  const millis = parseTypedDuration(bare);
  return millis === undefined ? undefined : moment(nanoseconds(now - fromMillis(millis)));
}

function relative(typed: string, now: Nanoseconds): Span | undefined {
  const [, which = "", unit] =
    /^(last|previous|prior|past|this|current) (day|week|month|quarter|year)$/u.exec(typed) ?? [];
  if (unit === undefined) return undefined;
  const shift = which === "this" || which === "current" ? 0 : -1;
  return between(startOf(unit, now, shift), startOf(unit, now, shift + 1));
}

/** The start of the present day, week and so on, or of the unit `shift` units later; in Unix milliseconds. */
function startOf(unit: string, now: Nanoseconds, shift: number): Milliseconds {
  const date = new Date(toMillis(now));
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  switch (unit) {
    case "day":
      return Date.UTC(year, month, day + shift);
    case "week":
      return Date.UTC(year, month, day - ((date.getUTCDay() + 6) % 7) + 7 * shift);
    case "month":
      return Date.UTC(year, month + shift);
    case "quarter":
      return Date.UTC(year, month - (month % 3) + 3 * shift);
    default:
      return Date.UTC(year + shift, 0);
  }
}

/** Numbers in words, with their figures. */
const NUMBER_WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bhalf an hour\b/gu, "30 minutes"],
  [/\b(?:a )?couple(?: of)?\b/gu, "2"],
  ...["one|an?", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"].map(
    (words, index) => [new RegExp(`\\b(?:${words})\\b`, "gu"), String(index + 1)] as const,
  ),
];

/** In small letters, with one space between words, numbers in figures: `2 hours`. */
export function inFigures(typed: string): string {
  let figures = typed.trim().toLowerCase().replaceAll(/\s+/gu, " ");
  for (const [words, figure] of NUMBER_WORDS) figures = figures.replaceAll(words, figure);
  return figures;
}

/** Typed words for units, with the letters of durations. */
const UNIT_WORDS: readonly (readonly [RegExp, string])[] = [
  [/\s*(?:seconds?|secs?)\b/gu, "s"],
  [/\s*(?:minutes?|mins?)\b/gu, "m"],
  [/\s*(?:hours?|hrs?)\b/gu, "h"],
  [/\s*days?\b/gu, "d"],
  [/\s*weeks?\b/gu, "w"],
];

/** A typed duration, `90s`, `2m`, `1 hour`, in milliseconds; undefined for anything else. */
export function parseTypedDuration(typed: string): Milliseconds | undefined {
  let short = inFigures(typed);
  for (const [words, letter] of UNIT_WORDS) short = short.replaceAll(words, letter);
  const millis = parseDuration(short);
  return millis !== undefined && Number.isSafeInteger(millis) ? millis : undefined;
}
