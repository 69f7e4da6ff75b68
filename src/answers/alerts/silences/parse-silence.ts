import { type Episode, episodeName, isOpen, isDrill } from "../../../alerts/judge/rules/episode.ts";
import type { Silence } from "../../../alerts/route/silence.ts";
import { happening } from "../../../alerts/words/condition-words.ts";
import { formatLine } from "../../../bot/grammar/grammar.ts";
import { plainWords } from "../../../bot/grammar/plain-words.ts";
import { quoteValue } from "../../../bot/grammar/tokens.ts";
import { quoteTyped } from "../../../bot/nearest.ts";
import type { OptionValues } from "../../../bot/options/options.ts";
import { parseTimeOfDay, parseTypedDuration } from "../../../bot/options/time-span.ts";
import { ignoreUserError, type OptionNames, passes, UserError } from "../../../errors.ts";
import { type Block, paragraph } from "../../../reply/block.ts";
import { givenOptions } from "../../../reply/reply.ts";
import { text } from "../../../reply/text.ts";
import { DAY, formatDuration, formatSpan, HOUR, type Milliseconds, MINUTE } from "../../../units/time.ts";
import { MARKET } from "../../ids/ids.ts";
import { resolveId } from "../../ids/typed-ids.ts";
import { findKind } from "../alert-kinds.ts";
import { findNode, resolveSubjects, saidNode, subjectLabels } from "../alert-subjects.ts";
import { callerZone, parseMoment, parseSpan, parseZone } from "../alert-times.ts";
import type { AlertCommandContext } from "../alerts.ts";
import { episodeLabel, exactEpisode, findEpisode, findEpisodes, worstFirst } from "../episodes/episodes.ts";
import { isNight, isResolved, isTonight, notSilenceable, type SILENCE_OPTIONS } from "./silence-options.ts";
import { isEverything } from "./silences.ts";
import { readReference } from "../../../alerts/message/message-group.ts";

/** The scope of a silence, with the name of its subject and notes for the reply. */
interface SilenceScope {
  readonly scope: Omit<Silence["scope"], "destination">;
  readonly label?: string | undefined;
  readonly notes: readonly Block[];
  /** The episodes that were named. */
  readonly episodes?: readonly [Episode, ...Episode[]];
  /** The episode that was named, where it is over. */
  readonly ended?: Episode;
}

/** The scope that was typed: an episode's kind and subject, a kind, a subject, or all. */
export async function parseSilenceScope(context: AlertCommandContext, values: SilenceValues): Promise<SilenceScope> {
  const { network, what } = values;
  const where = network === undefined ? {} : { network };
  if (what === undefined || isEverything(what)) {
    const subject = values.subject === undefined ? undefined : await resolveNodeOrMarket(context, values.subject);
    return { scope: { ...where, ...subject?.scope }, label: subject?.label, notes: [] };
  }
  const kind = findKind(what);
  if (kind !== undefined) {
    if (values.subject === undefined) return { scope: { ...where, kind }, notes: [] };
    const [subject = ""] = await resolveSubjects([kind], values.subject, context, "subject");
    const { [subject]: label } = await subjectLabels([{ kinds: [kind], ids: [subject] }], context);
    return { scope: { network: context.network, kind, subject }, label, notes: [] };
  }
  if (readReference(what) !== undefined) return groupScope(await findEpisodes(context.alerts, what));
  const exact = await exactEpisode(context.alerts, what);
  const isId = exact !== undefined || what.includes("|");
  // A word that is no node and no market may still be an episode.
  const named = isId ? undefined : await resolveNodeOrMarket(context, what).catch(ignoreUserError);
  if (named !== undefined) return { ...named, scope: { ...where, ...named.scope }, notes: [] };
  const found = exact === undefined ? findEpisode(context.alerts, what, network) : Promise.resolve(exact);
  const episode = await found.catch((error: unknown) => {
    if (!(error instanceof UserError) || !error.message.startsWith("No episode")) throw error;
    throw notSilenceable(
      what,
      values.for === undefined && values.until === undefined,
      saidNode(plainWords(what), context),
    );
  });
  // An id comes from a button, which may be pressed late; other words are typed on purpose.
  const isMeant = isId || what === episodeName(episode.id) || isResolved(values.until);
  // A drill lasts a second: its Silence is tried all the same.
  const ended = isMeant && !isOpen(episode) && !isDrill(episode) ? { ended: episode } : {};
  return {
    ...ended,
    episodes: [episode],
    scope: { network: episode.network, kind: episode.kind, subject: episode.subject },
    label: episodeLabel(episode),
    notes: [paragraph(text`Firing now: ${happening(episode)}`)].filter(() => episode.state === "firing"),
  };
}

