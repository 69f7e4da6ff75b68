// A reply as one Slack message within Slack's limits; files carry the content that does not fit.
// Next: blocks.ts and table.ts (the blocks of a reply), mrkdwn.ts (inline text and escaping), buttons.ts (actions and
// presses), form.ts (a command's options as a modal), compose.ts (makes a message ready to send).

import type { KnownBlock } from "@slack/types";

import { tableAttachment } from "../../../reply/csv.ts";
import { fullTextAttachment } from "../../../reply/full-text.ts";
import { messageFile, type MessageFile, nameFiles } from "../../../reply/message-files.ts";
import { plainText } from "../../../reply/plain-text.ts";
import type { Reply, Tone } from "../../../reply/reply.ts";
import { HEADER_LENGTH, MAX_BLOCKS, MESSAGE_LENGTH, SECTION_LENGTH, TEXT_LENGTH } from "../limits.ts";
import { contextBlock as smallPrint, renderBlock, type RenderedBlocks, sectionBlock } from "./blocks.ts";
import { type MessageContext, type Press, renderButtons, STORED_PRESS_VALUE_LENGTH, textLength } from "./buttons.ts";
import { escapeMrkdwn, renderPlain, renderText } from "./mrkdwn.ts";

/** A reply as one Slack message. `unstored` presses get their value once they are in the store. */
export interface SlackMessage {
  /** The essence, for notifications and readers that show no blocks. */
  readonly text: string;
  readonly blocks: readonly KnownBlock[];
  /** All files, those of the reply first; Slack uploads them beside the message. */
  readonly files: readonly MessageFile[];
  readonly unstored: ReadonlyMap<string, Press>;
  /** The files are sent only when somebody presses "Send as file": not with each page of a long list. */
  readonly filesLater: boolean;
}

/** An emoji for each tone, since a Block Kit message has no colour of its own. */
const TONE_EMOJI: Record<Tone, string> = { neutral: "", good: "🟢 ", warning: "🟠 ", bad: "🔴 " };
const FOOTER_LENGTH = 600;
const OVERFLOW_ACTIONS_LENGTH = 700;
/** Reserved for the title and the line that says what was left out. */
const RESERVED_LENGTH = 500;
/** Title, buttons, actions as text, note, footer, and the lines about files, buttons, asker and channel. */
const RESERVED_BLOCKS = 9;

/** Any reply within every limit of Slack; content that does not fit is counted, and attached as a file. Pure and total. */
export function renderSlack(reply: Reply, context: MessageContext = {}): SlackMessage {
  const { given, csvNames, add } = nameFiles(reply);
  const title = renderTitle(reply);
  const later = context.ask !== undefined && (given.length === 0 || context.replaces === true);
  // Length for the file button is reserved before it is known whether it is needed.
  const widest = renderButtons(reply, context, { files: later });
  const footer = renderText(reply.footer ?? [], { max: FOOTER_LENGTH });
  const left = overflowActions(widest.overflow, OVERFLOW_ACTIONS_LENGTH);
  const buttonsLength = textLength(widest.block) + widest.unstored.size * STORED_PRESS_VALUE_LENGTH;
  const fixed = RESERVED_LENGTH + title.length + buttonsLength + footer.mrkdwn.length + left.text.length;
  const body = renderBody(reply, csvNames, MESSAGE_LENGTH - fixed);
  const whole = title.whole && widest.whole && footer.whole && left.whole && body.every((part) => part.whole);
  const wholeName = whole ? undefined : add("whole-reply.txt");

  const tables = reply.blocks.flatMap((block, index) =>
    block.kind === "table" && (body[index]?.csv === true || body[index]?.whole === false)
      ? [messageFile(csvNames[index] ?? "", tableAttachment(block))]
      : [],
  );
  const filesLater = later && (given.length > 0 || tables.length > 0 || wholeName !== undefined);
  const buttons = filesLater === later ? widest : renderButtons(reply, context, { files: filesLater });

  const blocks: KnownBlock[] = [
    title.block,
    ...body.flatMap((part) => part.blocks),
    ...(left.text === "" ? [] : [sectionBlock(left.text)]),
    ...(wholeName === undefined ? [] : [smallPrint(escapeMrkdwn(truncationNote(body, wholeName)))]),
    ...(buttons.block === undefined ? [] : [buttons.block]),
    ...(footer.mrkdwn.trim() === "" ? [] : [smallPrint(footer.mrkdwn)]),
  ];
  return {
    text: notificationText(reply),
    blocks,
    files: [
      ...given,
      ...tables,
      ...(wholeName === undefined ? [] : [messageFile(wholeName, fullTextAttachment(reply, wholeName))]),
    ],
    unstored: buttons.unstored,
    filesLater,
  };
}

