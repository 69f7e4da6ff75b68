import { mapValues, type Block } from "./block.ts";
import type { Reply } from "./reply.ts";
import type { Text } from "./text.ts";

/** The reply with a platform's prefix before each line to type: `/bell alerts add`. They are plain text then. */
export function withCommandPrefix(reply: Reply, prefix: string): Reply {
  const typed = (line: string): string => `${prefix} ${line}`;
  const change = (content: Text): Text =>
    // Most texts have none, and stay the same object: renderers measure each once.
    content.some((inline) => inline.kind === "code" && inline.command === true)
      ? content.map((inline) =>
          inline.kind === "code" && inline.command === true ? { kind: "code", text: typed(inline.text) } : inline,
        )
      : content;
  const changeBlock = (block: Block): Block => {
    if (block.kind !== "code") return mapValues(block, change);
    const { command, ...rest } = block;
    return command === true ? { ...rest, text: typed(block.text) } : block;
  };
  return {
    ...reply,
    title: change(reply.title),
    blocks: reply.blocks.map(changeBlock),
    ...(reply.footer === undefined ? {} : { footer: change(reply.footer) }),
  };
}
