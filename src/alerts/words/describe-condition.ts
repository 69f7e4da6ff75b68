import { EPISODE_WORDS, RESOLVED_TONE, SEVERITY } from "../../reply/states.js";
import { type Block, field, type Field, paragraph } from "../../reply/block.ts";
import { reply, type Reply } from "../../reply/reply.ts";
import { code, type Inline, joinText, link, strong, text, type Text, type TextPart, time } from "../../reply/text.ts";
import { formatDuration, formatUtc, type Nanoseconds, toMillis } from "../../units/time.ts";
import { DRILL_NOTICE, type Episode, episodeName, isOpen } from "../judge/rules/episode.ts";
import { timeFromText } from "../judge/kinds/kind.ts";
import type { DeliveryContext } from "../message/delivery-subject.ts";
import type { MessageOf } from "../message/message.ts";
import { conditionWords, seenBy } from "./condition-words.ts";
import { describeGroup, storyBlocks } from "./describe-group.ts";
import {
  actionsOf,
  explanation,
  guidanceBlocks,
  lateTriggerNote,
  markedTitle,
  UNSEEN_ENDS,
  openWords,
  overLead,
  overWords,
} from "./phrases.ts";
import { isOfOneKind } from "../message/message-group.ts";

type Condition = MessageOf<"condition">;

/** A condition: its card, or the short post that rings beside the card. */
export function describeCondition(given: Condition, context: DeliveryContext): Reply {
  const { group } = context;
  // An edit may be caused by another episode of the message.
  const message = { ...given, episode: group?.episodes[0] ?? given.episode };
  if (message.short === true) return describeShort(message, context);
  if (group !== undefined && isOfOneKind(group)) return describeGroup(message, group, context);
  return isOpen(message.episode) ? describeOpen(message, context) : describeOver(message, context);
}

/** One line, with a link to the card. It is never edited. */
function describeShort(message: Condition, context: DeliveryContext): Reply {
  const { group, card } = context;
  const ofGroup = group !== undefined && isOfOneKind(group) ? describeGroup(message, group, context) : undefined;
  const { tone, title } = ofGroup ?? headline(message, context);
  const { reminder, phase, episode } = message;
  const more =
    reminder !== undefined && isOpen(episode)
      ? `, and nobody has taken it (reminder ${reminder.number} of ${reminder.of})`
      : phase === "escalation" && isOpen(episode)
        ? ": act now"
        : "";
  return reply({
    tone,
    title: text`${title}${more}`,
    blocks: card === undefined ? [] : [paragraph(link("The whole alert", card))],
  });
}

/** What happens, since when, how bad, who takes it; once it is over how long it lasted. */
export function headline(message: Condition, { merged }: DeliveryContext = {}): Pick<Reply, "tone" | "title"> {
  const { episode } = message;
  if (isOpen(episode)) {
    const lead = message.phase === "reminder" ? "Still: " : "";
    const title = text`${lead}${conditionWords(episode).now}${openWords([episode], message)}`;
    return { tone: SEVERITY[episode.severity].tone, title: markedTitle(title, message) };
  }
  const unseen = UNSEEN_ENDS[episode.state];
  const title =
    unseen === undefined
      ? text`${overLead(merged)}${conditionWords(episode).past}${overWords([episode])}`
      : text`${merged === true ? overLead(merged) : ""}${conditionWords(episode).past}: ${unseen}`;
  return { tone: unseen === undefined ? RESOLVED_TONE : "neutral", title: markedTitle(title, message) };
}

