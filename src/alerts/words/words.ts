// Renders alerts when they are sent: a message becomes a Reply.
// Read describe-condition.ts and condition-words.ts (stalled, down, price …), describe-event.ts (checkpoints …),
// describe-notice.ts and describe-token.ts next; phrases.ts and the other *-words.ts are shared with commands.
import { type Block, paragraph } from "../../reply/block.ts";
import { type Action, inZone, reply, type Reply } from "../../reply/reply.ts";
import { code, commandLine, strong, text, type Text, time, toText } from "../../reply/text.ts";

import { compareIntegers, decimal, formatDecimal } from "../../units/decimal.ts";
import { formatDuration, formatUtc, toMillis } from "../../units/time.ts";
import type { AlertEvent } from "../judge/kinds/event.ts";
import { timeFromText } from "../judge/kinds/kind.ts";
import { isOpen } from "../judge/rules/episode.ts";
import type { DeliveryContext } from "../message/delivery-subject.ts";
import type { AlertMessage, MessageOf } from "../message/message.ts";
import type { Platforms } from "../destination.ts";
import { happening } from "./condition-words.ts";
import { describeChange, describeNotice, describeTest } from "./describe-notice.ts";
import { describeCondition } from "./describe-condition.ts";
import { describeCalm, describeFlapping } from "./describe-flapping.ts";
import { describeEvent, eventCells, eventLine } from "./describe-event.ts";
import { describeToken } from "./describe-token.ts";
import { countOf, endOf, markedTitle, tableFile } from "./phrases.ts";

/** How many events a digest lists in the message itself; its file has all of them. */
const NAMED_EVENTS = 5;

/** Renders an alert; without `platforms` each is called by its id. Pure and total. */
export function describe(message: AlertMessage, context: DeliveryContext = {}, platforms?: Platforms): Reply {
  const said = describeMessage(message, context, platforms);
  // A first line with a clock, which a locked phone shows, names the zone of all times of its message.
  return said.title.some((one) => one.kind === "text" && /\bUTC\b/u.test(one.text)) ? inZone(said, "UTC") : said;
}

function describeMessage(message: AlertMessage, context: DeliveryContext, platforms?: Platforms): Reply {
  if (context.outdated === true) return describeOutdated(message);
  const said = describeByType(message.type, message, context, platforms);
  if (context.twice === true) {
    const note = paragraph("Sent twice: only the other message is kept up to date.");
    return { ...said, tone: "neutral", blocks: [note], actions: [], attachments: [] };
  }
  // Of several alerts in a message, one that is over takes no button from the others.
  const isSpent = context.spent === true && context.group?.episodes.some(isOpen) !== true;
  const spent = isSpent ? { actions: said.actions.filter(isLookedAt) } : {};
  const notes = [
    ...(context.repeat === true
      ? [text`${strong("This may be a repeat")}: the first try to send it may have arrived.`]
      : []),
    ...(context.plain === true ? ["Plain text, without files: the usual form was refused here."] : []),
  ];
  if (notes.length === 0) return { ...said, ...spent };
  return { ...said, ...spent, blocks: [...said.blocks, ...notes.map((note) => paragraph(note))] };
}

/** Without anything that may have been refused: no names, no buttons. */
function describeOutdated(message: AlertMessage): Reply {
  return reply({
    title: markedTitle(text`This message is out of date`, message),
    blocks: [paragraph(text`Its last edit was refused. ${commandLine("alerts status")} shows what is open.`)],
  });
}

const BY_TYPE: {
  readonly [T in AlertMessage["type"]]: (
    message: MessageOf<T>,
    context: DeliveryContext,
    platforms?: Platforms,
  ) => Reply;
} = {
  condition: describeCondition,
  event: describeEvent,
  digest: describeDigest,
  rolling: describeRolling,
  flapping: describeFlapping,
  calm: describeCalm,
  away: describeDowntime,
  notice: (message, _, platforms) => describeNotice(message, platforms),
  token: (message, _, platforms) => describeToken(message, platforms),
  export: (message) =>
    reply({
      title: markedTitle(text`A ledger export of yours has ended`, message),
      blocks: [paragraph(text`${code(`ledger fetch ${message.job}`)} says what came of it, for 24 hours.`)],
    }),
  test: (message, _, platforms) => describeTest(message, platforms),
  change: (message, _, platforms) => describeChange(message, platforms),
};

function describeByType<T extends AlertMessage["type"]>(
  type: T,
  message: MessageOf<T>,
  context: DeliveryContext,
  platforms: Platforms | undefined,
): Reply {
  return BY_TYPE[type](message, context, platforms);
}