/** The scope of several episodes that one message named: the kind of the first, the subjects of all. */
function groupScope(named: readonly [Episode, ...Episode[]]): SilenceScope {
  const [episode] = named;
  const { kind, network } = episode;
  const open = named.filter(isOpen);
  const subjects = [...new Set(named.map(({ subject }) => subject))];
  return {
    scope: { network, kind, subjects },
    notes: [paragraph(`Of the ${subjects.length}, ${open.length} are firing now.`)],
    episodes: named,
    ...(open.length === 0 ? { ended: episode } : {}),
  };
}

/** A data node by its name, else a market; with its network, since several may use the same name. */
async function resolveNodeOrMarket(
  context: AlertCommandContext,
  typed: string,
): Promise<{ scope: { network: string; subject: string }; label?: string | undefined }> {
  const node = findNode(typed, context.api);
  if (node !== undefined) return { scope: { network: context.network, subject: node } };
  const subject = await resolveId(MARKET, typed, context, "subject");
  const { [subject]: label } = await subjectLabels([{ kinds: ["market.state"], ids: [subject] }], context);
  return { scope: { network: context.network, subject }, label };
}

/**
 * The episodes at whose end a silence `until:resolved` ends.
 * @throws UserError where something else was named.
 */
export async function episodesToEnd(
  { alerts }: AlertCommandContext,
  values: SilenceValues,
  { episodes, scope }: SilenceScope,
): Promise<string[]> {
  if (episodes !== undefined) return episodes.map(({ id }) => id);
  const { kind, subject, network } = scope;
  const open = worstFirst(await alerts.openEpisodes(network)).filter(
    (one) => (kind ?? one.kind) === one.kind && (subject ?? one.subject) === one.subject,
  );
  const lines = open.map(({ id }) => lineWith({ ...values, what: episodeName(id), subject: undefined }, RESOLVED));
  const [line = "alerts status"] = lines;
  const remedies = ["Give an end, or see what is open:", "That alert is silenced by:"];
  const what = quoteTyped(values.what ?? "all");
  throw new UserError((named) => `${named("until", "resolved")} is for an open alert, and ${what} is not one.`, {
    option: "until",
    remedy: remedies[lines.length] ?? `Of the ${lines.length} that are open, the first is silenced by:`,
    suggestion: line,
  });
}

const endsTwice = (named: OptionNames): string => `${named("for")} and ${named("until")} both say when it ends.`;
const RESOLVED = { until: "resolved" };
/** How long a recurring silence goes on in a suggested line. */
const MONTH: Milliseconds = 30 * DAY;
/** The longest silence: a forgotten one hides alerts. */
const MAX_DURATION: Milliseconds = 30 * DAY;
const MAX_RECURRENCE: Milliseconds = 366 * DAY;
const PERIODS = { day: DAY, week: 7 * DAY } as const;
/** A start or end that differs by no more counts as the same. */
export const TIME_TOLERANCE: Milliseconds = 60_000;

