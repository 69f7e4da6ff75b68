import { ALERT_KINDS, isPersonalKind } from "../../../alerts/judge/kinds/kinds.ts";
import { isOpen } from "../../../alerts/judge/rules/episode.ts";
import { readReference } from "../../../alerts/message/message-group.ts";
import { didYouMean, nearest, quoteTyped } from "../../../bot/nearest.ts";
import {
  type Choice,
  type Options,
  plainChoices,
  type Said,
  type SuggestContext,
} from "../../../bot/options/options.ts";
import { saidRun } from "../../../bot/options/said.ts";
import { MAX_CHOICES } from "../../../bot/options/suggest-values.ts";
import { parseTypedDuration } from "../../../bot/options/time-span.ts";
import type { Ask } from "../../../reply/reply.ts";
import { ignoreUserError, passes, UserError } from "../../../errors.ts";
import { findKind, kindLabel, matchingKinds } from "../alert-kinds.ts";
import { suggested, TO_OPTION } from "../alert-options.ts";
import { findSubjects, saidKinds, saidSubject, suggestSilencedSubjects } from "../alert-subjects.ts";
import { isSpan, parseMoment, parseSpan, suggestSpans, ZONE_OPTION } from "../alert-times.ts";
import { findEpisodes, suggestEpisodes, suggestOpenEpisodes } from "../episodes/episodes.ts";
import { formatDuration, formatSpan, parseDuration } from "../../../units/time.ts";
import { isEverything, suggestSilences } from "./silences.ts";

/** `night`, which is 8 hours, with or without its article. */
export function isNight(typed: string): boolean {
  return /^(?:a |the )?night$/iu.test(typed.trim());
}

/** `tonight` and `overnight`: the error for them suggests `night`. */
export function isTonight(typed: string): boolean {
  return /^(?:tonight|overnight)$/iu.test(typed.trim());
}

/** Whether the value of `what` is a duration: everything is then silenced for so long. */
export function isLength(typed: string): boolean {
  return isSpan(typed) || isNight(typed) || isTonight(typed);
}

/** Completion for silences: open episodes, nodes, kinds, and last everything. */
async function suggestSilenceable(typed: string, context: SuggestContext): Promise<readonly Choice[]> {
  const begins = (word: string): boolean => word.toLowerCase().startsWith(typed.trim().toLowerCase());
  const all = ["all", "everything"].some(begins) ? [{ label: "everything", value: "all" }] : [];
  const nodes = context.api.nodes.filter(({ name }) => begins(name));
  const others = [
    ...(await suggestOpenEpisodes(typed, context)),
    ...nodes.map(({ name }) => ({ label: `node ${name}`, value: name })),
    ...matchingKinds(typed),
  ];
  return [...others.slice(0, MAX_CHOICES - all.length), ...all];
}

/** All, a kind, an episode, a node, a market, or how long everything is silenced. */
async function takesSilenceable(typed: string, context: SuggestContext): Promise<boolean> {
  if (isEverything(typed) || isLength(typed) || findKind(typed) !== undefined) return true;
  const found = await Promise.all([
    suggestEpisodes(typed, context),
    suggestSilencedSubjects(typed, { ...context, options: {} }),
  ]);
  return found.flat().length > 0;
}

const SILENCEABLE = ALERT_KINDS.filter((kind) => !isPersonalKind(kind));

/** The mistake of a word that is nothing to silence; `isAlone`: nothing says for how long; `said`: the node of a sentence. */
export function notSilenceable(what: string, isAlone = false, said?: Said): UserError {
  const near = nearest(what, SILENCEABLE);
  const mistake = `${quoteTyped(what)} is no episode, kind, market or node.`;
  if (said !== undefined) return new UserError(mistake, { option: "what", ...didYouMean(what, said.value) });
  const known = near === undefined ? "All kinds are listed by help alerts add." : `Did you mean ${near}?`;
  const all = "Say what, or all, then for how long, or until when. Everything for a night is:";
  const isBare = near === undefined && isAlone;
  return new UserError(mistake, {
    option: "what",
    remedy: isBare ? all : `${known} Open alerts are listed by:`,
    suggestion: isBare ? "alerts silence all night" : "alerts status",
  });
}

/** @throws UserError for what is none of them. */
async function findSilenceable(_option: string, typed: string, context: SuggestContext): Promise<void> {
  if (!(await takesSilenceable(typed, context))) throw notSilenceable(typed);
}

/** What a question says of it: everything, a kind, a node, a market. */
async function saidSilenceable(words: readonly string[], context: SuggestContext): Promise<Said | undefined> {
  // Of “all alerts of node 2” the node is meant.
  return (await saidKind(words, context)) ?? (await saidSubject(words, context)) ?? saidRun(words, isEverything);
}

