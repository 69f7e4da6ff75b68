import { isTimeZone, localMillis, localText } from "../../units/local-time.ts";
import { didYouMean, nearest, quoteTyped } from "../../bot/nearest.ts";
import { type Choice, plainChoices, type Said } from "../../bot/options/options.ts";
import { refuseTime } from "../../bot/options/parse-options.ts";
import { saidRun } from "../../bot/options/said.ts";
import { MAX_CHOICES } from "../../bot/options/suggest-values.ts";
import { LAST_NIGHT, parseTimeOfDay, parseTimeSpan, parseTypedDuration } from "../../bot/options/time-span.ts";
import { passes, UserError } from "../../errors.ts";
import { DAY, fromMillis, type Milliseconds, type Stretch, toMillis } from "../../units/time.ts";
import { clockTime, type Inline, text, type Text } from "../../reply/text.ts";

/** `90s`, `2m`, `1 hour` in milliseconds, 1 or more. Throws UserError for anything else. */
export function parseSpan(option: string, typed: string): Milliseconds {
  const millis = spanOf(typed);
  if (millis !== undefined) return millis;
  const tooShort = parseTypedDuration(typed) !== undefined;
  const bare = /^\d+$/u.test(typed.trim()) ? ` Is it ${typed.trim()}m or ${typed.trim()}h?` : "";
  const wrong = `${tooShort ? "cannot be" : "is a span of time, not"} ${quoteTyped(typed)}`;
  throw new UserError((named) => `${named(option)} ${wrong}.`, {
    option,
    remedy: `Write it with its unit, as in 30s, 5m, 1h30m or 2d.${bare}`,
  });
}

/** Whether the typed words are a duration. */
export function isSpan(typed: string): boolean {
  return spanOf(typed) !== undefined;
}

function spanOf(typed: string): Milliseconds | undefined {
  const millis = parseTypedDuration(typed);
  return millis !== undefined && millis >= 1 ? millis : undefined;
}

/** A time zone by its name in the tz database, case ignored. Throws UserError with the nearest match. */
export function parseZone(option: string, typed: string): string {
  const wanted = typed.trim().replaceAll(/\s+/gu, "_");
  const low = wanted.toLowerCase();
  const zones = timeZones();
  const known =
    zones.find((zone) => zone.toLowerCase() === low) ??
    (/^[A-Za-z_]+(?:\/[\w+-]+)*$/u.test(wanted) && isTimeZone(wanted) ? wanted : undefined);
  if (known !== undefined) return known;
  // Most people type only their city.
  const cities = new Map(zones.map((zone) => [(zone.split("/").at(-1) ?? zone).toLowerCase(), zone]));
  const city = cities.get(low) ?? cities.get(nearest(low, cities.keys()) ?? "");
  const near = nearest(wanted, zones) ?? city;
  throw new UserError(`${quoteTyped(typed)} is no time zone.`, {
    option,
    ...didYouMean(typed, near, "Zones are named as in Europe/Berlin, America/New_York or UTC."),
  });
}

function timeZones(): readonly string[] {
  return ["UTC", ...Intl.supportedValuesOf("timeZone")];
}

/** The caller's time zone; UTC where this machine does not know it. */
export async function callerZone(context: { zone(): Promise<string> }): Promise<string> {
  const zone = await context.zone();
  return isTimeZone(zone) ? zone : "UTC";
}

/** Usual lengths of a silence: a restart, a shift, a night, a weekend. */
const SPANS = ["30m", "1h", "2h", "4h", "8h", "12h", "1d", "2d", "1w"];
const QUIET_HOURS = ["22:00-07:00", "23:00-06:00", "00:00-08:00", "18:00-09:00", "off"];

export const suggestPast = suggestFrom(["last night", "yesterday", "today", "18:00", "3h", "7d"]);
export const suggestSpans = suggestFrom(SPANS);
export const suggestQuietHours = suggestFrom(QUIET_HOURS);

