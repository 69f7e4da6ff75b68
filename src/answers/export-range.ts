import type { Option, TimeSpan } from "../bot/options/options.ts";
import { parseTimeSpan } from "../bot/options/time-span.ts";
import { UserError } from "../errors.ts";
import { text, type Text, time } from "../reply/text.ts";
import { formatUtc, fromSeconds, nanoseconds, type Nanoseconds, toSeconds } from "../units/time.ts";

const DAY_NANOSECONDS = 86_400_000_000_000n;
/** The range requested of the node: half-open, in whole seconds, to which nodes truncate it anyway. */
export interface ExportRange {
  readonly from: Nanoseconds | undefined;
  readonly to: Nanoseconds;
}

/**
 * Without `to` a range is the day, month, year or other period that `from` names, up to now at most; from a moment on, it
 * ends now. The end is always requested, so that the
 * printed range is the requested one. `lineWith` is the caller's line with other ends, for a suggestion.
 * @throws UserError for a range that is empty, backwards or in the future.
 */
export function exportRange(
  from: TimeSpan | undefined,
  to: TimeSpan | undefined,
  now: Nanoseconds,
  lineWith: (from: string, to: string) => string,
): ExportRange {
  refuseFuture(from, to, now);
  const isPeriodOver = from !== undefined && from.to > from.from && from.to <= now;
  const end = to ?? (isPeriodOver ? from : undefined);
  const range = {
    from: from === undefined ? undefined : wholeSeconds(from.from),
    to: wholeSeconds(end?.to ?? now),
  };
  refuseBefore1970(range);
  if (from !== undefined && end === undefined && range.from === range.to) {
    throw new UserError((named) => `${named("from")} is now, ${formatUtc(range.to)}: nothing lies behind it yet.`, {
      option: "from",
      remedy: "Give an earlier time.",
    });
  }
  const { from: start } = range;
  if (from !== undefined && to !== undefined && start !== undefined) {
    if (start > range.to) {
      throw new UserError(
        (named) => `${named("to")} (${formatUtc(range.to)}) is earlier than ${named("from")} (${formatUtc(start)}).`,
        {
          option: "to",
          remedy: "Did you mean them the other way round?",
          suggestion: lineWith(to.typed, from.typed),
        },
      );
    }
    if (start === range.to) {
      throw new UserError(
        (named) =>
          `${named("from")} and ${named("to")} are the same moment, ${formatUtc(start)}: nothing lies between them.`,
        {
          option: "to",
          remedy: (named) => `Give a date as ${named("to")}, which includes that whole day, or a later time.`,
        },
      );
    }
  }
  return range;
}

/** A value as it is repeated to whoever said it: a named time with its dates. */
export function valueWords(option: Option | undefined, value: string, now: Nanoseconds): string {
  if (option?.kind === "time") return datedWords(value, now);
  return (option?.kind === "text" ? option.shows?.(value) : undefined) ?? value;
}

/** A named time with its dates, the last one included: `last week (2026-01-05 to 2026-01-11)`. Others as they were typed. */
function datedWords(typed: string, now: Nanoseconds): string {
  const span = parseTimeSpan(typed, now);
  if (span === undefined || /^(?:\d{4}\b|now$)/u.test(typed)) return typed;
  const last = span.to > span.from ? nanoseconds(span.to - 1n) : span.to;
  const isWhole = [span.from, span.to].every((at) => at % DAY_NANOSECONDS === 0n) && last !== span.to;
  const [start, end] = [span.from, isWhole ? last : span.to].map((at) => formatUtc(at).slice(0, isWhole ? 10 : 16));
  return `${typed} (${start === end ? start : `${start} to ${end}`}${isWhole ? "" : " UTC"})`;
}