function renderTitle(reply: Reply): { block: KnownBlock; length: number; whole: boolean } {
  const emoji = TONE_EMOJI[reply.tone];
  const plain = renderPlain(reply.title, HEADER_LENGTH - emoji.length);
  const linked = reply.url !== undefined && /^https?:\/\//iu.test(reply.url) && reply.url.length <= 1500;
  if (plain.whole && plain.text !== "" && !linked) {
    const text = `${emoji}${plain.text}`;
    return {
      block: { type: "header", text: { type: "plain_text", text, emoji: false } },
      length: text.length,
      whole: true,
    };
  }
  const content = linked
    ? renderText([{ kind: "link", text: plainText(reply.title), url: reply.url ?? "" }], { max: SECTION_LENGTH - 10 })
    : renderText(reply.title, { max: SECTION_LENGTH / 2, bold: true });
  const mrkdwn = `${emoji}${content.mrkdwn.trim() === "" ? "–" : content.mrkdwn}`;
  return { block: sectionBlock(mrkdwn), length: mrkdwn.length, whole: content.whole };
}

/** Each block gets what it needs where all fit; otherwise tables shrink first, and the largest most. */
function renderBody(reply: Reply, csvNames: readonly string[], room: number): RenderedBlocks[] {
  const spare = MAX_BLOCKS - RESERVED_BLOCKS;
  const firstTable = reply.blocks.findIndex((block) => block.kind === "table" && block.rows.length > 0);
  const render = (index: number, length: number, blocks: number): RenderedBlocks => {
    const block = reply.blocks[index];
    if (block === undefined) return { blocks: [], length: 0, whole: true };
    const bounds = { length: Math.floor(length), blocks };
    return renderBlock(block, bounds, index === firstTable, csvNames[index] ?? "");
  };
  const order = reply.blocks.map((_block, index) => index);
  const measured = order.map((index) => render(index, room, spare));
  const needs = measured.map((part) => part.length);
  const blocksNeeded = measured.reduce((sum, part) => sum + part.blocks.length, 0);
  if (needs.reduce((sum, length) => sum + length, 0) <= room && blocksNeeded <= spare) return measured;
  // Text before tables, small blocks before large ones: the remaining length is shared equally.
  const ranked = order.toSorted((a, b) => {
    const tables = Number(reply.blocks[a]?.kind === "table") - Number(reply.blocks[b]?.kind === "table");
    return tables === 0 ? (needs[a] ?? 0) - (needs[b] ?? 0) : tables;
  });
  const tables = reply.blocks.filter((block) => block.kind === "table").length;
  const rendered: RenderedBlocks[] = measured.map(() => ({ blocks: [], length: 0, whole: false }));
  let free = room;
  let freeBlocks = spare;
  // Reserves one Slack block for each later part, as far as there are enough.
  for (const [place, index] of ranked.entries()) {
    const isTable = reply.blocks[index]?.kind === "table";
    // Reserves length for each table's first rows and its note about omitted rows.
    const kept = isTable ? 0 : Math.min(free / 2, tables * 400);
    const share = isTable ? free / (ranked.length - place) : free - kept;
    const later = ranked.length - place - 1;
    const part = render(index, Math.min(share, free), Math.max(Math.min(freeBlocks, 1), freeBlocks - later));
    rendered[index] = part;
    free -= part.length;
    freeBlocks -= part.blocks.length;
  }
  return rendered;
}

function truncationNote(body: readonly RenderedBlocks[], file: string): string {
  const missing = body.filter((part) => !part.whole).length;
  const what = missing === 0 ? "Shortened to fit" : `${missing} of ${body.length} parts shortened to fit`;
  return `${what}; all of it in ${file}`;
}

function overflowActions(lines: readonly string[], max: number): { text: string; whole: boolean } {
  if (lines.length === 0) return { text: "", whole: true };
  let text = `${lines.length} more, without a button:`;
  let shown = 0;
  for (const line of lines) {
    if (text.length + line.length + 3 > max) continue;
    text += `\n• ${line}`;
    shown += 1;
  }
  return { text, whole: shown === lines.length };
}

/** Title and first lines, for a notification. */
function notificationText(reply: Reply): string {
  const [first] = reply.blocks.flatMap((block) => (block.kind === "paragraph" ? [block.text] : []));
  const title = renderPlain(reply.title, TEXT_LENGTH / 2).text;
  const rest = first === undefined ? "" : renderPlain(first, TEXT_LENGTH / 2 - 10).text;
  const text = `${TONE_EMOJI[reply.tone]}${[title, rest].filter((part) => part !== "").join(": ")}`.trim();
  return text === "" ? "–" : text;
}
