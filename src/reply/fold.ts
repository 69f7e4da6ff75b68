import type { Block } from "./block.ts";
import type { Action, Reply } from "./reply.ts";
import type { Text } from "./text.ts";

/** Whether a reply says more below the fold than above it. */
export function isFolded(reply: Reply): boolean {
  let shorter = false;
  const look = (content: Text): Text => {
    shorter ||= content.some((inline) => inline.kind === "number" && inline.short !== inline.text);
    return content;
  };
  return reply.blocks.some((block) => "detail" in block || (mapValues(block, look), shorter));
}

/** What people read first: the reply without its details, its numbers short. Its tables keep all rows. */
export function aboveFold(reply: Reply): Reply {
  const blocks = reply.blocks.filter((block) => !("detail" in block));
  return { ...unfolded(reply), blocks: blocks.map((block) => mapValues(block, shortText)) };
}

/** The whole reply, its numbers exact but for the headline's. */
export function unfolded(reply: Reply): Reply {
  return { ...reply, title: shortText(reply.title) };
}

/** Text with its numbers as short as people read them. */
export function shortText(content: Text): Text {
  // Most texts have none, and stay the same object: renderers measure each once.
  if (content.every(({ kind }) => kind !== "number")) return content;
  return content.map((inline) => (inline.kind === "number" ? { kind: "text", text: inline.short } : inline));
}

/** A block with its texts changed, but for its titles and the names of its fields. */
export function mapValues(block: Block, change: (content: Text) => Text): Block {
  switch (block.kind) {
    case "paragraph":
      return { ...block, text: change(block.text) };
    case "fields":
      return { ...block, fields: block.fields.map((one) => ({ ...one, value: change(one.value) })) };
    case "list":
      return { ...block, items: block.items.map(change) };
    case "table":
      return {
        ...block,
        rows: block.rows.map((row) => row.map(change)),
        ...(block.empty === undefined ? {} : { empty: change(block.empty) }),
      };
    case "code":
      return block;
  }
}

/** An action that is a button: a choice as one button for each of what can be chosen. */
export type ButtonAction = Exclude<Action, { choices: unknown }>;

export function asButtons(actions: readonly Action[]): readonly ButtonAction[] {
  return actions.flatMap((action): readonly ButtonAction[] =>
    "choices" in action ? action.choices.map((one) => ({ ...one, effect: action.effect })) : [action],
  );
}
