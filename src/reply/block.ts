import type { Block, Field } from "./document.ts";
import { toText, type TextPart } from "./text.ts";

export type { Block, Column, Field, Table } from "./document.ts";

export function paragraph(content: TextPart): Block {
  return { kind: "paragraph", text: toText(content) };
}

/** A field; a value of nothing is shown as a dash, so that no renderer ever meets an empty one. */
export function field(name: TextPart, value: TextPart, options: { wide?: boolean } = {}): Field {
  const shown = toText(value);
  return {
    name: toText(name),
    value: shown.length === 0 ? toText("–") : shown,
    ...(options.wide === true ? { wide: true } : {}),
  };
}