/** Completion by the usual values; others may be typed, too. */
function suggestFrom(usual: readonly string[]): (typed: string) => Promise<readonly Choice[]> {
  return (typed) => {
    const low = typed.trim().toLowerCase();
    return Promise.resolve(plainChoices(usual.filter((one) => one.startsWith(low))));
  };
}

function suggestZones(typed: string): Promise<readonly Choice[]> {
  const low = typed.trim().toLowerCase().replaceAll(/\s+/gu, "_");
  const fits = timeZones().filter((zone) => zone.toLowerCase().includes(low));
  const first = fits.filter((zone) => zone.split("/").some((part) => part.toLowerCase().startsWith(low)));
  return Promise.resolve(plainChoices([...new Set([...first, ...fits])].slice(0, MAX_CHOICES)));
}

/** The zone of a city that words name: `New York`. */
export function saidZone(words: readonly string[]): Said | undefined {
  const zoneOf = (typed: string): string | undefined =>
    timeZones().find((zone) => zone.split("/").at(-1)?.toLowerCase() === typed.replaceAll(" ", "_"));
  const city = saidRun(words, (typed) => zoneOf(typed) !== undefined);
  return city && { ...city, value: zoneOf(city.value) ?? city.value };
}

/** A time zone, as an option. */
export const ZONE_OPTION = {
  kind: "text",
  example: "Europe/Berlin",
  suggest: suggestZones,
  reads: parseZone,
} as const;

/**
 * A future moment in Unix milliseconds: `22:00` (its next occurrence), `in 2h`, `tomorrow 7am`, `friday evening`, a date or
 * a date and time. Read by the zone's clock, unless it names its own offset. Of `until`, a bare date includes that day, and
 * a month that month; `tomorrow` is the end of today, and so for what else is named and has not begun.
 * @throws UserError for anything else.
 */
export function parseMoment(option: "from" | "until", typed: string, now: Milliseconds, zone = "UTC"): Milliseconds {
  const compact = typed.trim().toLowerCase().replaceAll(/\s+/gu, " ");
  if (compact === "now") return now;
  const daily = parseTimeOfDay(compact);
  if (daily !== undefined) return nextAt(zone, now, daily);
  const ahead = spanOf(compact.replace(/^in /u, ""));
  if (ahead !== undefined) return now + ahead;
  // Days begin and end by the zone's clock.
  const span = /\bago$/u.test(compact) ? undefined : spanIn(zone, compact, now, true);
  if (span === undefined)
    refuseTime(option, typed, "Write 22:00, in 2h, tomorrow 07:00, or a date and time as in 2026-05-01T12:30.");
  const isNamed = span.from > now && !/^\d|\d{4}/u.test(compact);
  return span[option === "from" || isNamed ? "from" : "to"];
}

/** The next moment at which a zone's clock shows a time of day, or so many days later. */
function nextAt(zone: string, now: Milliseconds, daily: Milliseconds, days = 0): Milliseconds {
  const local = localMillis(zone, now);
  const today = local - (((local % DAY) + DAY) % DAY) + daily;
  return utcOf(zone, (today > local ? today : today + DAY) + days * DAY);
}

type RangeOption = "when" | "since" | "until";

/** A time as people type it, by a zone's clock unless it names its own offset. */
function spanIn(zone: string, compact: string, now: Milliseconds, ahead = false): Stretch | undefined {
  const span = parseTimeSpan(compact, fromMillis(localMillis(zone, now)), ahead);
  if (span === undefined) return undefined;
  const absolute = /(?:z|utc|[+-]\d{2}:?\d{2})$/u.test(compact) || /^\d{10,19}$/u.test(compact);
  const [from, to] = [span.from, span.to].map(toMillis).map((at) => (absolute ? at : utcAt(at))) as [number, number];
  return { from, to };

  /** Where the clock shows a time twice, now is now. */
  function utcAt(local: Milliseconds): Milliseconds {
    return local === localMillis(zone, now) ? now : utcOf(zone, local);
  }
}

