import { type Block, field, type Field, paragraph } from "../../reply/block.ts";
import { plainText } from "../../reply/plain-text.ts";
import { type Action, commandAction, reply, type Reply } from "../../reply/reply.ts";
import { code, type Inline, joinText, strong, text, type Text, type TextPart, time } from "../../reply/text.ts";
import { formatDuration, type Milliseconds } from "../../units/duration.ts";
import { formatUtc, type Nanoseconds, toMillis } from "../../units/nanoseconds.ts";
import { DRILL_NOTICE } from "../judge/drill.ts";
import { timeFromText } from "../judge/kinds/json-fields.ts";
import type { DeliveryContext } from "../message/delivery-subject.ts";
import type { AlertMessage } from "../message/message.ts";
import { type Episode, episodeName, isOpen } from "../judge/rules/episode.ts";
import { conditionWords, seenBy } from "./condition-words.ts";
import { describeGroup, storyBlocks } from "./describe-group.ts";
import {
  beganAt,
  clock,
  endWord,
  explanation,
  guidanceBlocks,
  markedTitle,
  OVER_ALREADY,
  SEVERITY_WORDS,
  sinceWords,
  lateTriggerNote,
  TONES,
} from "./phrases.ts";
import { isOfOneKind } from "../message/message-group.ts";

type Condition = Extract<AlertMessage, { type: "condition" }>;

/**
 * A card: what and since when, how sure, what it means and what to do, who acknowledged it; the rest is detail. On a
 * resolve the timeline.
 */
export function describeCondition(given: Condition, context: DeliveryContext): Reply {
  const { group } = context;
  // An edit may be caused by another episode of the message.
  const message = { ...given, episode: group?.episodes[0] ?? given.episode };
  const { episode } = message;
  if (group !== undefined && isOfOneKind(group)) return describeGroup(message, group, context);
  const words = conditionWords(episode);
  if (!isOpen(episode)) return describeEnd(message, context);
  return reply({
    tone: TONES[episode.severity],
    title: markedTitle(
      undefined,
      text`${wordFor(message, context)}${words.headline} since ${beganAt(episode, episode.detected)}`,
      message,
    ),
    blocks: [
      paragraph(howSure(episode, words.figures)),
      ...(message.drill === true ? [paragraph(DRILL_NOTICE)] : explanation(episode)),
      ...guidanceBlocks(episode.kind, context, message),
      ...notes(message),
      ...acknowledgedBy(message),
      ...(group === undefined ? [] : storyBlocks(episode, group)),
      {
        kind: "fields",
        detail: true,
        fields: [
          field("Since", sinceWords(episode, "both")),
          ...noticed(episode),
          field("Seen by", seenBy(episode.last)),
          ...words.fields,
          ...(episode.last.why === undefined ? [] : [field("Why", episode.last.why, { wide: true })]),
          field("Alert", code(episodeName(episode.id)), { wide: true }),
        ],
      },
    ],
    actions: actionsOf(episode),
  });
}

/** `Critical · 3 of 3 nodes agree · last block 175,188,841`. */
function howSure({ severity, state }: Episode, figures: readonly TextPart[]): Text {
  return joinText(
    [
      strong(SEVERITY_WORDS[severity]),
      ...figures,
      ...(state === "recovering" ? ["looks good again, waiting for it to last"] : []),
    ],
    " · ",
  );
}

function acknowledgedBy(message: Condition): Block[] {
  const { acknowledged } = message.episode;
  if (acknowledged === undefined) return [];
  return [paragraph(text`Acknowledged by ${acknowledgerOf(acknowledged, message)} at ${clock(acknowledged.at)}.`)];
}

/** What began before it was observed is noticed later than what was watched from its beginning. */
const NOTICED_LATER: Milliseconds = 2 * 60_000;

/** When it was noticed, where that is not soon after its beginning; with the last look before at which it was good. */
function noticed({ began, beganBefore, detected, lastGood }: Episode): Field[] {
  const later = toMillis(timeFromText(detected)) - toMillis(timeFromText(began));
  return [
    ...(later < NOTICED_LATER ? [] : [field("Noticed", time(timeFromText(detected), "both"))]),
    ...(beganBefore === undefined || lastGood === undefined
      ? []
      : [field("Last good", time(timeFromText(lastGood), "both"))]),
  ];
}

/** The word before the sentence of a message that repeats it. */
function wordFor(message: Condition, context: DeliveryContext): string {
  if (message.phase === "reminder") return "Still: ";
  return message.phase === "escalation" && context.merged !== true ? `Now ${message.episode.severity}: ` : "";
}

function notes({ already, reminder }: Condition): Block[] {
  return [
    ...lateTriggerNote(already),
    ...(reminder === undefined
      ? []
      : [paragraph(`Reminder ${reminder.number} of ${reminder.of}: nobody has acknowledged it.`)]),
  ];
}

