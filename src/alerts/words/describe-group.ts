import { RESOLVED_TONE, SEVERITY } from "../../reply/states.js";
import { type Attachment, reply, type Reply } from "../../reply/reply.ts";
import { type Block, paragraph } from "../../reply/block.ts";
import { plainText } from "../../reply/plain-text.ts";
import { code, id, strong, text, type Text, type TextPart } from "../../reply/text.ts";
import { formatUtc } from "../../units/time.ts";
import { DRILL_NOTICE, type Episode, isOpen } from "../judge/rules/episode.ts";
import { compareSeverity, timeFromText } from "../judge/kinds/kind.ts";
import { type AlertKind, KINDS } from "../judge/kinds/kinds.ts";
import type { DeliveryContext } from "../message/delivery-subject.ts";
import type { MessageOf } from "../message/message.ts";
import { labelOf } from "../judge/kinds/reading.ts";
import { conditionWords, happening } from "./condition-words.ts";
import { eventLines } from "./describe-event.ts";
import { overWith } from "./market-words.ts";
import {
  actionsOf,
  explanation,
  guidanceBlocks,
  markedTitle,
  lateTriggerNote,
  tableFile,
  UNSEEN_ENDS,
  openWords,
  overLead,
  overWords,
  spanWords,
} from "./phrases.ts";
import { type MessageGroup, NAMED_SUBJECTS } from "../message/message-group.ts";

/** Sentences about episodes of a kind, as `now` and `past` are about one; `%` is the network, `{of several|of one}` a verb. */
const GROUP_WORDS: Partial<Record<AlertKind, readonly [now: string, past: string]>> = {
  "network.time-back": [
    "nodes on % {say|says} an earlier time than before",
    "nodes on % said an earlier time than before",
  ],
  "node.lagging": ["nodes {lag|lags} behind %", "nodes lagged behind %"],
  "node.down": ["nodes on % {do|does} not answer", "nodes on % did not answer"],
  "node.lying": [
    "nodes on % {give|gives} answers that cannot be right",
    "nodes on % gave answers that cannot be right",
  ],
  "node.diverges": [
    "nodes on % {tell|tells} another history than the others",
    "nodes on % told another history than the others",
  ],
  "node.refuses": ["nodes on % {refuse|refuses} to answer", "nodes on % refused to answer"],
  "node.slow": ["nodes on % {answer|answers} slowly", "nodes on % answered slowly"],
  "market.auction": ["markets on % {are|is} in an auction", "markets on % {were|was} in an auction"],
  "market.price": [
    "markets on % {are|is} beyond {their|its} thresholds",
    "markets on % {were|was} beyond {their|its} thresholds",
  ],
  "market.bound": ["markets on % {are|is} near a price bound", "markets on % {were|was} near a price bound"],
  "market.value": [
    "markets on % {are|is} beyond {their|its} limits",
    "markets on % {were|was} beyond {their|its} limits",
  ],
};

/** Several episodes of one kind in one message: how many are open, the first of them by name, all of them in a file. */
export function describeGroup(
  message: MessageOf<"condition">,
  group: MessageGroup,
  context: Pick<DeliveryContext, "growing" | "guidance" | "spent">,
): Reply {
  const { growing } = context;
  const { kind, network } = message.episode;
  const episodes = group.episodes;
  const now = episodes.filter(isOpen);
  const open = toldAsOpen(episodes, context);
  const [worst] = open.toSorted((a, b) => compareSeverity(b.severity, a.severity));
  // Once all are over: those whose end was seen, if there are any.
  const resolved = episodes.filter(({ state }) => state === "resolved");
  const counted = [open, resolved].find((those) => those.length > 0) ?? episodes;
  const count = counted.length === episodes.length ? `${counted.length}` : `${counted.length} of ${episodes.length}`;
  const words = groupTitles(kind, strong(count), strong(network), counted.length === 1);
  const unseen = open.length === 0 && resolved.length === 0 ? UNSEEN_ENDS[episodes[0]?.state ?? "gone"] : undefined;
  const named = [...now, ...episodes.filter((one) => !isOpen(one))].slice(0, NAMED_SUBJECTS);
  const left = episodes.length - named.length;
  return reply({
    tone: worst === undefined ? (unseen === undefined ? RESOLVED_TONE : "neutral") : SEVERITY[worst.severity].tone,
    title: markedTitle(
      worst !== undefined
        ? text`${words.now}${openWords(open, message)}`
        : unseen === undefined
          ? text`${overLead(group.merged)}${words.past}${overWords(counted)}`
          : text`${group.merged === true ? overLead(true) : ""}${words.past}: ${unseen}`,
      message,
    ),
    blocks: [
      ...(worst === undefined
        ? []
        : [paragraph(text`${strong(SEVERITY[worst.severity].word)} · ${now.length} of ${episodes.length} now`)]),
      ...(message.drill === true ? [paragraph(DRILL_NOTICE)] : worst === undefined ? [] : explanation(worst)),
      ...(worst === undefined ? [] : guidanceBlocks(kind, context, message)),
      {
        kind: "list",
        items: [...named.map(memberLine), ...moreLine(left, growing)],
      },
      ...(worst === undefined ? [] : lateTriggerNote(message.already)),
    ],
    attachments: left === 0 || growing === true ? [] : [groupFile(group, `${network}-${kind}`, message)],
    actions: actionsOf(message.episode, group),
  });
}

