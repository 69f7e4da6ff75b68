import stringWidth from "string-width";

import { type Block, hasRows, type Table } from "../../../reply/block.ts";
import { printable, plainText } from "../../../reply/plain-text.ts";
import { type Text, toText } from "../../../reply/text.ts";
import type { CommandMention } from "../command-mentions.ts";
import { PHONE_COLUMNS } from "../limits.ts";
import { type InlineOptions, insideFence, type Markup, renderText } from "./markdown.ts";
import { renderTable, type TableContext, type TableMarkup } from "./table.ts";

export interface BlockContext extends Omit<TableContext, "onId" | "apart"> {
  readonly onId: (name: string, value: string) => void;
  readonly mention?: CommandMention | undefined;
  /** Whether the rows of this table are to have a button beside each. */
  readonly apart?: (table: Table) => boolean;
}

export interface BlockMarkup extends Markup {
  /** Of a table: its rows, one by one. */
  readonly rows?: TableMarkup["rows"];
}

/** One block within a bound. A block that does not fit shows as many whole lines as do. */
export function renderBlock(block: Block, context: BlockContext): BlockMarkup {
  if (context.max < 1) return { markdown: "", whole: false, ...(hasRows(block) ? { csv: true } : {}) };
  const { max, mention, wholeIds } = context;
  const onId = (value: string): void => context.onId("", value);
  switch (block.kind) {
    case "paragraph": {
      const { markdown, whole } = renderText(block.text, { max, lines: true, onId, wholeIds, mention });
      return { markdown: markdown.trim().replaceAll(/\n{3,}/gu, "\n\n"), whole };
    }
    case "fields":
      return lines(
        block.title,
        block.fields.map((one) => (max) => {
          const name = renderText(one.name, { max, onId, wholeIds });
          const label = name.markdown.trim() === "" ? "" : `${name.markdown.trim()}: `;
          const onFieldId = (id: string): void => context.onId(plainText(one.name), id);
          const value = renderText(one.value, { max: max - label.length, onId: onFieldId, wholeIds, mention });
          return { markdown: `${label}${value.markdown.trim()}`.trim(), whole: name.whole && value.whole };
        }),
        { max, onId, wholeIds },
      );
    case "list":
      return lines(
        block.title,
        block.items.map((item) => (max) => {
          const { markdown, whole } = renderText(item, { max: max - 2, onId, wholeIds, mention });
          return { markdown: `- ${markdown.trim() === "" ? "–" : markdown.trim()}`, whole };
        }),
        { max, onId, wholeIds },
      );
    case "table":
      return renderTable(block, { ...context, onId, apart: context.apart?.(block) === true });
    case "code": {
      const line = block.command === true ? mention?.(block.text) : undefined;
      if (line !== undefined && line.length <= max) return { markdown: line, whole: true };
      return codeBlock(block.command === true ? `/${block.text}` : block.text, block.language, max);
    }
    // Where it was drawn, the picture stands in place of the block. The heading has its title.
    case "chart": {
      const { markdown, whole } = renderText(toText(block.alt.replace(`${block.scene.title}. `, "")), {
        max,
        onId,
        wholeIds,
      });
      return { markdown: markdown.trim(), whole };
    }
  }
}

/** Lines below a title. The first one may be cut; one after it that does not fit ends the block. */
function lines(
  title: Text | undefined,
  items: readonly ((max: number) => Markup)[],
  { max, ...ids }: Pick<InlineOptions, "onId" | "wholeIds"> & { readonly max: number },
): Markup {
  let { markdown, whole } = renderText(title ?? [], { max: Math.min(max, 300), bold: true, ...ids });
  if (items.length === 0 && markdown !== "" && markdown.length + 2 <= max) markdown += "\n–";
  for (const [index, item] of items.entries()) {
    const space = max - markdown.length - (markdown === "" ? 0 : 1);
    const line = item(Number.POSITIVE_INFINITY);
    const cut = line.markdown.length > space ? (index === 0 && space > 20 ? item(space) : undefined) : line;
    if (cut === undefined || cut.markdown.length > space) return { markdown, whole: false };
    whole &&= cut.whole;
    if (cut.markdown !== "") markdown += `${markdown === "" ? "" : "\n"}${cut.markdown}`;
  }
  return { markdown, whole };
}

function codeBlock(content: string, language: string | undefined, max: number): Markup {
  const tag = /^[a-z0-9+-]{1,20}$/u.test(language ?? "") ? (language ?? "") : "";
  const kept: string[] = [];
  let whole = true;
  let used = `\`\`\`${tag}\n\n\`\`\``.length;
  for (const line of printable(content).split("\n").values().flatMap(wrapLine)) {
    const safe = insideFence(line);
    const room = max - used;
    used += safe.length + (kept.length === 0 ? 0 : 1);
    whole = used <= max;
    if (!whole) {
      // The beginning of a line that is longer than all there is room for.
      if (kept.length === 0 && room > 0) kept.push(safe.slice(0, room).replace(/[\uD800-\uDBFF]$/u, ""));
      break;
    }
    kept.push(safe);
  }
  // A block that begins or ends with blank lines loses them on Discord; one of nothing else is no block at all.
  const body = kept.join("\n").replace(/^\n+|\s+$/gu, "");
  return { markdown: body.trim() === "" ? "" : `\`\`\`${tag}\n${body}\n\`\`\``, whole };
}

/** Lines of a phone's width, broken at blanks alone: a signature stays in one piece, and Discord wraps longer words. */
function* wrapLine(line: string): Generator<string> {
  const [first = "", ...words] = line.split(" ");
  let piece = first;
  // A blank line may be as long as a node's whole answer: it is not measured again with each blank.
  let isBlank = first.trim() === "";
  for (const word of words) {
    const longer = `${piece} ${word}`;
    if (isBlank || stringWidth(longer) <= PHONE_COLUMNS) piece = longer;
    else {
      yield piece;
      piece = word;
      isBlank = true;
    }
    isBlank &&= word.trim() === "";
  }
  yield piece;
}

interface FitContext extends Omit<BlockContext, "max" | "held" | "holdsFold"> {
  /** Names the file with the rest of the table at this place; undefined where Details shows the rest. */
  heldOf(index: number): string | undefined;
  /** Whether that file has what the table says below the fold. */
  holdsFold?(index: number): boolean;
}

/** Renders each block whole where all fit; otherwise tables shrink first, the largest most. */
export function fitBlocks(blocks: readonly Block[], space: number, context: FitContext): BlockMarkup[] {
  const { onId } = context;
  const contextOf = (index: number, max: number): BlockContext => ({
    ...context,
    max,
    held: context.heldOf(index),
    holdsFold: context.holdsFold?.(index),
  });
  const measured = blocks.map((block, index) => {
    const ids: [string, string][] = [];
    const noteId = (name: string, value: string): void => void ids.push([name, value]);
    return { ids, markup: renderBlock(block, { ...contextOf(index, space), onId: noteId }) };
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
      return renderBlock(block, contextOf(index, Math.floor(given) - 2));
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

/** Puts a blank line between paragraphs, and none beside code blocks, which Discord sets apart. */
export function joinBlocks(parts: readonly string[]): string {
  let joined = "";
  for (const part of parts) {
    if (part.trim() === "") continue;
    const close = joined.endsWith("```") || part.startsWith("```");
    joined += joined === "" ? part : `${close ? "\n" : "\n\n"}${part}`;
  }
  return joined;
}