function describeDigest(message: MessageOf<"digest">): Reply {
  const { events, episodes } = message;
  const why = { "catch-up": "all at once", "quiet hours": "during quiet hours", held: "kept back until now" }[
    message.reason
  ];
  const titles = ["Kind", "Block", "Subject", "Detail", "Seen"];
  const rows = events.map((event) => [event.kind, ...eventCells(event), formatUtc(timeFromText(event.at))]);
  return reply({
    title: markedTitle(text`${digestFact(message)}, ${why}`, message),
    blocks: [
      ...(episodes.length === 0 ? [] : [{ kind: "list", items: episodes.map(episodeLine) } satisfies Block]),
      ...(events.length === 0 ? [] : [{ kind: "list", items: namedEvents(message) } satisfies Block]),
    ],
    attachments: events.length <= NAMED_EVENTS ? [] : [tableFile(`${message.network}-events`, titles, rows, message)],
  });
}

/** What there is in one line: the list below has each by itself. */
function digestFact({ episodes, events, network }: MessageOf<"digest">): Text {
  const [first] = events;
  const kinds = new Set(events.map(({ kind }) => kind));
  if (episodes.length === 0 && first !== undefined && kinds.size === 1)
    return text`${countOf(first.kind, events.length)} on ${strong(network)}${blocksOf(events)}`;
  const counts = [counted(episodes.length, "alert"), counted(events.length, "event")].filter((one) => one !== "");
  return text`${counts.join(" and ")} on ${strong(network)}`;
}

function counted(count: number, noun: string): string {
  return count === 0 ? "" : `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function describeRolling(message: MessageOf<"rolling">): Reply {
  const { events, total, kind, network } = message;
  const left = total - events.length;
  const [first] = events;
  const all = text`${countOf(kind, total)} on ${strong(network)}`;
  return reply({
    title: markedTitle(total === 1 && first !== undefined ? eventLine(first) : all, message),
    blocks: [
      {
        kind: "list",
        items: [...events].toReversed().map((event) => text`${time(timeFromText(event.at))}: ${eventLine(event)}`),
      },
      ...(left > 0 ? [paragraph(`${left} earlier ones are not listed.`)] : []),
    ],
  });
}

function describeDowntime(message: MessageOf<"away">): Reply {
  const [from, to] = [timeFromText(message.from), timeFromText(message.to)];
  return reply({
    title: markedTitle(text`The bot was away for ${formatDuration(toMillis(to) - toMillis(from))}`, message),
    blocks: [paragraph(text`From ${time(from)} to ${time(to)}. ${lateEventWords(message)}.`)],
  });
}

/** Which events are late, and which were lost or are not known yet. */
function lateEventWords({ late, unseen = [] }: MessageOf<"away">): string {
  const happened = late.filter(({ count }) => count > 0);
  const counts = happened.map(({ kind, count }) => countOf(kind, count)).join(", ");
  // What a node no longer holds cannot be reported any more.
  const lost = happened.some(({ kind }) => kind === "history.reset") ? ["what happened in the gap is lost"] : [];
  if (unseen.length === 0) {
    const told = counts === "" ? "Nothing happened meanwhile" : `Told late: ${counts}`;
    return [told, ...(lost.length === 0 ? ["nothing was lost"] : lost)].join("; ");
  }
  const told = counts === "" ? "What happened meanwhile is not known yet" : `Told late so far: ${counts}`;
  const rest = `not all of ${unseen.join(" and ")} could be seen; the rest follows`;
  return [told, ...lost, rest].join("; ");
}

function episodeLine(episode: MessageOf<"digest">["episodes"][number]): Text {
  return text`${happening(episode)}: ${time(timeFromText(episode.began))} to ${time(timeFromText(endOf(episode)))}`;
}

/** The last events of a digest. Held ones say when they came; those found at once share the time of the message. */
function namedEvents({ events, reason }: MessageOf<"digest">): Text[] {
  const named = events
    .slice(-NAMED_EVENTS)
    .map((event) =>
      reason !== "catch-up" ? text`${time(timeFromText(event.at))}: ${eventLine(event)}` : eventLine(event),
    );
  const left = events.length - named.length;
  return left === 0 ? named : [toText(`${left} earlier ones are in the file`), ...named];
}

/** `, blocks 100 to 250`, where they have any. */
function blocksOf(events: readonly AlertEvent[]): string {
  const blocks = events.flatMap((event) => {
    const [block] = eventCells(event);
    return block === "" ? [] : [BigInt(block)];
  });
  const [lowest, ...others] = blocks.toSorted(compareIntegers);
  const highest = others.at(-1);
  if (lowest === undefined || highest === undefined) return "";
  return `, blocks ${formatDecimal(decimal(lowest))} to ${formatDecimal(decimal(highest))}`;
}

/** A button that only shows. */
function isLookedAt(action: Action): boolean {
  return !("invocation" in action) || action.invocation.command === "alerts why";
}
