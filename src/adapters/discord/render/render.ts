import type { APIAllowedMentions, APIEmbed } from "discord-api-types/v10";

import { type Attachment, UniqueFileNames } from "../../../reply/attachment.ts";
import type { Block } from "../../../reply/block.ts";
import { tableAttachment } from "../../../reply/csv.ts";
import { fullTextAttachment } from "../../../reply/full-text.ts";
import type { Reply, Tone } from "../../../reply/reply.ts";
import { ALT_TEXT_LENGTH, EMBED_DESCRIPTION_LENGTH, EMBED_TITLE_LENGTH, EMBED_URL_LENGTH } from "../limits.ts";
import { renderBlock } from "./blocks.ts";
import { type ActionRows, type MessageContext, type Press, renderButtons, splitActions } from "./buttons.ts";
import { escapeMarkdown, flatText, isWebAddress, type Markup, renderText, type ShortenedId } from "./markdown.ts";

/** A file of a message, under the name it has there. */
export interface MessageFile {
  readonly name: string;
  readonly alt: string | undefined;
  readonly attachment: Attachment;
}

/** A reply as one Discord message. `unkept` presses get their final custom_id once they are in the store. */
export interface DiscordMessage {
  readonly embeds: APIEmbed[];
  readonly components: ActionRows;
  readonly allowed_mentions: APIAllowedMentions;
  /** All files, the given ones before those that carry what did not fit. More than a message takes are packed before sending. */
  readonly files: readonly MessageFile[];
  readonly unstored: ReadonlyMap<string, Press>;
}

const COLORS: Record<Tone, number> = { neutral: 0x4f6bed, good: 0x2e9e5b, warning: 0xd99a00, bad: 0xd83a3e };
const FOOTER_LENGTH = 600;
const OVERFLOW_ACTIONS_LENGTH = 700;
/** What a block that was cut is worth at least: a title and a line. */
const TRUNCATION_NOTE_LENGTH = 200;
/** Nobody copies more than this from a phone; all of them are in the file. */
const MAX_IDS = 60;

/** Any reply within every limit of Discord; what does not fit is counted, and goes along as a file. Pure and total. */
export function renderDiscord(reply: Reply, context: MessageContext = {}): DiscordMessage {
  const ids: ShortenedId[] = [];
  const onId = (name: string, value: string): void => {
    if (!ids.some((one) => one.value === value)) ids.push({ name, value });
  };
  const names = new UniqueFileNames();
  const given = [...reply.attachments, ...(reply.picture === undefined ? [] : [reply.picture])].map((attachment) => ({
    name: names.add(attachment.name),
    attachment,
  }));
  const csvNames = reply.blocks.map((block) =>
    block.kind === "table" ? names.add(`${block.name === "" ? "table" : block.name}.csv`) : "",
  );

  const title = titleOf(reply, (value) => onId("", value));
  const footer =
    reply.footer === undefined
      ? undefined
      : renderText(reply.footer, { max: FOOTER_LENGTH, onId: (value) => onId("", value) });
  const actions = splitActions(reply.actions);
  const left = overflowActions(actions.left);
  const room =
    EMBED_DESCRIPTION_LENGTH - TRUNCATION_NOTE_LENGTH - (footer?.markdown.length ?? 0) - left.markdown.length - 20;
  const blocks = renderBlocks(reply.blocks, csvNames, room, onId);
  const buttons = renderButtons(actions.shown, reply, ids.slice(0, MAX_IDS), context);

  const tables = blocks.flatMap((markup, index) => {
    const block = reply.blocks[index];
    return block?.kind === "table" && markup.csv === true ? [{ block, name: csvNames[index] ?? "" }] : [];
  });
  const whole =
    title.whole &&
    (footer?.whole ?? true) &&
    buttons.whole &&
    ids.length <= MAX_IDS &&
    left.whole &&
    blocks.every((markup) => markup.whole);
  const wholeName = whole ? undefined : names.add("whole-reply.txt");

  const description = [
    joinBlocks(blocks.map((markup) => markup.markdown)),
    left.markdown,
    ...(wholeName === undefined ? [] : [truncationNote(blocks, wholeName)]),
    ...(footer === undefined || footer.markdown.trim() === "" ? [] : [`-# ${footer.markdown.trim()}`]),
  ]
    .filter((part) => part !== "")
    .join("\n");
  const files: MessageFile[] = [
    ...given.map(({ name, attachment }) => messageFile(name, attachment)),
    ...tables.map(({ block, name }) => messageFile(name, tableAttachment(block))),
    ...(wholeName === undefined ? [] : [messageFile(wholeName, fullTextAttachment(reply, wholeName))]),
  ];
  const picture = given.find(({ attachment }) => attachment === reply.picture);
  const embed: APIEmbed = {
    color: COLORS[reply.tone],
    ...(title.markdown === "" ? {} : { title: title.markdown }),
    ...(reply.url !== undefined && title.markdown !== "" && isWebAddress(reply.url, EMBED_URL_LENGTH)
      ? { url: reply.url }
      : {}),
    ...(description.trim() === "" ? (title.markdown === "" ? { description: "–" } : {}) : { description }),
    ...(picture === undefined ? {} : { image: { url: `attachment://${picture.name}` } }),
  };
  return {
    embeds: [embed],
    components: buttons.rows,
    allowed_mentions: { parse: [] },
    files,
    unstored: buttons.unstored,
  };
}

