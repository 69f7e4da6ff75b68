// Renders a Reply as one Discord message within every limit. Read next: blocks.ts and table.ts (blocks as markdown),
// markdown.ts (inline text, escaping), buttons.ts (actions, custom_ids), compose.ts and files.ts (ready to send).

import type { APIAllowedMentions, APIEmbed } from "discord-api-types/v10";

import type { Block } from "../../../reply/block.ts";
import { tableAttachment } from "../../../reply/csv.ts";
import { fullTextAttachment } from "../../../reply/full-text.ts";
import { messageFile, type MessageFile, nameFiles } from "../../../reply/message-files.ts";
import type { Reply, Tone } from "../../../reply/reply.ts";
import { EMBED_DESCRIPTION_LENGTH, EMBED_TITLE_LENGTH, EMBED_URL_LENGTH } from "../limits.ts";
import { renderBlock } from "./blocks.ts";
import { type ActionRows, type MessageContext, type Press, renderButtons, splitActions } from "./buttons.ts";
import { escapeMarkdown, flatText, isWebAddress, type Markup, renderText, type ShortenedId } from "./markdown.ts";

/** A reply as one Discord message. `unstored` presses get their final custom_id once they are in the store. */
export interface DiscordMessage {
  readonly embeds: APIEmbed[];
  readonly components: ActionRows;
  readonly allowed_mentions: APIAllowedMentions;
  /** All files: those of the reply, then those with the content that did not fit. compose.ts packs surplus ones. */
  readonly files: readonly MessageFile[];
  readonly unstored: ReadonlyMap<string, Press>;
}

const COLORS: Record<Tone, number> = { neutral: 0x4f6bed, good: 0x2e9e5b, warning: 0xd99a00, bad: 0xd83a3e };
const FOOTER_LENGTH = 600;
const OVERFLOW_ACTIONS_LENGTH = 700;
/** Reserved for the line that says what was shortened. */
const TRUNCATION_NOTE_LENGTH = 200;
/** Ids behind the button "Full ids"; further ones are in the file with the whole reply. */
const MAX_IDS = 60;

/** Renders any reply within every limit; omitted content is counted and attached as a file. Pure and total. */
export function renderDiscord(reply: Reply, context: MessageContext = {}): DiscordMessage {
  const ids: ShortenedId[] = [];
  const onId = (name: string, value: string): void => {
    if (!ids.some((one) => one.value === value)) ids.push({ name, value });
  };
  const { given, csvNames, add } = nameFiles(reply);
  const title = titleOf(reply, (value) => onId("", value));
  const footer =
    reply.footer === undefined
      ? undefined
      : renderText(reply.footer, { max: FOOTER_LENGTH, onId: (value) => onId("", value) });
  const actions = splitActions(reply.actions);
  const left = overflowActions(actions.left);
  const space =
    EMBED_DESCRIPTION_LENGTH - TRUNCATION_NOTE_LENGTH - (footer?.markdown.length ?? 0) - left.markdown.length - 20;
  const blocks = renderBlocks(reply.blocks, csvNames, space, onId);
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
  const wholeName = whole ? undefined : add("whole-reply.txt");

  const description = [
    joinBlocks(blocks.map((markup) => markup.markdown)),
    left.markdown,
    ...(wholeName === undefined ? [] : [truncationNote(blocks, wholeName)]),
    ...(footer === undefined || footer.markdown.trim() === "" ? [] : [`-# ${footer.markdown.trim()}`]),
  ]
    .filter((part) => part !== "")
    .join("\n");
  const files: MessageFile[] = [
    ...given,
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

/** Titles in plain text: Discord shows neither useful markup nor local times in them. */
function titleOf(reply: Reply, onId: (value: string) => void): Markup {
  const flat = flatText(reply.title, onId);
  const { markdown, whole } = renderText([{ kind: "text", text: flat }], { max: EMBED_TITLE_LENGTH });
  return { markdown: markdown.trim(), whole };
}

/** Renders each block whole where all fit; otherwise tables shrink first, the largest most. */
function renderBlocks(
  blocks: readonly Block[],
  files: readonly string[],
  space: number,
  onId: (name: string, value: string) => void,
): Markup[] {
  const measured = blocks.map((block, index) => {
    const ids: [string, string][] = [];
    const noteId = (name: string, value: string): void => void ids.push([name, value]);
    return { ids, markup: renderBlock(block, { max: space, file: files[index] ?? "", onId: noteId }) };
  });
  const needs = measured.map(({ markup }) => markup.markdown.length + 2);
  const isTable = (index: number): boolean => blocks[index]?.kind === "table";
  const words = needs.filter((_need, index) => !isTable(index));
  const tables = needs.filter((_need, index) => isTable(index));
  // Each table keeps space for a line that says what it holds.
  const tableFloor = Math.min(space / 2, tables.length * 150, sum(tables));
  const wordShares = divide(words, space - tableFloor);
  const tableShares = divide(tables, space - sum(wordShares));
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

/** Divides a space: small needs are met in full, large ones share the rest equally. */
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

/** Puts a blank line between paragraphs, and none beside code blocks, which bring their own distance. */
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

/** The actions without a button, one a line, as far as they fit. */
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
