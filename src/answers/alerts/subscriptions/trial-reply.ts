import { type AlertKind, KINDS } from "../../../alerts/judge/kinds/kinds.ts";
import { type Advice, adviceOf } from "../../../alerts/trial/advice.ts";
import { kindNoun, type Labels, subscriptionWords } from "../../../alerts/words/subscription-words.ts";
import { listWords, capitalised } from "../../../reply/enum-words.ts";
import { type Block, type Field, facts, field, paragraph, table } from "../../../reply/block.ts";
import { type Action, type Ask, commandAction, reply, type Reply } from "../../../reply/reply.ts";
import { type Inline, joinText, strong, text, type Text, time } from "../../../reply/text.ts";
import { DAY, formatDuration, fromMillis, HOUR, type Milliseconds, MINUTE, type Stretch } from "../../../units/time.ts";
import { formatCount } from "../../../units/format-number.ts";
import {
  isAtNight,
  lengthOf,
  type OtherTried,
  type Tried,
  type TriedAnswer,
  type TriedEpisode,
  type TriedResult,
} from "./try-subscription.ts";

interface TrialWords {
  readonly labels: Labels;
  readonly zone: string;
  readonly now: Milliseconds;
  /** What was typed, for the button that does it: a new subscription, or a change of one. */
  readonly ask: Ask;
}

/** No watcher waits longer for its next look. */
const LATEST: Milliseconds = 2 * MINUTE;

/** What a subscription would have told. */
export function trialReply(tried: Tried, answer: TriedAnswer, others: readonly OtherTried[], words: TrialWords): Reply {
  const { seen } = answer;
  const [result, ...rest] = answer.results;
  const watched = watchedMillis(answer, result);
  const isTooShort = watched < DAY && !isLastDay(watched, result, words.now);
  const subscribe = commandAction(
    words.ask.command === "alerts add" ? "Subscribe" : "Save",
    words.ask.command,
    words.ask.options,
  );
  const what = paragraph(text`Tried: ${subscriptionWords(tried, words.labels)}.`);
  if (result === undefined || seen === undefined || isTooShort) {
    return reply({ title: tooShort(watched), blocks: [what], actions: [subscribe] });
  }
  if (result.uncounted.length === tried.kinds.length) {
    return reply({
      title: text`Nothing is kept by which ${listWords(result.uncounted)} could be tried`,
      blocks: [what],
      actions: [subscribe],
    });
  }
  const counted = rest.map((one, index) => ({ ...one, typed: others[index]?.typed ?? {} }));
  const advice = adviceOf(result, counted, watched / DAY);
  return reply({
    title: text`In ${spanWords(watched)} this would have told you ${countWords(result.told, words)}.`,
    blocks: [
      ...(advice === undefined ? [] : [paragraph(adviceWords(result, advice))]),
      what,
      ...facts(factsOf(result, answer)),
      ...kindLines(tried, result, words),
      ...(result.told.length === 0 ? [] : [episodesTable(result.told, words)]),
    ],
    actions: [subscribe, ...(advice === undefined ? [] : [adviceAction(advice.better.typed, words)])],
  });
}

type Better = Advice<TriedResult & Pick<OtherTried, "typed">>;

function adviceWords({ missed }: TriedResult, { reason, better }: Better): Text {
  const [other, times] = [strong(thresholdsTyped(better.typed)), timesWords(better.told.length)];
  const alerts = missed === 1 ? "an alert" : `${formatCount(missed)} alerts`;
  switch (reason) {
    case "missed":
      return text`It misses ${alerts} that somebody acknowledged. With ${other} it would have told you ${times} and missed none.`;
    case "never":
      return text`With ${other} it would have told you ${times}.`;
    case "often":
      return text`That is more than once a day. With ${other} it would have told you ${times}.`;
    case "short":
      return text`Most were over within 2 min. With ${other} it would have told you ${times}.`;
  }
}

/** Fills the form that subscribes. */
function adviceAction(typed: OtherTried["typed"], { ask }: TrialWords): Action {
  const invocation = { command: ask.command, options: { ...ask.options, ...typed } };
  return { label: `With ${thresholdsTyped(typed)}…`, invocation, effect: "reply", form: true };
}

function thresholdsTyped(typed: OtherTried["typed"]): string {
  return Object.entries(typed)
    .map(([option, value]) => (option === "if" ? value : `${option}:${value}`))
    .join(" ");
}

/** For how long somebody looked at what it is about: gaps are not counted as calm. */
export function watchedMillis(
  { seen, gaps }: TriedAnswer,
  result: Pick<TriedResult, "from"> | undefined,
): Milliseconds {
  if (seen === undefined || result === undefined) return 0;
  const { from } = result;
  const unseen = gaps.filter(({ to }) => to > from).map((gap) => ({ ...gap, from: Math.max(from, gap.from) }));
  return Math.max(0, seen.to - from - lengthOfAll(unseen));
}

function lengthOfAll(gaps: readonly Stretch[]): Milliseconds {
  return gaps.reduce((sum, { from, to }) => sum + to - from, 0);
}