/** Those that are open; all of them where none is, and the message keeps its words: the end is another one then. */
function toldAsOpen(episodes: readonly Episode[], { spent }: Pick<DeliveryContext, "spent">): readonly Episode[] {
  const open = episodes.filter((one) => isOpen(one));
  return spent === true && open.length === 0 ? episodes : open;
}

/** Counts the subjects that a message does not name. */
export function moreLine(left: number, growing: true | undefined): Text[] {
  if (left === 0) return [];
  return [growing === true ? text`and ${left} more, whose file follows` : text`and ${left} more, which the file names`];
}

/** The sentences about so many alerts of a kind. */
export function groupTitles(
  kind: AlertKind,
  count: TextPart,
  network: TextPart,
  isOne = false,
): Readonly<Record<"now" | "past", Text>> {
  const other = `alerts on %: ${KINDS[kind].words}`;
  const [now, past] = GROUP_WORDS[kind] ?? [other, other];
  const about = (sentence: string): Text => {
    const [before, after] = sentence.replaceAll(/\{(\w+)\|(\w+)\}/gu, isOne ? "$2" : "$1").split("%");
    return text`${count} ${before}${network}${after}`;
  };
  return { now: about(now), past: about(past) };
}

/** What happened in the course of another alert, and is said by its message. */
export function storyBlocks(episode: Episode, { episodes, notices }: MessageGroup): Block[] {
  const rest = episodes.filter(({ id }) => id !== episode.id);
  const events = notices.flatMap((one) =>
    one.type === "event" ? [one.event] : one.type === "digest" ? one.events : [],
  );
  if (rest.length + events.length === 0) return [];
  const named = rest.slice(-NAMED_SUBJECTS);
  const left = rest.length - named.length;
  const items = named.map((one) => text`${happening(one)}: ${spanOf(one)}`);
  const earlier = left === 0 ? [] : [text`${left} earlier ones are not listed`];
  return [
    paragraph(text`${strong("Meanwhile:")}`),
    { kind: "list", items: [...earlier, ...items, ...eventLines(events)] },
  ];
}

function memberLine(episode: Episode): Text {
  const { acknowledged } = episode;
  const by = acknowledged === undefined || !isOpen(episode) ? [] : text`, acknowledged by ${acknowledged.by}`;
  const over =
    isOpen(episode) || !("over" in episode.last) ? [] : overWith(episode.last, conditionWords(episode).figures);
  return text`${subjectWords({ ...episode, label: labelOf(episode.last) })}${over}: ${spanOf(episode)}${by}`;
}

/** Clock times, as in the first line of the message. */
function spanOf(episode: Episode): Text {
  const unseen = UNSEEN_ENDS[episode.state];
  const span = spanWords(episode, !isOpen(episode));
  return unseen === undefined ? span : text`${span}, ${unseen}`;
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
    labelOf(first) ?? "–",
    severity,
    formatUtc(timeFromText(began)),
    formatUtc(timeFromText(detected)),
    ...titles.map((title) => figures[index]?.get(title) ?? "–"),
  ]);
  return tableFile(name, ["Subject", "Name", "Severity", "Began", "Detected", ...titles], rows, marks);
}