/** What was meant by words about the past: a day, a night, or a moment such as `22:00` (its last occurrence) and `3h`. */
function parsePast(typed: string, now: Milliseconds, zone: string): Stretch | undefined {
  const compact = typed.trim().toLowerCase().replaceAll(/\s+/gu, " ");
  const isSpan = parseTypedDuration(compact.replace(/^(?:last|past) (?=\d)/u, "").replace(/ ago$/u, "")) !== undefined;
  // From this evening on; before it begins, the night that was or still runs.
  const evening = compact === "tonight" ? spanIn(zone, "this evening", now) : undefined;
  const usual = evening === undefined ? compact : evening.from < now ? "this evening" : LAST_NIGHT;
  const span = spanIn(isSpan ? "UTC" : zone, usual, now);
  const daily = span === undefined ? parseTimeOfDay(compact) : undefined;
  if (daily === undefined) return span;
  // What begins now has no past yet.
  const at = nextAt(zone, now - 1, daily, -1);
  return { from: at, to: at };
}

/**
 * The range of `since` and `until`, and of words that name one. A day as `until` is part of it. Undefined where none is
 * given.
 * @throws UserError for words that are no time, for two beginnings, and for an end that is not behind the beginning.
 */
export function parsePastRange(
  given: Readonly<Partial<Record<RangeOption, string | undefined>>>,
  now: Milliseconds,
  zone: string,
): Stretch | undefined {
  // “Yesterday since 1am until 5am”: times of that day.
  const ofDay = (time = ""): string | undefined => {
    const both = `${given.when} ${time}`;
    return time !== "" && parsePast(both, now, zone) !== undefined ? both : undefined;
  };
  const begins = ofDay(given.since);
  if (begins !== undefined)
    return parsePastRange({ since: begins, until: ofDay(given.until) ?? given.until }, now, zone);
  if (given.when !== undefined && given.since !== undefined) {
    const when = quoteTyped(given.when);
    throw new UserError((named) => `${when} and ${named("since")} name two beginnings.`, {
      option: "since",
      remedy: "Leave one of the two out.",
    });
  }
  const [when, since, until] = (["when", "since", "until"] as const).map((option) => {
    const typed = given[option];
    const remedy = "Write last night, yesterday, 18:00, 3h, or a date and time as in 2026-05-01T12:30.";
    return typed === undefined ? undefined : (parsePast(typed, now, zone) ?? refuseTime(option, typed, remedy));
  });
  const start = since ?? when;
  const end = until ?? start;
  if (end === undefined) return undefined;
  // No clock shows what is further back.
  const from = Math.max(start?.from ?? 0, 0);
  // A time of day that ends it is the next one; what begins at a moment goes on until now, a day ends.
  const daily = end.to > from ? undefined : parseTimeOfDay(given.until?.trim().toLowerCase() ?? "");
  const isOpen = until === undefined && (since !== undefined || end.to === end.from);
  const to = Math.min(isOpen ? now : daily === undefined ? end.to : nextAt(zone, from, daily), now);
  if (from < to) return { from, to };
  throw new UserError("The end is not behind the beginning.", {
    option: until === undefined ? "since" : "until",
    remedy: "Give an earlier beginning, or a later end; only the past is kept.",
  });
}

/** Whether words name a time that is past, at any moment. */
export function isPast(typed: string): boolean {
  return parsePast(typed, LATE, "UTC") !== undefined && passes(() => parsePastRange({ when: typed }, LATE, "UTC"));
}

/** The end of a day behind all that is kept. */
const LATE: Milliseconds = Date.UTC(2200, 0, 1, 23, 59);

const RANGE_WORDS = new Map<string, RangeOption>([
  ["since", "since"],
  ["from", "since"],
  ["between", "since"],
  ["until", "until"],
  ["to", "until"],
  ["on", "when"],
]);

