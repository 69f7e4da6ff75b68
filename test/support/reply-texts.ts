import type { Block } from "../../src/reply/block.ts";
import type { Reply } from "../../src/reply/reply.ts";
import { type Text, toText } from "../../src/reply/text.ts";

/** Every text of a reply, but the labels of its buttons and what is about its files. */
export function replyTexts({ title, blocks, footer = [] }: Pick<Reply, "title" | "blocks" | "footer">): Text[] {
  return [title, ...blocks.flatMap(blockTexts), footer];
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
  }
}
