import { type Ask, type Attachment, memoryAttachment, type Reply } from "./reply.ts";
import type { Block } from "./block.ts";
import { tableToCsv } from "./csv.ts";
import { asButtons } from "./fold.ts";
import { plainText } from "./plain-text.ts";
import type { Text } from "./text.ts";

/** The whole reply as a plain text file: goes with a message that had to leave something out. */
export function fullTextAttachment(reply: Reply, name: string, prefix = ""): Attachment {
  return memoryAttachment(name, "text/plain; charset=utf-8", `${fullText(reply, prefix).toWellFormed()}\n`);
}

/** The whole reply without any markup; a button as its command, behind a platform's prefix for a line to type. */
export function fullText(reply: Reply, prefix = ""): string {
  return [
    plainText(reply.title),
    ...(reply.url === undefined ? [] : [reply.url]),
    ...reply.blocks.map(blockText),
    ...asButtons(reply.actions).map((action) =>
      "url" in action ? `${action.label}: ${action.url}` : `${action.label}: ${prefix}${formatAsk(action.invocation)}`,
    ),
    ...(reply.footer === undefined ? [] : [plainText(reply.footer)]),
  ].join("\n\n");
}

/** A command with its values, for reading; not quoted for typing. */
export function formatAsk(ask: Ask): string {
  return [ask.command, ...Object.entries(ask.options).map(([name, value]) => `${name}:${value}`)].join(" ");
}

function blockText(block: Block): string {
  switch (block.kind) {
    case "paragraph":
      return plainText(block.text);
    case "fields":
      return under(
        block.title,
        block.fields.map((one) => `${plainText(one.name)}: ${plainText(one.value)}`),
      );
    case "list":
      return under(
        block.title,
        block.items.map((item) => `- ${plainText(item)}`),
      );
    case "table":
      return under(
        block.title,
        block.rows.length === 0 && block.empty !== undefined ? [plainText(block.empty)] : [tableToCsv(block)],
      );
    case "code":
      return block.text;
    case "chart":
      return block.alt;
  }
}

function under(title: Text | undefined, lines: readonly string[]): string {
  return [...(title === undefined ? [] : [plainText(title)]), ...lines].join("\n");
}