/** Titles know no markup worth having, and no local time. */
function titleOf(reply: Reply, onId: (value: string) => void): Markup {
  const flat = flatText(reply.title, onId);
  const { markdown, whole } = renderText([{ kind: "text", text: flat }], { max: EMBED_TITLE_LENGTH });
  return { markdown: markdown.trim(), whole };
}

/** Each block gets what it needs where all fit; otherwise tables shrink first, and the largest most. */
function renderBlocks(
  blocks: readonly Block[],
  files: readonly string[],
  room: number,
  onId: (name: string, value: string) => void,
): Markup[] {
  const measured = blocks.map((block, index) => {
    const ids: [string, string][] = [];
    const noteId = (name: string, value: string): void => void ids.push([name, value]);
    return { ids, markup: renderBlock(block, { max: room, file: files[index] ?? "", onId: noteId }) };
  });
  const needs = measured.map(({ markup }) => markup.markdown.length + 2);
  const isTable = (index: number): boolean => blocks[index]?.kind === "table";
  const words = needs.filter((_need, index) => !isTable(index));
  const tables = needs.filter((_need, index) => isTable(index));
  // Each table keeps room for a line that says what it holds.
  const tableFloor = Math.min(room / 2, tables.length * 150, sum(tables));
  const wordShares = divide(words, room - tableFloor);
  const tableShares = divide(tables, room - sum(wordShares));
  return measured.map(({ ids, markup }, index) => {
    const given = (isTable(index) ? tableShares : wordShares).shift() ?? 0;
    const block = blocks[index];
    if (block !== undefined && given < (needs[index] ?? 0)) {
      return renderBlock(block, { max: Math.floor(given) - 2, file: files[index] ?? "", onId });
    }
    for (const [name, value] of ids) onId(name, value);
    return markup;
  });
}

/** Divides a space: the small get what they need, the large what is left in equal parts. */
function divide(needs: readonly number[], space: number): number[] {
  const shares = needs.map(() => 0);
  let free = Math.max(0, space);
  const order = needs.map((_need, index) => index).toSorted((a, b) => (needs[a] ?? 0) - (needs[b] ?? 0));
  for (const [place, index] of order.entries()) {
    const part = Math.min(needs[index] ?? 0, free / (order.length - place));
    shares[index] = part;
    free -= part;
  }
  return shares;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** A blank line between paragraphs; none beside what brings its own distance. */
function joinBlocks(parts: readonly string[]): string {
  let joined = "";
  for (const part of parts) {
    if (part.trim() === "") continue;
    const close = joined.endsWith("```") || part.startsWith("```");
    joined += joined === "" ? part : `${close ? "\n" : "\n\n"}${part}`;
  }
  return joined;
}

function truncationNote(blocks: readonly Markup[], file: string): string {
  const missing = blocks.filter((markup) => !markup.whole).length;
  const what = missing === 0 ? "Shortened to fit" : `${missing} of ${blocks.length} parts shortened to fit`;
  return `-# ${what}; all of it in ${escapeMarkdown(file)}`;
}

/** The actions that are not buttons, one a line, as far as there is room. */
function overflowActions(lines: readonly string[]): Markup {
  if (lines.length === 0) return { markdown: "", whole: true };
  let markdown = `-# ${lines.length} more, without a button:`;
  let whole = true;
  for (const line of lines) {
    if (markdown.length + line.length + 6 <= OVERFLOW_ACTIONS_LENGTH) markdown += `\n-# ${line}`;
    else whole = false;
  }
  return { markdown, whole };
}

function messageFile(name: string, attachment: Attachment): MessageFile {
  const alt = attachment.alt?.toWellFormed().trim().slice(0, ALT_TEXT_LENGTH).toWellFormed();
  return { name, alt: alt === undefined || alt === "" ? undefined : alt, attachment };
}
