import type { Block } from "../../src/reply/block.ts";
import type { Reply } from "../../src/reply/reply.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import { type Inline, type Text, toText } from "../../src/reply/text.ts";

/** Every text of a reply, but the labels of its buttons and what is about its files. */
export function replyTexts({ title, blocks, footer = [] }: Pick<Reply, "title" | "blocks" | "footer">): Text[] {
  return [title, ...blocks.flatMap(blockTexts), footer];
}

/** A text as people see it, and, where it is what a clock shows, as files have that. */
export function spellingsOf(inline: Inline, shown: string): string[] {
  const at = inline.kind === "text" ? inline.at : undefined;
  return at === undefined ? [shown] : [shown, plainText([{ kind: "time", at, style: "utc" }])];
}

function blockTexts(block: Block): readonly Text[] {
  switch (block.kind) {
    case "paragraph":
      return [block.text];
    case "fields":
      return [block.title ?? [], ...block.fields.flatMap(({ name, value }) => [name, value])];
    case "list":
      return [block.title ?? [], ...block.items];
    case "table":
      return block.rows.length === 0
        ? [block.title ?? [], block.empty ?? []]
        : [block.title ?? [], ...block.columns.map(({ title }) => toText(title)), ...block.rows.flat()];
    case "code":
      return [toText(block.text)];
    // A picture says it in its own way.
    case "chart":
      return [];
  }
}
