import {
  fromMillis,
  HOUR,
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
 * `7d` and `7 days ago` (a moment before now), `today`, `yesterday`, `last night` (22:00 to 07:00), `tuesday evening`,
 * `tomorrow 7am`, `last month`, `this week` (from Monday), `the weekend`, `october`, `q3`, `q3 2025`, `now`, Unix seconds,
 * milliseconds or nanoseconds. A name without its year or week is the last one that has begun; with `ahead` the next, and a part of a day
 * the moment that people mean by it. Undefined when it is none of these.
 */
export function parseTimeSpan(typed: string, now: Nanoseconds, ahead = false): TimeSpan | undefined {
  const compact = inFigures(typed);
  const found =
    named(compact, now, ahead) ??
    calendar(compact, now, ahead) ??
    clock(compact) ??
    unix(compact) ??
    ago(compact, now) ??
    relative(compact, now, ahead);
  return found === undefined ? undefined : { ...found, typed: typed.trim() };
}

/** From 22:00 to 07:00; before 07:00, until now. */
export const LAST_NIGHT = "last night";

/** Times in words. */
export const TIME_WORDS: readonly string[] = [
  ..."now today yesterday tomorrow tonight weekend".split(" "),
  LAST_NIGHT,
  ...["last", "this"].flatMap((which) => ["day", "week", "month", "quarter", "year"].map((unit) => `${which} ${unit}`)),
];

/** Parts of days, weekdays and units, as somebody may misspell them. */
export const DAY_WORDS: readonly string[] = [
  "morning midday afternoon evening night midnight minute minutes hour hours days weeks",
  "monday tuesday wednesday thursday friday saturday sunday",
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

/** The parts of a day: from which hour to which, and the hour that is meant where it is one moment. */
const PARTS: ReadonlyMap<string, readonly [number, number, number]> = new Map([
  ["morning", [0, 12, 7]],
  ["noon", [12, 12, 12]],
  ["lunch", [12, 14, 12]],
  ["midday", [12, 12, 12]],
  ["afternoon", [12, 18, 12]],
  ["evening", [18, 24, 18]],
  ["night", [22, 31, 22]],
  ["midnight", [24, 24, 24]],
]);

/** Other words for a day and a part of it. */
const OTHER_NAMES: readonly (readonly [RegExp, string])[] = [
  [/^(?:(?:last |the )?night|overnight)$/u, "yesterday night"],
  [/^last (?=evening)/u, "yesterday "],
  [/^tonight$/u, "today night"],
  [/^(?:(?:the|this) )?(?=(?:morning|afternoon|evening)$)/u, "today "],
  [/^(?:last|this|next) /u, ""],
  [/ at (?=\d)/u, " "],
];

function named(typed: string, now: Nanoseconds, ahead: boolean): Span | undefined {
  if (typed === "now") return moment(now);
  const usual = OTHER_NAMES.reduce((words, [other, name]) => words.replace(other, name), typed);
  const [day = "", ...rest] = usual.split(" ");
  const shift = DAYS.get(day) ?? weekday(day, now, ahead);
  if (shift === undefined) return undefined;
  const from = startOf("day", now, shift);
  const time = rest.join(" ");
  if (time === "") return between(from, startOf("day", now, shift + 1));
  const part = ahead ? undefined : PARTS.get(time);
  if (part === undefined) {
    const since = parseTimeOfDay(time);
    return since === undefined ? undefined : moment(fromMillis(from + since));
  }
  const [start, end] = [from + part[0] * HOUR, from + part[1] * HOUR];
  // A night that still goes on ends now.
  return between(start, Math.max(start, Math.min(end, toMillis(now))));
}

/** The last Monday before today, or the next one behind it, in days from today: `mon` will do. */
function weekday(typed: string, now: Nanoseconds, ahead: boolean): number | undefined {
  const at = WEEKDAYS.findIndex((name) => typed.length > 2 && name.startsWith(typed));
  const since = ((new Date(toMillis(now)).getUTCDay() + 6 - at) % 7) + 1;
  return at === -1 ? undefined : ahead ? 7 - since || 7 : -since;
}

const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** `07:00`, `7am`, `7:30 pm` and `the evening`, as what has passed since midnight. */
export function parseTimeOfDay(typed: string): Milliseconds | undefined {
  const [, , at] =
    PARTS.get(
      typed
        .trim()
        .toLowerCase()
        .replace(/^(?:the|in the|at) /u, ""),
    ) ?? [];
  if (at !== undefined) return at * HOUR;
  const match = /^(\d{1,2})(?::([0-5]\d))?(?: ?([ap]m))?$/iu.exec(typed.trim());
  const [, hour, minute, half] = match ?? [];
  if (hour === undefined || (minute === undefined && half === undefined)) return undefined;
  if (half !== undefined && (Number(hour) < 1 || Number(hour) > 12)) return undefined;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === "pm" ? 12 : 0);
  return hours > 23 ? undefined : (hours * 60 + Number(minute ?? 0)) * 60_000;
}

function calendar(typed: string, now: Nanoseconds, ahead: boolean): Span | undefined {
  const numeric = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/u.exec(typed);
  if (numeric !== null) return dateSpan(numeric[1], numeric[2], numeric[3]);
  const quarter = /^(?:(\d{4})[- ])?q([1-4])(?: ?(?:of )?(\d{4}))?$/u.exec(typed);
  if (quarter !== null) return quarterSpan(Number(quarter[2]), quarter[1] ?? quarter[3], now, ahead);
  const plain = typed.replace(/^(?:the|last|next|this) /u, "").replace(/(?<=\d)(?:st|nd|rd|th)\b(?: of\b)?/u, "");
  const [, first, name, last, year] =
    /^(?:(\d{1,2})\.? )?([a-z]{3,9})\.?,?(?: (\d{1,2}),?)?(?: (\d{4}))?$/u.exec(plain) ?? [];
  if (name === undefined || (first !== undefined && last !== undefined)) return undefined;
  const inYear = (one: number): Span | undefined => dateSpan(String(one), monthNumber(name), first ?? last);
  if (year !== undefined) return inYear(Number(year));
  const present = new Date(toMillis(now)).getUTCFullYear();
  const years = ahead ? [present, present + 1] : [present, present - 1];
  return years.map(inYear).find((span) => span !== undefined && (ahead ? span.to > now : span.from <= now));
}

/** Without its year, the last one that has begun, or the next one. */
function quarterSpan(quarter: number, year: string | undefined, now: Nanoseconds, ahead: boolean): Span | undefined {
  const present = new Date(toMillis(now)).getUTCFullYear();
  const years = year === undefined ? [present + 1, present, present - 1] : [Number(year)];
  const spans = years.map((one) => between(Date.UTC(one, quarter * 3 - 3), Date.UTC(one, quarter * 3)));
  if (year !== undefined) return spans[0];
  return ahead ? spans.findLast(({ to }) => to > now) : spans.find(({ from }) => from <= now);
}

const MONTH_NAMES = "january february march april may june july august september october november december".split(" ");

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

function relative(typed: string, now: Nanoseconds, ahead: boolean): Span | undefined {
  const [, end, which = end === undefined ? "" : "this", unit = ""] =
    /^(end of (?:the )?)?(?:(last|previous|prior|past|this|current|next) )?(day|week|weekend|month|quarter|year)$/u.exec(
      typed.replace(/^the (?=end of |(?:\w+ )?weekend$)/u, ""),
    ) ?? [];
  const isPresent = which === "this" || which === "current" || (which === "" && unit === "weekend");
  if (unit === "" || (which === "" && !isPresent)) return undefined;
  const shift = isPresent ? 0 : which === "next" ? 1 : -1;
  const spanAt = (at: number): Span => between(startOf(unit, now, at), endOf(unit, now, at));
  // Before Saturday, the weekend that has been is that of last week.
  const span = spanAt(!ahead && isPresent && spanAt(0).from > now ? shift - 1 : shift);
  return end === undefined ? span : moment(span.to);
}

function endOf(unit: string, now: Nanoseconds, shift: number): Milliseconds {
  return startOf(unit === "weekend" ? "week" : unit, now, shift + 1);
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
    case "weekend":
      return startOf("week", now, shift) + 120 * HOUR;
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