/** The one kind that is said; beside “everything”, it is the reason. */
async function saidKind(words: readonly string[], context: SuggestContext): Promise<Said | undefined> {
  const said = words.includes("everything") ? undefined : await saidKinds(words, context);
  return said?.value.includes(",") === true ? undefined : said;
}

/** `resolved`, in place of an end: until the alert is over. */
export function isResolved(typed: string | undefined): boolean {
  return /^resolved$/iu.test(typed?.trim() ?? "");
}

const RESOLVED: Choice = { label: "resolved: 10 min after it is over", value: "resolved" };
/** Usual ends: of the night, of the working day, of today. */
const ENDS = plainChoices(["07:00", "18:00", "tomorrow", "tomorrow 07:00"]);

/** Completion of an end: `resolved` where an open episode is silenced, then usual ends. */
async function suggestEnds(typed: string, context: SuggestContext): Promise<readonly Choice[]> {
  const low = typed.trim().toLowerCase();
  const ends = [...((await namesOpenEpisode(context)) ? [RESOLVED] : []), ...ENDS];
  return ends.filter(({ value }) => value.startsWith(low));
}

/** Whether `what` names an open episode; a single word is rather a kind, a market or a node. */
async function namesOpenEpisode({ alerts, options: { what } }: SuggestContext): Promise<boolean> {
  if (typeof what !== "string") return false;
  const isNamed = readReference(what) !== undefined || /[\s|]/u.test(what.trim());
  const named = isNamed ? await findEpisodes(alerts, what).catch(ignoreUserError) : undefined;
  return named?.some(isOpen) === true;
}

/** Any zone and any moment do: only the words are read. */
const readMoment = (option: string, typed: string): unknown =>
  parseMoment(option === "until" ? "until" : "from", typed, 0);
const takesMoment = (typed: string): boolean => passes(() => readMoment("from", typed));

/** A day or a part of it, which begins a silence. */
const DAY_AHEAD =
  /^(?:(?:today|tomorrow|(?:next )?\p{L}{3,6}day|(?:this|the) (?:morning|afternoon|evening))(?: |$)|next week(?:end)?$)/u;

/** The ends of times that a silence fills from now on. */
const ENDS_OF = new Map([
  ["night", "07:00"],
  ["a night", "07:00"],
  ["tonight", "07:00"],
  ["overnight", "07:00"],
  ["weekend", "end of weekend"],
  ["today", "tomorrow"],
  ["day", "tomorrow"],
  ["week", "end of week"],
  ["next week", "end of next week"],
  ["next weekend", "end of next weekend"],
]);

const ANY_LEAD = /^(?:over |during |for )?(?:(?:the|this|rest of) )*(?:(?:tomorrow|\p{L}{3,6}day) (?=night$))?/u;

/** `tonight`, `tomorrow night`, `for the weekend`, `the rest of the day`: until that is over, where nothing says for how long. */
function saidEnd(words: readonly string[]): Said | undefined {
  const isOther = words.some((word, at) => word === "last" && ENDS_OF.has(words[at + 1] ?? ""));
  if (isOther || saidRun(words, isSpan) !== undefined) return undefined;
  const bare = (typed: string): string => typed.replace(ANY_LEAD, "");
  const said = saidRun(words, (typed) => ENDS_OF.has(bare(typed)));
  // What is ahead is explained by its beginning.
  return said && { value: ENDS_OF.get(bare(said.value)) ?? "", words: DAY_AHEAD.test(said.value) ? [] : said.words };
}

const CAUSE = /^(?:maintenance|restart|reboot|upgrade|patch|patching|deploy|deployment|migration|repair|repairs)$/u;

/** Behind `because of`, `due to` or `reason` all until the next time; else a usual cause. */
function saidReason(words: readonly string[]): Said | undefined {
  const lead = words.findIndex((word) => /^(?:reason|because|due)$/u.test(word));
  const rest = lead === -1 ? [] : words.slice(lead + 1);
  const end = rest.findIndex((word) => /^(?:for|until|till|til|from)$/u.test(word));
  const told = rest.slice(0, end === -1 ? undefined : end);
  const value = told.join(" ").replace(/^(?:(?:is|of|to|we|a|an|the) )+/u, "");
  if (value !== "") return { value, words: [words[lead] ?? "", ...told] };
  const cause = words.find((word) => CAUSE.test(word));
  return cause === undefined ? undefined : { value: cause, words: [cause] };
}

/** A heading of the form. */
const LATER = "Start, end, repeat";

