import type { Block, Column, Field, Table } from "./document.ts";
import { plainText } from "./plain-text.ts";
import { type Text, toText, type TextPart } from "./text.ts";

export type { Block, Column, Field, Table } from "./document.ts";

export function paragraph(content: TextPart): Block {
  return { kind: "paragraph", text: toText(content) };
}

/** A field; a value of nothing is shown as a dash, so that no renderer ever meets an empty one. */
export function field(name: TextPart, value: TextPart, options: { wide?: boolean } = {}): Field {
  const shown = toText(value);
  const made = { name: toText(name), value: shown.length === 0 ? toText("–") : shown };
  return options.wide === true ? { ...made, wide: true } : made;
}

/** A block of fields. */
export function fields(shown: readonly Field[], title?: Text): Block {
  return title === undefined ? { kind: "fields", fields: shown } : { kind: "fields", title, fields: shown };
}

/** The most facts of a reply. */
export const MAX_FACTS = 6;

/** The same blocks below the fold, on a page of their own where it has a name. */
export function details(blocks: readonly Block[], page?: string): Block[] {
  return blocks.map((block) => ({ ...block, detail: true, ...(page === undefined ? {} : { page }) }));
}

/** Fields, the most important first: those with a value stand above the fold, six at most, the rest below it. */
export function facts(all: readonly Field[]): Block[] {
  const shown: Field[] = [];
  const rest: Field[] = [];
  for (const one of all) (shown.length < MAX_FACTS && hasValue(one) ? shown : rest).push(one);
  const blocks: Block[] = [];
  if (shown.length > 0) blocks.push(fields(shown));
  if (rest.length > 0) blocks.push({ ...fields(rest), detail: true });
  return blocks;
}

function hasValue({ value }: Field): boolean {
  return value[0]?.kind === "time" || plainText(value) !== "–";
}

/** Whether it has rows, and so a CSV: what a table says instead of rows stands in none. */
export function hasRows(block: Block): block is Table {
  return block.kind === "table" && block.rows.length > 0;
}

/** A column and what stands in it: its title, the cell of a row, then `right` for numbers and its priority, if it is not 1, and whether rows alike say nothing in it. */
export type CellColumn<Row> = readonly [
  title: string,
  cell: (row: Row, index: number) => TextPart,
  ...look: readonly ("right" | "varies" | 2 | 3)[],
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
    columns: columns.map((column) => columnOf(column)),
    rows: rows.map((row, index) => columns.map(([, cell]) => toText(cell(row, index)))),
    ...rest,
  };
}

function columnOf<Row>(declared: CellColumn<Row>): Column {
  const column: { title: string; align?: "right"; priority?: 2 | 3; varies?: true } = { title: declared[0] };
  if (declared.includes("right", 2)) column.align = "right";
  if (declared.includes(2, 2)) column.priority = 2;
  else if (declared.includes(3, 2)) column.priority = 3;
  if (declared.includes("varies", 2)) column.varies = true;
  return column;
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
    case "chart":
      return block;
  }
}

/** The texts of a block, but for its titles and the names of its fields. */
export function valuesOf(block: Block): readonly Text[] {
  switch (block.kind) {
    case "paragraph":
      return [block.text];
    case "fields":
      return block.fields.map(({ value }) => value);
    case "list":
      return block.items;
    case "table":
      return block.empty === undefined ? block.rows.flat() : [...block.rows.flat(), block.empty];
    case "code":
    case "chart":
      return [];
  }
}
