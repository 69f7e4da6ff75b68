import type { Block, Field, Table } from "./document.ts";
import { plainText } from "./plain-text.ts";
import { type Text, toText, type TextPart } from "./text.ts";

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

/** A block of fields. */
export function fields(shown: readonly Field[], title?: Text): Block {
  return { kind: "fields", ...(title === undefined ? {} : { title }), fields: shown };
}

/** The most facts of a reply. */
export const MAX_FACTS = 6;

/** The same blocks below the fold. */
export function details(blocks: readonly Block[]): Block[] {
  return blocks.map((block) => ({ ...block, detail: true }));
}

/** Fields, the most important first: those with a value stand above the fold, six at most, the rest below it. */
export function facts(all: readonly Field[]): Block[] {
  const shown = all.filter(({ value }) => plainText(value) !== "–").slice(0, MAX_FACTS);
  const rest = all.filter((one) => !shown.includes(one));
  return [...(shown.length === 0 ? [] : [fields(shown)]), ...(rest.length === 0 ? [] : details([fields(rest)]))];
}

/** A column and what stands in it: its title, the cell of a row, then `right` for numbers and its priority, if it is not 1. */
export type CellColumn<Row> = readonly [
  title: string,
  cell: (row: Row, index: number) => TextPart,
  ...look: readonly ("right" | 2 | 3)[],
];

/** A table whose columns stand beside their cells. */
export function table<Row>({
  name,
  title,
  rows,
  columns,
  ...rest
}: Omit<Table, "kind" | "columns" | "rows"> & {
  readonly rows: readonly Row[];
  readonly columns: readonly CellColumn<Row>[];
}): Table {
  return {
    kind: "table",
    name,
    ...(title === undefined ? {} : { title }),
    columns: columns.map(([heading, , ...look]) => {
      const priority = look.find((one) => one !== "right");
      return {
        title: heading,
        ...(look.includes("right") ? { align: "right" as const } : {}),
        ...(priority === undefined ? {} : { priority }),
      };
    }),
    rows: rows.map((row, index) => columns.map(([, cell]) => toText(cell(row, index)))),
    ...rest,
  };
}
