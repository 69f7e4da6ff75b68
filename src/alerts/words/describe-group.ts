import type { Attachment } from "../../reply/attachment.ts";
import { type Block, paragraph } from "../../reply/block.ts";
import { plainText } from "../../reply/plain-text.ts";
import { type Action, commandAction, reply, type Reply } from "../../reply/reply.ts";
import { code, id, strong, text, type Text, type TextPart, time } from "../../reply/text.ts";
import { formatUtc } from "../../units/nanoseconds.ts";
import { DRILL_NOTICE } from "../judge/drill.ts";
import { timeFromText } from "../judge/kinds/json-fields.ts";
import { type AlertKind, KINDS } from "../judge/kinds/kinds.ts";
import { compareSeverity } from "../judge/kinds/severity.ts";
import type { DeliveryContext } from "../message/delivery-subject.ts";
import type { AlertMessage } from "../message/message.ts";
import { type Episode, isOpen } from "../judge/rules/episode.ts";
import { conditionWords } from "./condition-words.ts";
import { eventLines } from "./describe-event.ts";
import {
  endWord,
  explanation,
  guidanceBlocks,
  markedTitle,
  OVER_ALREADY,
  SEVERITY_WORDS,
  sinceWords,
  lateTriggerNote,
  tableFile,
  TONES,
} from "./phrases.ts";
import { groupReference, type MessageGroup, NAMED_SUBJECTS } from "../message/message-group.ts";

type GroupWords = (count: TextPart, network: TextPart) => { readonly bad: Text; readonly good: Text };

/** The titles of several episodes of a kind: while any is open, and once all are over. */
const GROUP_WORDS: Partial<Record<AlertKind, GroupWords>> = {
  "network.time-back": (count, network) => ({
    bad: text`Time went back at ${count} nodes on ${network}`,
    good: text`Time goes forward again at ${count} nodes on ${network}`,
  }),
  "node.lagging": (count, network) => ({
    bad: text`${count} nodes lag behind on ${network}`,
    good: text`${count} nodes have caught up on ${network}`,
  }),
  "node.down": (count, network) => ({
    bad: text`${count} nodes are down on ${network}`,
    good: text`${count} nodes answer again on ${network}`,
  }),
  "node.lying": (count, network) => ({
    bad: text`${count} nodes on ${network} give answers that cannot be right`,
    good: text`${count} nodes on ${network} give credible answers again`,
  }),
  "node.diverges": (count, network) => ({
    bad: text`The histories of ${count} nodes are not that of the others on ${network}`,
    good: text`The histories of ${count} nodes are that of the others again on ${network}`,
  }),
  "market.auction": (count, network) => ({
    bad: text`${count} markets are in an auction on ${network}`,
    good: text`${count} markets trade again on ${network}`,
  }),
  "market.price": (count, network) => ({
    bad: text`${count} markets are beyond their thresholds on ${network}`,
    good: text`${count} markets are not beyond their thresholds any more on ${network}`,
  }),
  "market.bound": (count, network) => ({
    bad: text`${count} markets are near a price bound on ${network}`,
    good: text`${count} markets are away from their price bounds on ${network}`,
  }),
};

/** Several episodes of one kind in one message: how many are open, the first of them by name, all of them in a file. */
export function describeGroup(
  message: Extract<AlertMessage, { type: "condition" }>,
  group: MessageGroup,
  context: Pick<DeliveryContext, "growing" | "guidance">,
): Reply {
  const { growing } = context;
  const { kind, network } = message.episode;
  const episodes = group.episodes;
  const open = episodes.filter(isOpen);
  const worst = open.reduce<Episode | undefined>(
    (a, b) => (a && compareSeverity(a.severity, b.severity) >= 0 ? a : b),
    undefined,
  );
  // Once all are over: those whose end was seen, if there are any.
  const resolved = episodes.filter(({ state }) => state === "resolved");
  const counted = [open, resolved].find((those) => those.length > 0) ?? episodes;
  const count = counted.length === episodes.length ? `${counted.length}` : `${counted.length} of ${episodes.length}`;
  const words = groupTitles(kind, strong(count), strong(network));
  const unseen = open.length === 0 && resolved.length === 0;
  const good = text`${group.merged === true ? OVER_ALREADY : ""}${words.good}`;
  const [over = message.episode] = counted;
  const named = [...open, ...episodes.filter((one) => !isOpen(one))].slice(0, NAMED_SUBJECTS);
  const left = episodes.length - named.length;
  return reply({
    tone: worst === undefined ? (unseen ? "neutral" : "good") : TONES[worst.severity],
    title:
      worst === undefined
        ? markedTitle(unseen ? endWord(over, group.merged) : undefined, unseen ? words.bad : good, message)
        : markedTitle(undefined, words.bad, message),
    blocks: [
      ...(worst === undefined
        ? []
        : [paragraph(text`${strong(SEVERITY_WORDS[worst.severity])} · ${spanWords(worst)}`)]),
      ...(message.drill === true ? [paragraph(DRILL_NOTICE)] : worst === undefined ? [] : explanation(worst)),
      ...(worst === undefined ? [] : guidanceBlocks(kind, context, message)),
      {
        kind: "list",
        items: [...named.map(memberLine), ...moreLine(left, growing)],
      },
      ...(worst === undefined ? [] : lateTriggerNote(message.already)),
    ],
    attachments: left === 0 || growing === true ? [] : [groupFile(group, `${network}-${kind}`, message)],
    actions: groupActions(message.episode, group, open),
  });
}

