import { KINDS } from "../../../alerts/judge/kinds/kinds.ts";
import { type Labels, subscriptionWords } from "../../../alerts/words/subscription-words.ts";
import { listWords, capitalised } from "../../../reply/enum-words.ts";
import { facts, field, paragraph, table } from "../../../reply/block.ts";
import { type Ask, commandAction, reply, type Reply } from "../../../reply/reply.ts";
import { clockTime, text, type Text } from "../../../reply/text.ts";
import { formatDuration, type Milliseconds } from "../../../units/duration.ts";
import { formatCount } from "../../../units/format-number.ts";
import { localText } from "../../../units/local-time.ts";
import { fromMillis } from "../../../units/nanoseconds.ts";
import {
  isAtNight,
  lengthOf,
  type Tried,
  type TriedAnswer,
  type TriedEpisode,
  type TriedResult,
} from "./try-subscription.ts";

interface TrialWords {
  readonly labels: Labels;
  readonly zone: string;
  readonly now: Milliseconds;
  /** As asked for. */
  readonly days: number;
  /** What was typed, for the button that subscribes. */
  readonly options: Ask["options"];
}

const DAY: Milliseconds = 86_400_000;

/** What a subscription would have told. */
export function trialReply(tried: Tried, answer: TriedAnswer, words: TrialWords): Reply {
  const { seen, gaps } = answer;
  const [result] = answer.results;
  const subscribe = commandAction("Subscribe", "alerts add", words.options);
  if (result === undefined || seen === undefined || seen.to - seen.from < DAY) {
    return reply({ title: tooShort(seen === undefined ? 0 : seen.to - seen.from), actions: [subscribe] });
  }
  const missing = gaps.reduce((sum, { from, to }) => sum + to - from, 0);
  return reply({
    title: text`In ${spanWords(seen.to - seen.from)} this would have told you ${countWords(result, words)}.`,
    blocks: [
      paragraph(text`Tried: ${subscriptionWords(tried, words.labels)}.`),
      ...facts([
        ...(result.keptBack.length === 0
          ? []
          : [field("Kept back", `${timesWords(result.keptBack.length)}, while a worse alert was open`)]),
        ...(result.flapping === 0 ? [] : [field("Flapping", `${timesWords(result.flapping)}: told as one, not each`)]),
        ...(gaps.length === 0
          ? []
          : [
              field(
                "Not seen",
                `${formatDuration(missing)} in ${gaps.length === 1 ? "one gap" : `${formatCount(gaps.length)} gaps`}`,
              ),
            ]),
        ...(result.uncounted.length === 0 ? [] : [field("Not counted", listWords(result.uncounted))]),
        ...result.later.map(([kind, since]) =>
          field(kind, text`known since ${clockTime(fromMillis(since), localText(words.zone, since))}`),
        ),
        ...(answer.isCut ? [field("Time", "It took too long to count more days")] : []),
      ]),
      ...(result.told.length === 0 ? [] : [episodesTable(result.told, words)]),
    ],
    actions: [subscribe],
  });
}

function tooShort(seen: Milliseconds): string {
  return seen === 0
    ? "Nothing is kept of what was seen here, so nothing can be tried"
    : `I have watched this network for ${formatDuration(seen, 1)}; ask again tomorrow`;
}

/** `3 times, 14 min at most, 2 at night`. */
function countWords({ told }: TriedResult, { now, zone }: TrialWords): string {
  if (told.length === 0) return "nothing";
  const longest = Math.max(...told.map((one) => lengthOf(one, now)));
  const nights = told.filter(({ fired }) => isAtNight(fired, zone)).length;
  const atNight = nights === 0 ? "none at night" : `${formatCount(nights)} at night`;
  return `${timesWords(told.length)}, ${formatDuration(longest)} at most, ${atNight}`;
}

function timesWords(count: number): string {
  return count === 1 ? "once" : count === 2 ? "twice" : `${formatCount(count)} times`;
}

function spanWords(millis: Milliseconds): string {
  const days = Math.round(millis / DAY);
  return days === 1 ? "a day" : `${formatCount(days)} days`;
}

function episodesTable(told: readonly TriedEpisode[], { labels, zone, now }: TrialWords) {
  const rows = told.toReversed();
  return table<TriedEpisode>({
    name: "alerts-try",
    rows,
    columns: [
      ["When", ({ fired }) => clockTime(fromMillis(fired), localText(zone, fired))],
      ["What", (one) => whatWords(one, labels)],
      ["How long", (one) => (one.ended === undefined ? "open" : formatDuration(lengthOf(one, now)))],
      ["Worst", ({ severity }) => severity, 2],
      ["Told as", ({ id }) => id ?? "–", 3],
    ],
  });
}

function whatWords({ kind, subject, label }: TriedEpisode, labels: Labels): Text {
  const name = label ?? labels[subject] ?? subject;
  const words = capitalised(KINDS[kind].words);
  return name === "" ? text`${words}` : text`${name}: ${KINDS[kind].words}`;
}