export type SilenceValues = OptionValues<typeof SILENCE_OPTIONS> & { readonly network?: string | undefined };
/** When a silence is active. */
type SilenceTimes = Pick<Silence, "from" | "until" | "recurrence" | "zone">;

/** Times of the clock are those of the caller's, where no zone is named. */
export async function inCallersZone(
  context: { zone(): Promise<string> },
  values: SilenceValues,
): Promise<SilenceValues> {
  const { from, until, zone } = values;
  const isByClock = from !== undefined || (until !== undefined && !isResolved(until));
  if (!isByClock || zone !== undefined) return values;
  const own = await callerZone(context);
  return own === "UTC" ? values : { ...values, zone: own };
}

/**
 * Start, end and recurrence as typed; an end by the clock alone is the next such moment after the start.
 * Throws UserError without an end, and for one that is too far off, with a line that works.
 */
export function parseSilenceTimes(values: SilenceValues, now: Milliseconds): SilenceTimes {
  try {
    return readTimes(values, now);
  } catch (thrown) {
    // The mistake of a zone names the nearest zone already.
    if (!(thrown instanceof UserError) || thrown.suggestion !== undefined || thrown.option === "zone") throw thrown;
    throw thrown.offering(rightLine(values, thrown.option, now));
  }
}

/** The line without the time at fault where that works, else for an hour from the start given, else from now. */
function rightLine(values: SilenceValues, fault: string | undefined, now: Milliseconds): string {
  const { from, every, until } = values;
  const given = { from, for: values.for, every, until, ...(fault === undefined ? {} : { [fault]: undefined }) };
  const hour = { ...given, for: "1h", until: every === undefined ? undefined : given.until };
  const works = (times: typeof given): boolean => {
    let until = now;
    return passes(() => ({ until } = readTimes({ ...values, ...times }, now))) && until > now;
  };
  return lineWith(values, [given, hour].find(works) ?? { from: undefined, for: "1h" });
}

function readTimes(values: SilenceValues, now: Milliseconds): SilenceTimes {
  const zone = values.zone === undefined ? "UTC" : parseZone("zone", values.zone);
  const from = values.from === undefined ? now : parseMoment("from", values.from, now, zone);
  if (from < now - TIME_TOLERANCE) {
    throw new UserError("A silence cannot begin in the past.", {
      option: "from",
      remedy: (named) => `Leave ${named("from")} out for one that begins now.`,
    });
  }
  const length = values.for === undefined ? undefined : parseLength(values, values.for, now);
  if (isResolved(values.until)) return timesUntilOver(values, from, now);
  const end = values.until === undefined ? undefined : parseEnd(from, values.until, now, zone);
  if (end !== undefined && end <= from) {
    throw new UserError("That silence would end before it begins.", {
      option: "until",
      remedy: "Give a later end, or say for how long. For example:",
    });
  }
  if (values.every !== undefined) return recurring(values, from, length, end, zone);
  if (length !== undefined && end !== undefined) {
    throw new UserError(endsTwice, { option: "until", remedy: "Give only one of them." });
  }
  const until = end ?? (length === undefined ? undefined : from + length);
  if (until === undefined) {
    throw new UserError("Silence for how long?", {
      option: "for",
      asks: true,
      remedy: "Say how long, or until when. For example:",
      suggestion: lineWith(values, { for: "1h" }),
    });
  }
  if (until - from > MAX_DURATION) {
    throw new UserError(
      `${formatDuration(until - from)} is too long: a silence lasts ${formatDuration(MAX_DURATION)} at most.`,
      {
        option: values.for === undefined ? "until" : "for",
        remedy: "Remove or pause what nobody needs to hear for longer. The longest is:",
        suggestion: lineWith(values, { for: "30d" }),
      },
    );
  }
  return { from, until, ...(zone === "UTC" ? {} : { zone }) };
}