function refuseFuture(from: TimeSpan | undefined, to: TimeSpan | undefined, now: Nanoseconds): void {
  if (from !== undefined && from.from > now) {
    throw new UserError((named) => `${named("from")} lies in the future: ${formatUtc(from.from)}.`, {
      option: "from",
      remedy: `Now it is ${formatUtc(now)}; give an earlier time.`,
    });
  }
  if (to !== undefined && to.from > now && to.from !== to.to) {
    throw new UserError((named) => `${named("to")} lies in the future: ${formatUtc(to.from)}.`, {
      option: "to",
      remedy: (named) => `Now it is ${formatUtc(now)}; write ${named("to", "now")} for everything until now.`,
    });
  }
}

function refuseBefore1970(range: ExportRange): void {
  if (range.from !== undefined && range.from < 0n) {
    throw new UserError((named) => `${named("from")} lies before 1970, where no network was.`, {
      option: "from",
      remedy: (named) => `Give a later time, or leave ${named("from")} out for all there is.`,
    });
  }
  if (range.to <= 0n) {
    throw new UserError((named) => `${named("to")} lies before 1970, where no network was.`, {
      option: "to",
      remedy: "Give a later time.",
    });
  }
}

/** The exact half-open range, as requested of the node; whole days too by their moments, in the zone of all other times. */
export function rangeWords({ from, to }: ExportRange): Text {
  const start = from === undefined ? text`from the node's first entry` : text`from ${time(from)}`;
  return text`${start} until just before ${time(to)}`;
}

/**
 * The range as part of a file's name, with an unmistakable end: whole days by the first and the last of them
 * (`2023-05-01-through-2023-05-31`), else both ends with their times, the end exclusive
 * (`2023-05-01T063000Z-until-2023-05-02T000000Z`).
 */
export function rangeName({ from, to }: ExportRange): string {
  const wholeDays = isMidnight(to) && (from === undefined || isMidnight(from));
  if (!wholeDays) return `${from === undefined ? "start" : stamp(from)}-until-${stamp(to)}`;
  const lastDay = formatUtc(nanoseconds(to - DAY_NANOSECONDS)).slice(0, 10);
  if (from === undefined) return `start-through-${lastDay}`;
  const firstDay = formatUtc(from).slice(0, 10);
  return firstDay === lastDay ? firstDay : `${firstDay}-through-${lastDay}`;
}

/**
 * The range as few words as possible to type, the same whenever they are typed: a whole year, month or day by its name
 * (`from:2023-05`), whole days by the first and the last of them, else both ends by their times.
 */
export function rangeOptions({ from, to }: { readonly from?: Nanoseconds | undefined; readonly to: Nanoseconds }): {
  readonly from?: string;
  readonly to?: string;
} {
  if (from === undefined) return { to: exactTime(to) };
  if (!isMidnight(from) || !isMidnight(to)) return { from: exactTime(from), to: exactTime(to) };
  const dayOf = (at: Nanoseconds): string => formatUtc(at).slice(0, 10);
  const [first, last, end] = [dayOf(from), dayOf(nanoseconds(to - DAY_NANOSECONDS)), dayOf(to)];
  // The name of a year, a month, a day; the rest of it where it begins.
  for (const [length, start] of [
    [4, "-01-01"],
    [7, "-01"],
    [10, ""],
  ] as const) {
    const name = first.slice(0, length);
    if (first === `${name}${start}` && last.startsWith(name) && !end.startsWith(name)) return { from: name };
  }
  return { from: first, to: last };
}

/** `2023-05-01T06:30:00Z`, without seconds that are none. */
function exactTime(at: Nanoseconds): string {
  return `${formatUtc(at).slice(0, 19).replace(" ", "T").replace(/:00$/u, "")}Z`;
}

function isMidnight(at: Nanoseconds): boolean {
  return at % DAY_NANOSECONDS === 0n;
}

/** ISO 8601 without colons, which not every file system accepts. */
function stamp(at: Nanoseconds): string {
  return `${formatUtc(at).slice(0, 19).replace(" ", "T").replaceAll(":", "")}Z`;
}

function wholeSeconds(at: Nanoseconds): Nanoseconds {
  return fromSeconds(toSeconds(at));
}