export const SILENCE_OPTIONS = {
  what: {
    kind: "text",
    question: "Silence what?",
    narrows: true,
    hint: "An alert, kind, market or node; empty: all",
    description: "An alert, a kind, a market or a node; all = everything",
    example: "node.down",
    shows: kindLabel,
    maxLength: 400,
    decides: true,
    rest: (typed) => isLength(typed) || isResolved(typed) || takesMoment(typed),
    usual: true,
    suggest: suggestSilenceable,
    said: saidSilenceable,
    takes: takesSilenceable,
    finds: findSilenceable,
  },
  for: {
    kind: "text",
    label: "For how long",
    question: "Silence for how long?",
    hint: "Or any other, as in 90m",
    description: "How long, each time",
    example: "1h",
    shows: (typed) => (isSpan(typed) ? formatDuration(parseDuration(typed) ?? 0) : typed),
    usual: true,
    suggest: suggestSpans,
    said: (words) => {
      const said = saidRun(words, isSpan);
      return said && { ...said, value: formatSpan(parseTypedDuration(said.value) ?? 0) };
    },
    reads: (option, typed) => isLength(typed) || parseSpan(option, typed),
  },
  subject: {
    kind: "text",
    label: "Only this market or node",
    section: LATER,
    description: "Of that kind only this market or node",
    example: "BTC/USDT",
    suggest: suggestSilencedSubjects,
    said: async (words, context) =>
      (await saidKind(words, context)) === undefined ? undefined : saidSubject(words, context),
    finds: findSubjects,
  },
  from: {
    kind: "text",
    label: "Begins",
    section: LATER,
    hint: "22:00, in 2h, or a day and a time; empty: now",
    moment: true,
    reads: readMoment,
    said: (words) =>
      saidRun(words, takesMoment, /^(?:from|at|starting|beginning)$/u) ??
      saidRun(words, (typed) => typed !== "today" && DAY_AHEAD.test(typed) && takesMoment(typed)) ??
      // For so long of the night, and not all of it.
      (saidRun(words, isSpan) && saidRun(words, (typed) => typed === "tonight")),
    description: "When it begins: 22:00, in 2h, 2026-05-01T22:00; left out = now",
    example: "22:00",
  },
  every: {
    kind: "choice",
    label: "Repeats every",
    section: LATER,
    description: "The same again every day or week: a maintenance window",
    choices: plainChoices(["day", "week"]),
  },
  zone: {
    ...ZONE_OPTION,
    label: "Time zone",
    section: LATER,
    hint: "That of these times",
    description: "The time zone of these times; left out = yours",
  },
  until: {
    kind: "text",
    label: "Ends",
    section: LATER,
    hint: "07:00, in 90m, tomorrow, a day; resolved: once it is over. Of what repeats: its last end",
    moment: true,
    suggest: suggestEnds,
    said: (words) => saidRun(words, takesMoment, /^(?:until|till|til)$/u) ?? saidEnd(words),
    reads: (option, typed) => isResolved(typed) || readMoment(option, typed),
    takes: (typed, context) => (isResolved(typed) ? namesOpenEpisode(context) : takesMoment(typed)),
    description: "When it ends: tomorrow = 00:00; a date = its end; with every: its last end; resolved = once over",
    example: "2026-05-31",
  },
  reason: { kind: "text", hint: "", description: "Why", example: "maintenance", said: saidReason, asWritten: true },
  to: TO_OPTION,
} as const satisfies Options;

/** Whether nothing says when a silence ends. */
export function lacksEnd({ what, for: length, until }: Ask["options"]): boolean {
  return length === undefined && until === undefined && !isLength(String(what ?? ""));
}

/** The options that a form of a silence has, the most needed first: of an alert, a market or a node there is no part. */
export function silenceFields({ what }: Ask["options"]): readonly string[] {
  const typed = String(what ?? "all");
  const part = isEverything(typed) || findKind(typed) !== undefined ? ["subject"] : [];
  // What is silenced may be a market or a node itself.
  const needed = findKind(typed) === undefined ? ["from", ...part] : [...part, "from"];
  const first = ["what", "for", "until", "reason", ...needed];
  return [...first, ...Object.keys(SILENCE_OPTIONS).filter((name) => name !== "subject" && !first.includes(name))];
}

export const SILENCE_OPTION = {
  kind: "text",
  label: "Silence",
  hint: "By its id, or by what it keeps back",
  required: true,
  description: "Its id, or what it keeps back: all, a kind, a market or a node",
  example: "4hd9x",
  closed: true,
  said: saidSilenceable,
  suggest: suggestSilences,
  takes: suggested(suggestSilences),
} as const;