/** From now until an alert is over: the longest there is, until that is known. */
function timesUntilOver(values: SilenceValues, from: Milliseconds, now: Milliseconds): SilenceTimes {
  const { zone } = values;
  const fault = values.every === undefined ? (values.for === undefined ? undefined : "for") : "every";
  const wrong = fault ?? (from > now + TIME_TOLERANCE ? "from" : undefined);
  if (wrong !== undefined) {
    const mistake =
      wrong === "for"
        ? endsTwice
        : (named: OptionNames) =>
            `A silence until an alert is over begins now and comes once, without ${named(wrong)}.`;
    throw new UserError(mistake, { option: wrong, remedy: (named) => `Leave ${named(wrong)} out. For example:` });
  }
  return { from: now, until: now + MAX_DURATION, ...(zone === undefined ? {} : { zone: parseZone("zone", zone) }) };
}

const NIGHT: Milliseconds = 8 * HOUR;

/** A span as typed, or `night`. The error for a moment, and for `tonight`, suggests the right line. */
function parseLength(values: SilenceValues, typed: string, now: Milliseconds): Milliseconds {
  if (parseTypedDuration(typed) !== undefined) return parseSpan("for", typed);
  if (isNight(typed)) return NIGHT;
  const night = isTonight(typed);
  const isEnd = isResolved(typed) || (!night && passes(() => parseMoment("until", typed, now)));
  if (!night && !isEnd) return parseSpan("for", typed);
  throw new UserError((named) => `${named("for")} is a span of time, not ${quoteTyped(typed)}.`, {
    option: "for",
    remedy: (named) => (night ? "Until the morning it is:" : `Until then is ${named("until")}. For example:`),
    suggestion: lineWith(values, { until: night ? "07:00" : typed }),
  });
}

/** An end by its time of day alone is the next such moment after the start. */
function parseEnd(from: Milliseconds, typed: string, now: Milliseconds, zone: string): Milliseconds {
  return parseMoment("until", typed, parseTimeOfDay(typed) === undefined ? now : from, zone);
}

/** The line that was typed, with other values. */
export function lineWith(
  { what = "all", subject, from, zone, reason, to, network }: SilenceValues,
  put: Partial<Record<"from" | "for" | "every" | "until", string | undefined>>,
): string {
  const options = givenOptions({ subject, from, zone, reason, to, network, ...put });
  return formatLine({ command: `alerts silence ${quoteValue(what)}`, options });
}

function recurring(
  values: SilenceValues,
  from: Milliseconds,
  length: Milliseconds | undefined,
  end: Milliseconds | undefined,
  zone: string,
): SilenceTimes {
  const every = values.every === "week" ? "week" : "day";
  const period = PERIODS[every];
  // `from:22:00 until:07:00 every:day` means nine hours.
  const once = end !== undefined && end - from < period;
  const late = end === undefined || once || end - from > MAX_RECURRENCE;
  const until = late ? new Date(from + MONTH).toISOString().slice(0, 10) : values.until;
  const again = { from: values.from, every, until };
  if (length === undefined) {
    const meant = once ? formatSpan(Math.round((end - from) / MINUTE) * MINUTE) : undefined;
    throw new UserError("How long does it last each time?", {
      option: "for",
      remedy: (named) => `Say how long, and in ${named("until")} when it comes for the last time. For example:`,
      suggestion: lineWith(values, { ...again, for: meant ?? "2h" }),
    });
  }
  if (length >= period) {
    throw new UserError(`${formatDuration(length)} is as long as a ${every}: it would never end.`, {
      option: "for",
      remedy: "Give a shorter time.",
    });
  }
  if (end === undefined || end - from > MAX_RECURRENCE) {
    throw new UserError("A silence that comes again ends within a year.", {
      option: "until",
      remedy: "Say when it comes for the last time. For example:",
      suggestion: lineWith(values, { ...again, for: values.for ?? "2h" }),
    });
  }
  return { from, until: from + length, recurrence: { every, zone, until: end } };
}