/** The times that words of a text name, such as `sent last night` or `since 18:00 until 19:00`, and its other words. */
export function splitPast(typed: string, now: Milliseconds, zone: string) {
  const words = typed.trim().split(/\s+/u);
  const given: Partial<Record<RangeOption, string>> = {};
  const others: string[] = [];
  for (let at = 0; at < words.length;) {
    const option = RANGE_WORDS.get((words[at] ?? "").toLowerCase());
    const start = option === undefined ? at : at + 1;
    const phrases = words.slice(start).map((_, index) => words.slice(start, words.length - index));
    const phrase = phrases.find((some) => {
      const part = some.join(" ");
      // Digits alone are an id, and a span beside other words is a part of them: `after 11 s`.
      const isText = /^\d+$/u.test(part) || (some.length < words.length && parseTypedDuration(part) !== undefined);
      return (option !== undefined || !isText) && parsePast(part, now, zone) !== undefined;
    });
    if (phrase === undefined) others.push(words[at] ?? "");
    else given[option ?? "when"] = phrase.join(" ");
    at = phrase === undefined ? at + 1 : start + phrase.length;
  }
  return { text: others.join(" "), given };
}

/** `since 2026-05-01 18:00 (Europe/Zurich)`, up to now; else both ends. */
export function pastRangeWords({ from, to }: Stretch, now: Milliseconds, zone: string): string {
  const [start, end] = [from, to].map((at) => localText(zone, at));
  const words = from === 0 ? `until ${end}` : to < now ? `from ${start} to ${end}` : `since ${start}`;
  return `${words} (${zone})`;
}

/** The same by the reader's clock, where the zone is none that somebody chose; a zone is named. */
export function pastRangeText(range: Stretch, now: Milliseconds, zone: string): Text {
  if (zone !== "UTC") return text`${pastRangeWords(range, now, zone)}`;
  // Seconds would say nothing of a longer time.
  const length = range.to - range.from < 600_000 ? 19 : 16;
  const clock = (at: Milliseconds, name = ""): Inline =>
    clockTime(fromMillis(at), `${localText(zone, at, length)}${name}`);
  if (range.from === 0) return text`until ${clock(range.to, " UTC")}`;
  if (range.to >= now) return text`since ${clock(range.from, " UTC")}`;
  return text`from ${clock(range.from)} to ${clock(range.to, " UTC")}`;
}

/** The moment at which a zone's clock shows a local time, given as if it were UTC. A time in a gap becomes one behind it. */
function utcOf(zone: string, local: Milliseconds): Milliseconds {
  const guess = local - (localMillis(zone, local) - local);
  // The offset may differ from the first guess: summer time begins or ends in between.
  const found = local - (localMillis(zone, guess) - guess);
  return localMillis(zone, found) === local ? found : Math.max(guess, found);
}

/** `22:00-07:00` as two times of day. Throws UserError for anything else. */
export function parseQuietHours(typed: string): { from: string; to: string } {
  const match = /^([01]?\d|2[0-3])(?::([0-5]\d))?\s*(?:-|–|—|to)\s*([01]?\d|2[0-3])(?::([0-5]\d))?$/u.exec(
    typed.trim().toLowerCase(),
  );
  const time = (hour: string | undefined, minute = "00"): string => `${(hour ?? "").padStart(2, "0")}:${minute}`;
  const [from, to] = [time(match?.[1], match?.[2]), time(match?.[3], match?.[4])];
  if (match === null || from === to) {
    throw new UserError((named) => `${named("quiet")} is from when to when, not ${quoteTyped(typed)}.`, {
      option: "quiet",
      remedy: "Write quiet hours as 22:00-07:00, or off for none.",
    });
  }
  return { from, to };
}

/** The option `quiet` for quiet hours that were given by a silence's options; undefined for other options. */
export function quietOptionFor({ from, until, for: length }: Readonly<Record<string, string>>): string | undefined {
  if (from === undefined && until === undefined) return undefined;
  return length === undefined ? `quiet:${from ?? "22:00"}-${until ?? "07:00"}` : undefined;
}