/** While it lasts: who agrees, what it means and what to do, what happened so far; the rest is detail. */
function describeOpen(message: Condition, context: DeliveryContext): Reply {
  const { episode, reminder } = message;
  const { group } = context;
  const words = conditionWords(episode);
  return reply({
    ...headline(message, context),
    blocks: [
      paragraph(howSure(episode, words.figures)),
      ...(message.drill === true ? [paragraph(DRILL_NOTICE)] : explanation(episode)),
      ...guidanceBlocks(episode.kind, context, message),
      ...lateTriggerNote(message.already),
      ...(reminder === undefined
        ? []
        : [paragraph(`Reminder ${reminder.number} of ${reminder.of}: nobody has acknowledged it.`)]),
      ...(group === undefined ? [] : storyBlocks(episode, group)),
      ...timelineBlocks(message, context),
      {
        kind: "fields",
        detail: true,
        fields: [
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
      strong(SEVERITY[severity].word),
      ...figures,
      ...(state === "recovering" ? [`${EPISODE_WORDS.recovering}: looks good again, waiting for it to last`] : []),
    ],
    " · ",
  );
}

/** Once it is over: what happened in its course. Nothing on it acts any more. */
function describeOver(message: Condition, context: DeliveryContext): Reply {
  const { episode } = message;
  const unseen =
    episode.state === "gone"
      ? "The network does not list it any more, or it is not configured any more. Its end was not seen."
      : episode.state === "withdrawn"
        ? "Nobody is subscribed to it any more, so its end will not be seen."
        : undefined;
  const why = episode.state === "resolved" ? episode.last.why : undefined;
  return reply({
    ...headline(message, context),
    blocks: [
      ...(message.drill === true ? [paragraph(DRILL_NOTICE)] : []),
      ...(unseen === undefined ? [] : [paragraph(unseen)]),
      ...(context.group === undefined ? [] : storyBlocks(episode, context.group)),
      ...timelineBlocks(message, context),
      {
        kind: "fields",
        detail: true,
        fields: [
          ...(why === undefined ? [] : [field("Ended by", why, { wide: true })]),
          field("Alert", code(episodeName(episode.id)), { wide: true }),
        ],
      },
    ],
    actions: actionsOf(episode),
  });
}

/** `It was told 5 s after it began, became critical after 3 min and was taken by Mia after 4 min.`: in order; of news only what is new. */
function timelineBlocks(message: Condition, { triggeredAt }: DeliveryContext): Block[] {
  const { began, escalated, acknowledged } = message.episode;
  const isNews = message.phase === "trigger" && isOpen(message.episode);
  const moments = [
    { at: isNews ? undefined : triggeredAt, words: text`was told` },
    { at: optionalTime(escalated), words: text`became critical` },
    {
      at: optionalTime(acknowledged?.at),
      words: acknowledged === undefined ? [] : text`was taken by ${acknowledgerOf(acknowledged, message)}`,
    },
  ];
  const known = moments
    .flatMap(({ at, words }) =>
      at === undefined ? [] : [{ words, after: toMillis(at) - toMillis(timeFromText(began)) }],
    )
    .filter(({ after }) => after >= 0)
    .toSorted((a, b) => a.after - b.after)
    .map(({ words, after }, index) => {
      if (after < 1000) return text`${words} at once`;
      const span = formatDuration(after);
      return index === 0 ? text`${words} ${span} after it began` : text`${words} after ${span}`;
    });
  const last = known.at(-1);
  if (last === undefined) return [];
  const before = known.slice(0, -1);
  return [paragraph(text`It ${joinText(before, ", ")}${before.length === 0 ? "" : " and "}${last}.`)];
}

function optionalTime(moment: string | undefined): Nanoseconds | undefined {
  return moment === undefined ? undefined : timeFromText(moment);
}

/** The timeline: began, detected, sent, escalated and acknowledged in order of time, recovered. */
export function timelineOf(episode: Episode, triggeredAt?: Nanoseconds): Field[] {
  const moment = (name: string, at: string | undefined, more: Text = []): Field[] =>
    at === undefined ? [] : [field(name, text`${time(timeFromText(at))}${more}`)];
  const { acknowledged, escalated } = episode;
  const between = [
    { name: "Escalated", at: escalated },
    { name: "Acknowledged", at: acknowledged?.at, by: text` by ${acknowledged?.by ?? ""}` },
  ].toSorted((a, b) => Number(BigInt(a.at ?? 0) - BigInt(b.at ?? 0)));
  return [
    ...moment("Began", episode.began, episode.beganBefore === true ? text` at the latest` : []),
    ...(triggeredAt !== undefined && formatUtc(triggeredAt) === formatUtc(timeFromText(episode.detected))
      ? []
      : moment("Detected", episode.detected)),
    ...(triggeredAt === undefined ? [] : [field("Told", time(triggeredAt))]),
    ...between.flatMap(({ name, at, by }) => moment(name, at, by)),
    ...moment("Recovered", episode.recovered),
    ...(episode.state === "resolved" && episode.last.why !== undefined
      ? [field("Ended by", episode.last.why, { wide: true })]
      : []),
  ];
}

/** An edit follows the person's own press and mentions the person; in a new message a mention would ping on Slack. */
function acknowledgerOf({ by, person }: NonNullable<Episode["acknowledged"]>, message: Condition): Inline | string {
  return person === undefined || message.phase !== "state" ? by : { kind: "person", text: by, ...person };
}
