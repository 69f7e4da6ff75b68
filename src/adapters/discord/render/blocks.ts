import stringWidth from "string-width";

import type { Block } from "../../../reply/block.ts";
import { printable } from "../../../reply/plain-text.ts";
import type { Text } from "../../../reply/text.ts";
import { PHONE_COLUMNS } from "../limits.ts";
import { insideFence, type Markup, renderText } from "./markdown.ts";
import { renderTable } from "./table.ts";

export interface BlockContext {
  readonly max: number;
  /** The file that carries a table's rows, should it not fit. */
  readonly file: string;
  readonly onId: (name: string, value: string) => void;
}

/** One block within a bound. A block that does not fit shows as many whole lines as do. */
export function renderBlock(block: Block, context: BlockContext): Markup {
  if (context.max < 1) return { markdown: "", whole: false };
  const onId = (value: string): void => context.onId("", value);
  switch (block.kind) {
    case "paragraph": {
      const { markdown, whole } = renderText(block.text, { max: context.max, lines: true, onId });
      return { markdown: markdown.trim().replaceAll(/\n{3,}/gu, "\n\n"), whole };
    }
    case "fields":
      return lines(
        block.title,
        block.fields.map((one) => (max) => {
          const name = renderText(one.name, { max, onId });
          const label = name.markdown.trim() === "" ? "" : `${name.markdown.trim()}: `;
          const onFieldId = (id: string): void => context.onId(plainName(one.name), id);
          const value = renderText(one.value, { max: max - label.length, onId: onFieldId });
          return { markdown: `${label}${value.markdown.trim()}`.trim(), whole: name.whole && value.whole };
        }),
        context,
      );
    case "list":
      return lines(
        block.title,
        block.items.map((item) => (max) => {
          const { markdown, whole } = renderText(item, { max: max - 2, onId });
          return { markdown: `- ${markdown.trim() === "" ? "–" : markdown.trim()}`, whole };
        }),
        context,
      );
    case "table":
      return renderTable(block, context.max, context.file, onId);
    case "code":
      return codeBlock(block.text, block.language, context.max);
  }
}

function plainName(name: Text): string {
  return name.map((one) => ("text" in one ? one.text : "")).join("");
}

/** Lines below a title. The first one may be cut; one after it that does not fit ends the block. */
function lines(title: Text | undefined, items: readonly ((max: number) => Markup)[], context: BlockContext): Markup {
  const { max } = context;
  const onId = (value: string): void => context.onId("", value);
  const head = title === undefined ? undefined : renderText(title, { max: Math.min(max, 300), bold: true, onId });
  let markdown = head?.markdown ?? "";
  let whole = head?.whole ?? true;
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
  for (const line of phoneLines(printable(content))) {
    const safe = insideFence(line);
    used += safe.length + (kept.length === 0 ? 0 : 1);
    whole = used <= max;
    if (!whole) break;
    kept.push(safe);
  }
  // A block that begins or ends with blank lines loses them on Discord; one of nothing else is no block at all.
  const body = kept.join("\n").replace(/^\n+|\s+$/gu, "");
  return { markdown: body.trim() === "" ? "" : `\`\`\`${tag}\n${body}\n\`\`\``, whole };
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Lines in pieces of a phone's width, broken at blanks where there are any; wide characters take two columns. */
function* phoneLines(content: string): Generator<string> {
  for (const line of content.split("\n")) yield* wrapLine(line);
}

function* wrapLine(line: string): Generator<string> {
  let piece = "";
  let width = 0;
  for (const { segment: char } of graphemes.segment(line)) {
    const columns = stringWidth(char);
    if (width + columns > PHONE_COLUMNS) {
      const blank = piece.trimStart() === "" ? -1 : piece.lastIndexOf(" ");
      const rest = blank > PHONE_COLUMNS / 2 ? piece.slice(blank + 1) : "";
      yield rest === "" ? piece : piece.slice(0, blank);
      piece = rest;
      width = stringWidth(rest);
    }
    piece += char;
    width += columns;
  }
  yield piece;
}
