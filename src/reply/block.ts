import { toText, type Text, type TextPart } from "./text.ts";

/** One value with its name. `wide` asks for a line of its own where fields stand side by side. */
export interface Field {
  readonly name: Text;
  readonly value: Text;
  readonly wide?: true;
}

export interface Column {
  readonly title: string;
  /** Numbers stand to the right. */
  readonly align?: "left" | "right";
  /**
   * How much a phone needs it: 1 is always shown, higher ones are dropped first. Default 1.
   * The CSV holds every column.
   */
  readonly priority?: 1 | 2 | 3;
}

export interface Table {
  readonly kind: "table";
  readonly title?: Text;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Text[])[];
  /** Base name of the CSV that carries all rows when a platform cannot show them all: `market-bounds`. */
  readonly name: string;
  /** How many rows there are beyond this reply, where known: "20 of 1,204 shown". */
  readonly total?: number;
  /** Shown when there is no row. */
  readonly empty?: Text;
}

export type Block =
  | { readonly kind: "paragraph"; readonly text: Text }
  | { readonly kind: "fields"; readonly title?: Text; readonly fields: readonly Field[] }
  | { readonly kind: "list"; readonly title?: Text; readonly items: readonly Text[] }
  | Table
  /** Text as it is, in a fixed-width face: a command line, a JSON detail. */
  | { readonly kind: "code"; readonly text: string; readonly language?: string };

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
