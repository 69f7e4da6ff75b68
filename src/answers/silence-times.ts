import type { Silence } from "../alerts/routing/silence.ts";
import type { OptionValues } from "../bot/option.ts";
import { UserError } from "../errors.ts";
import { formatDuration, type Milliseconds } from "../units/duration.ts";
import type { SILENCE_OPTIONS } from "./alert-options.ts";
import { parseEnd, parseMoment, parseSpan, parseZone } from "./alert-times.ts";

const DAY: Milliseconds = 86_400_000;
/** A silence that nobody remembers is worse than noise. */
const MAX_DURATION: Milliseconds = 30 * DAY;
const MAX_RECURRENCE: Milliseconds = 366 * DAY;
const PERIODS = { day: DAY, week: 7 * DAY } as const;
/** What was meant for now may come a little late. */
export const TIME_TOLERANCE: Milliseconds = 60_000;

export type SilenceValues = OptionValues<typeof SILENCE_OPTIONS> & { readonly network?: string | undefined };
/** When a silence holds. */
type SilenceTimes = Pick<Silence, "from" | "until" | "recurrence">;

/** From when to when, and how often again. Throws UserError where there is no end, or none in time. */
export function parseSilenceTimes(values: SilenceValues, now: Milliseconds): SilenceTimes {
  const zone = values.zone === undefined ? "UTC" : parseZone("zone", values.zone);
  const from = values.from === undefined ? now : parseMoment("from", values.from, now, zone);
  if (from < now - TIME_TOLERANCE) {
    throw new UserError("A silence cannot begin in the past.", {
      option: "from",
      remedy: "Leave from out for one that begins now.",
    });
  }
  const length = values.for === undefined ? undefined : parseSpan("for", values.for);
  const end = values.until === undefined ? undefined : parseEnd("until", values.until, now, zone);
  if (end !== undefined && end <= from) {
    throw new UserError("That silence would end before it begins.", { option: "until", remedy: "Give a later end." });
  }
  if (values.every !== undefined) return recurring(values.every === "week" ? "week" : "day", from, length, end, zone);
  if (length !== undefined && end !== undefined) {
    throw new UserError("for and until both say when it ends.", { option: "until", remedy: "Give only one of them." });
  }
  const until = end ?? (length === undefined ? undefined : from + length);
  if (until === undefined) {
    throw new UserError("A silence always has an end.", {
      option: "for",
      remedy: "Say how long, or until when:",
      suggestion: ["alerts silence", ...(values.what === undefined ? [] : [values.what]), "for:1h"].join(" "),
    });
  }
  if (until - from > MAX_DURATION) {
    throw new UserError(
      `${formatDuration(until - from)} is too long: a silence lasts ${formatDuration(MAX_DURATION)} at most.`,
      {
        option: values.for === undefined ? "until" : "for",
        remedy: "What nobody needs to hear for longer is better removed, or paused.",
      },
    );
  }
  return { from, until };
}

function recurring(
  every: "day" | "week",
  from: Milliseconds,
  length: Milliseconds | undefined,
  end: Milliseconds | undefined,
  zone: string,
): SilenceTimes {
  if (length === undefined) {
    throw new UserError("A silence that comes again needs to know how long it is each time.", {
      option: "for",
      remedy: "Add for, as in for:2h.",
    });
  }
  if (length >= PERIODS[every]) {
    throw new UserError(`${formatDuration(length)} is as long as a ${every}: it would never end.`, {
      option: "for",
      remedy: "Give a shorter time.",
    });
  }
  if (end === undefined || end - from > MAX_RECURRENCE) {
    throw new UserError("A silence that comes again always has an end, within a year.", {
      option: "until",
      remedy: "Say until when it comes again, as in until:2026-12-31.",
    });
  }
  return { from, until: from + length, recurrence: { every, zone, until: end } };
}