function describeEnd(message: Condition, context: DeliveryContext): Reply {
  const { episode } = message;
  const unseen = episode.state === "withdrawn" || episode.state === "gone";
  const words = conditionWords(episode);
  const ended = timeFromText(episode.recovered ?? episode.ended ?? episode.detected);
  const lasted = toMillis(ended) - toMillis(timeFromText(episode.began));
  const atLeast = episode.beganBefore === true ? "at least " : "";
  // The clock was ahead when it began: how long it lasted is not known then.
  const after = lasted < 0 ? "" : ` after ${atLeast}${formatDuration(lasted)}`;
  const already = context.merged === true ? OVER_ALREADY : "";
  const name = unseen ? words.bad : text`${already}${words.good}${after}`;
  const summary = unseen
    ? episode.state === "gone"
      ? "What it was about is gone: the network does not list it any more, or it is not configured any more. Its end was not seen."
      : "Nobody is subscribed to it any more, so its end will not be seen."
    : undefined;
  const timeline = timelineOf(episode, context.triggeredAt, message);
  const isStory = (one: Field): boolean => !IN_DETAIL.has(plainText(one.name));
  return reply({
    tone: unseen ? "neutral" : "good",
    title: markedTitle(unseen ? endWord(episode, context.merged) : undefined, name, message),
    blocks: [
      ...(message.drill === true ? [paragraph(DRILL_NOTICE)] : []),
      ...(summary === undefined ? [] : [paragraph(summary)]),
      { kind: "fields", fields: timeline.filter(isStory) },
      ...(context.group === undefined ? [] : storyBlocks(episode, context.group)),
      {
        kind: "fields",
        detail: true,
        fields: [
          ...timeline.filter((one) => !isStory(one)),
          field("Alert", code(episodeName(episode.id)), { wide: true }),
        ],
      },
    ],
    actions: [...actionsOf(episode).slice(-1), ...storyLink(episode, context)],
  });
}

/** The whole story on the console, which the page reads from the part of the address behind the hash. */
function storyLink({ id }: Episode, { console: address }: DeliveryContext): Action[] {
  if (address === undefined) return [];
  return [{ label: "Whole story", url: new URL(`#episode=${encodeURIComponent(id)}`, address).href }];
}

/** Of the timeline, the lines that the story of an ended alert leaves out. */
const IN_DETAIL = new Set(["Detected", "Ended by"]);

/** The timeline: began, detected, sent, escalated and acknowledged in order of time, recovered. */
export function timelineOf(episode: Episode, triggeredAt?: Nanoseconds, message?: Condition): Field[] {
  const moment = (name: string, at: string | undefined, more: Text = []): Field[] =>
    at === undefined ? [] : [field(name, text`${time(timeFromText(at))}${more}`)];
  const { acknowledged, escalated } = episode;
  const between = [
    { at: escalated, fields: moment("Escalated", escalated) },
    {
      at: acknowledged?.at,
      fields:
        acknowledged === undefined
          ? []
          : moment("Acknowledged", acknowledged.at, text` by ${acknowledgerOf(acknowledged, message)}`),
    },
  ].toSorted((a, b) => Number(BigInt(a.at ?? 0) - BigInt(b.at ?? 0)));
  return [
    ...moment("Began", episode.began, episode.beganBefore === true ? text` at the latest` : []),
    ...(triggeredAt !== undefined && formatUtc(triggeredAt) === formatUtc(timeFromText(episode.detected))
      ? []
      : moment("Detected", episode.detected)),
    ...(triggeredAt === undefined ? [] : [field("Told", time(triggeredAt))]),
    ...between.flatMap(({ fields }) => fields),
    ...moment("Recovered", episode.recovered),
    ...(episode.state === "resolved" && episode.last.why !== undefined
      ? [field("Ended by", episode.last.why, { wide: true })]
      : []),
  ];
}

/** An edit follows the person's own press and mentions the person; in a new message a mention would ping on Slack. */
function acknowledgerOf(
  { by, person }: NonNullable<Episode["acknowledged"]>,
  message: Condition | undefined,
): Inline | string {
  return person === undefined || message?.phase !== "state" ? by : { kind: "person", text: by, ...person };
}

/** The commands behind the buttons; they carry the episode, so that they work after a restart. */
export function actionsOf(episode: Episode): Action[] {
  const options = { episode: episode.id };
  return [
    ...(episode.acknowledged === undefined ? [commandAction("Acknowledge", "alerts ack", options)] : []),
    commandAction("Silence 1 h", "alerts silence", { what: episode.id, for: "1h" }),
    commandAction("Details", "alerts why", options),
  ];
}