/** Counts the subjects that a message does not name. */
export function moreLine(left: number, growing: true | undefined): Text[] {
  if (left === 0) return [];
  return [growing === true ? text`and ${left} more, whose file follows` : text`and ${left} more, which the file names`];
}

/** The titles of so many alerts of a kind: while any is open, and once all are over. */
export function groupTitles(kind: AlertKind, count: TextPart, network: TextPart): ReturnType<GroupWords> {
  const { words } = KINDS[kind];
  return (
    GROUP_WORDS[kind]?.(count, network) ?? {
      bad: text`${count} alerts on ${network}: ${words}`,
      good: text`${count} alerts on ${network} are over: ${words}`,
    }
  );
}

/** What happened in the course of another alert, and is said by its message. */
export function storyBlocks(episode: Episode, { episodes, notices }: MessageGroup): Block[] {
  const rest = episodes.filter(({ id }) => id !== episode.id);
  const events = notices.flatMap((one) => (one.type === "event" ? [one.event] : []));
  if (rest.length + events.length === 0) return [];
  const named = rest.slice(-NAMED_SUBJECTS);
  const left = rest.length - named.length;
  const items = named.map((one) => text`${conditionWords(one).bad}: ${spanWords(one)}`);
  const earlier = left === 0 ? [] : [text`${left} earlier ones are not listed`];
  return [
    paragraph(text`${strong("Meanwhile:")}`),
    { kind: "list", items: [...earlier, ...items, ...eventLines(events)] },
  ];
}

function memberLine(episode: Episode): Text {
  const { acknowledged } = episode;
  const by = acknowledged === undefined || !isOpen(episode) ? [] : text`, acknowledged by ${acknowledged.by}`;
  const label = "label" in episode.last ? episode.last.label : undefined;
  return text`${subjectWords({ ...episode, label })}: ${spanWords(episode)}${by}`;
}

function spanWords(episode: Episode): Text {
  if (isOpen(episode)) return text`since ${sinceWords(episode)}`;
  const ended = time(timeFromText(episode.recovered ?? episode.ended ?? episode.detected));
  if (episode.state === "resolved") return text`${sinceWords(episode)} to ${ended}`;
  return text`${sinceWords(episode)}, ${episode.state === "gone" ? "gone" : "no longer watched"} since ${ended}`;
}

/** A market by the name that people know, a node by its own. */
export function subjectWords(of: {
  readonly kind: AlertKind;
  readonly subject: string;
  readonly label?: string | undefined;
}): TextPart {
  const { kind, subject, label } = of;
  if (label !== undefined) return strong(label);
  return KINDS[kind].about === "market" ? id(subject) : code(subject);
}

/** As it was when each fired, so that the file changes only when the group grows. */
function groupFile({ episodes }: MessageGroup, name: string, marks: { simulated?: true | undefined }): Attachment {
  const figures = episodes.map((episode) => {
    const { fields } = conditionWords({ ...episode, last: episode.first });
    return new Map(fields.map((one) => [plainText(one.name), one.value]));
  });
  const titles = [...new Set(figures.flatMap((values) => [...values.keys()]))];
  const rows = episodes.map(({ subject, severity, first, began, detected }, index) => [
    subject,
    "label" in first && first.label !== undefined ? first.label : "–",
    severity,
    formatUtc(timeFromText(began)),
    formatUtc(timeFromText(detected)),
    ...titles.map((title) => figures[index]?.get(title) ?? "–"),
  ]);
  return tableFile(name, ["Subject", "Name", "Severity", "Began", "Detected", ...titles], rows, marks);
}

/** Acknowledge and Silence hold for all that the message says now, whatever joins it later. */
function groupActions({ id: first }: Episode, group: MessageGroup, open: readonly Episode[]): Action[] {
  const all = groupReference(group);
  const details: Action = commandAction("Details", "alerts why", { episode: first });
  if (open.length === 0) return [details];
  const silence = { what: all, for: "1h" };
  return [
    ...(open.every(({ acknowledged }) => acknowledged !== undefined)
      ? []
      : [commandAction("Acknowledge", "alerts ack", { episode: all })]),
    { label: "Silence 1 h", invocation: { command: "alerts silence", options: silence }, effect: "reply" },
    details,
  ];
}