function factsOf(result: TriedResult, { gaps, damaged, isCut, seen }: TriedAnswer): Field[] {
  const { keptBack, flapping, uncounted, later } = result;
  return [
    ...(gaps.length === 0 ? [] : [field("Not seen", gapWords(gaps))]),
    ...(uncounted.length === 0 ? [] : [field("Not counted", `${listWords(uncounted, " and ")}: no looks are kept`)]),
    ...(damaged === 0
      ? []
      : [field("Left out", damaged === 1 ? "One damaged row" : `${formatCount(damaged)} damaged rows`)]),
    ...(isCut && seen !== undefined ? [field("Counted", cutWords(seen))] : []),
    ...(keptBack === 0 ? [] : [field("Kept back", `${timesWords(keptBack)}, behind a worse alert`)]),
    ...(flapping === 0 ? [] : [field("Flapping", `${timesWords(flapping)}: one message for all that follow`)]),
    ...later.map(([kind, since]) => field(capitalised(kindNoun(kind)), text`seen since ${momentWords(since)}`)),
  ];
}

function cutWords({ from, to }: Stretch): Text {
  return text`${momentWords(from)} to ${momentWords(to)}: 10 s were over then`;
}

/** So many gaps are named one by one. */
const NAMED_GAPS = 3;

function gapWords(gaps: readonly Stretch[]): Text {
  if (gaps.length > NAMED_GAPS) {
    const longest = gaps.reduce((most, { from, to }) => Math.max(most, to - from), 0);
    return text`${formatDuration(lengthOfAll(gaps), 2)} in ${formatCount(gaps.length)} gaps, ${formatDuration(longest, 2)} at most`;
  }
  return joinText(
    gaps.map(({ from, to }) => text`${formatDuration(to - from, 2)} from ${momentWords(from)}`),
    ", ",
  );
}

function momentWords(at: Milliseconds): Inline {
  return time(fromMillis(at));
}

/** Of several kinds a line each, those that were told most often first; the others together. */
function kindLines({ kinds }: Tried, { told, uncounted }: TriedResult, words: TrialWords): Block[] {
  const counted = kinds.filter((kind) => !uncounted.includes(kind));
  if (counted.length < 2) return [];
  const byKind = Map.groupBy<AlertKind, TriedEpisode>(told, ({ kind }) => kind);
  const lines = [...byKind]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([kind, all]) => text`${capitalised(kindNoun(kind))}: ${countWords(all, words)}`);
  const never = counted.filter((kind) => !byKind.has(kind)).map((kind) => kindNoun(kind));
  const items = never.length === 0 ? lines : [...lines, text`Never: ${listWords(never, ", ")}`];
  return [{ kind: "list", items }];
}

/** Of a day that was asked for, the first look is less than a day old, and looks may be missing: most of it must be seen. */
function isLastDay(watched: Milliseconds, result: TriedResult | undefined, now: Milliseconds): boolean {
  return result !== undefined && now - result.from >= DAY - LATEST && 2 * watched >= DAY;
}

function tooShort(seen: Milliseconds): string {
  return seen === 0
    ? "Nothing is kept of what was seen here, so nothing can be tried"
    : `How often this would have fired cannot be said yet: this network has been watched for ${formatDuration(seen, 1)}, and it takes a day`;
}

/** `3 times, 14 min at most, 2 at night`. */
function countWords(told: readonly TriedEpisode[], { now, zone }: TrialWords): string {
  if (told.length === 0) return "nothing";
  const longest = Math.max(...told.map((one) => lengthOf(one, now)));
  const nights = told.filter(({ fired }) => isAtNight(fired, zone)).length;
  const atNight = nights === 0 ? "none at night" : `${formatCount(nights)} at night`;
  return `${timesWords(told.length)}, ${roughly(longest)} at most, ${atNight}`;
}

/** Without seconds, where they are a small part of it. */
export function roughly(millis: Milliseconds): string {
  return formatDuration(millis, millis > 2 * MINUTE && millis < HOUR ? 1 : 2);
}

export function timesWords(count: number): string {
  return count === 1 ? "once" : count === 2 ? "twice" : `${formatCount(count)} times`;
}

export function spanWords(millis: Milliseconds): string {
  const days = Math.floor((millis + HOUR) / DAY);
  if (days === 0) return formatDuration(millis, 1);
  return days === 1 ? "a day" : `${formatCount(days)} days`;
}

function episodesTable(told: readonly TriedEpisode[], words: TrialWords) {
  const { labels, now } = words;
  // The headline says how long the longest was.
  const rows = told.toReversed().toSorted((a, b) => lengthOf(b, now) - lengthOf(a, now));
  return table<TriedEpisode>({
    name: "alerts-try",
    rows,
    fold: 2,
    columns: [
      ["What", (one) => whatWords(one, labels)],
      ["When", ({ fired }) => momentWords(fired)],
      ["How long", (one) => (one.ended === undefined ? "open" : formatDuration(lengthOf(one, now)))],
      ["Worst", ({ severity }) => severity, 2],
      ["Told as", ({ id }) => id ?? "", 3],
    ],
  });
}

function whatWords({ kind, subject, label }: TriedEpisode, labels: Labels): Text {
  const name = label ?? labels[subject] ?? subject;
  const { words } = KINDS[kind];
  if (name === "") return text`${capitalised(words)}`;
  const of = words.replace(/^a (?:node|market)\b/u, "");
  return of === words ? text`${name}: ${words}` : text`${name}${of}`;
}
