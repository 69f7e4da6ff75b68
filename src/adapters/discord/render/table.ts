import type { Table } from "../../../reply/block.ts";
import { columnCount, leavingOrder } from "../../../reply/columns.js";
import { shortText } from "../../../reply/fold.ts";
import { oneLine } from "../../../reply/plain-text.ts";
import { type Text, toText } from "../../../reply/text.ts";
import { PHONE_COLUMNS } from "../limits.ts";
import { FIXED_WIDTH, flatText, inlineCode, insideFence, type Markup, renderText } from "./markdown.ts";
import { GAP, type Layout, foldedOf, linesOf, recordsOf } from "./table-lines.ts";
import { shownOf, timeColumn } from "../../chat/bounds.ts";

export interface TableContext {
  readonly max: number;
  /** Names the file with the rest of a table: `all of it in stake.csv`; undefined where Details shows the rest. */
  readonly held: string | undefined;
  /** That file has what the table says below the fold. */
  readonly holdsFold?: boolean | undefined;
  readonly onId: (value: string) => void;
  /** Lists the ids that the rows shorten, whole, below them. */
  readonly wholeIds?: boolean | undefined;
  /** No grid: each row is to have a button beside it. */
  readonly apart?: boolean;
  /** A table of few rows that would lose a column, or digits, has every cell of a row beside its title. */
  readonly records?: boolean | undefined;
}

export interface TableMarkup extends Markup {
  /** The rows that are shown, each a line of markup, and the words above and below them. */
  readonly rows: { readonly above: string; readonly lines: readonly string[]; readonly below: string };
}

/** More rows than these are no longer read one by one. */
const MAX_RECORDS = 5;

/**
 * Renders a table for a phone: a grid in fixed width where it fits, else one line a row, of PHONE_LINE characters at
 * most. Columns that do not fit are omitted, the least important ones first, and rows only after them; the note below
 * counts the rows.
 */
export function renderTable(table: Table, context: TableContext): TableMarkup {
  const { max, held, holdsFold = false, onId, wholeIds = false } = context;
  const title = headline(table.title ?? [], { max, onId, wholeIds });
  const space = max - title.markdown.length;
  const count = columnCount(table);
  const { length: rowCount } = table.rows;
  if (rowCount === 0 || count === 0) {
    const empty = renderText(table.empty ?? [{ kind: "text", text: "Nothing." }], { max: space, onId, wholeIds });
    const markdown = `${title.markdown}${empty.markdown}`;
    return { markdown, whole: title.whole && empty.whole, rows: { above: markdown, lines: [], below: "" } };
  }
  const noteOf = (rows: number, columns: number): string => note(table, { rows, columns, holdsFold }, held);
  const filled = (layout: Layout): ReturnType<typeof fill> =>
    fill(layout, rowCount, space - noteOf(rowCount, layout.columns).length - 1, wholeIds);
  const { layout, isShort } = layoutOf(table, count, context, (one) => filled(one).lines.length === rowCount);
  const all = filled(layout);
  const spaceBeforeNote = space - noteOf(0, 0).length - 10;
  const shown = all.lines.length === rowCount ? all : fill(layout, rowCount, spaceBeforeNote, wholeIds);
  const { lines, columns, whole } = shown;
  if (lines.length === 0 && spaceBeforeNote < 0) {
    return { markdown: "", whole: false, csv: true, rows: { above: "", lines: [], below: "" } };
  }
  if (!wholeIds) for (const id of shown.ids) onId(id);
  const ids = wholeIds ? shown.ids.map((id) => inlineCode(oneLine(id))) : [];
  const below = [...ids, noteOf(lines.length, columns)].filter((line) => line !== "").join("\n");
  const csv = lines.length < rowCount || columns < count || !whole || isShort;
  const [above, end] = layout.frame;
  const rows = { above: `${title.markdown}${above}`.trimEnd(), lines, below };
  const body = lines.length === 0 ? "" : `${above}${lines.join("\n")}${end}`;
  const markdown = `${title.markdown}${body}${below === "" ? "" : `\n${below}`}`.trim();
  return { markdown, whole: title.whole, ...(csv ? { csv: true } : {}), rows };
}

/** The layout that shows most of a table; `isShort` where its numbers have fewer digits than the table's. */
function layoutOf(
  table: Table,
  count: number,
  { apart = false, records: mayRecord = false }: TableContext,
  fits: (layout: Layout) => boolean,
): { readonly layout: Layout; readonly isShort: boolean } {
  const exact = widestLayout(table, count, apart);
  if (exact.columns === count && exact.cut === 0) return { layout: exact, isShort: false };
  const rows = table.rows.map((row) => row.map(shortText));
  const short = widestLayout({ ...table, rows }, count, apart);
  // Exact numbers that take the place of whole columns are better read in the file.
  const isShort = short.columns > exact.columns || short.cut < exact.cut;
  const records = mayRecord && rows.length <= MAX_RECORDS ? recordsOf(table, columnsOf(count), apart) : undefined;
  if (records !== undefined && fits(records)) return { layout: records, isShort: false };
  return { layout: isShort ? short : exact, isShort };
}

function headline(title: Text, { max, ...ids }: Pick<Required<TableContext>, "max" | "onId" | "wholeIds">): Markup {
  const { markdown, whole } = renderText(title, { max: Math.min(200, max - 5), bold: true, ...ids });
  return { markdown: markdown.trim() === "" ? "" : `${markdown}\n`, whole };
}

/** Counts the rows left out, and names the file with all that is; in one small line. */
function note(
  table: Table,
  shown: { rows: number; columns: number; holdsFold: boolean },
  held: string | undefined,
): string {
  const part = shownOf(table, shown.rows);
  const isCut = shown.holdsFold || shown.rows < table.rows.length || shown.columns < columnCount(table);
  const words = [...(part === "" ? [] : [`${part} shown`]), ...(isCut && held !== undefined ? [held] : [])];
  return words.length === 0 ? "" : `-# ${words.join("; ")}`;
}

function columnsOf(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** As many columns as the rows have room for: in a grid, else in lines. */
function widestLayout(table: Table, count: number, apart: boolean): Layout {
  let columns = columnsOf(count);
  const order = leavingOrder(table.columns, count);
  const mayFold = apart || table.rows.length === 1 || timeColumn(table, columns) !== undefined;
  for (;;) {
    const inLines = (apart ? undefined : gridOf(table, columns)) ?? linesOf(table, columns);
    const layout = mayFold && (inLines?.cut ?? 1) > 0 ? foldedOf(table, columns, apart) : inLines;
    if (layout !== undefined) return layout;
    // The column of an important time leaves last.
    const time = timeColumn(table, columns);
    const next = order.find((column) => column !== time && columns.includes(column)) ?? time;
    columns = columns.filter((column) => column !== next);
  }
}

/** As many whole rows in one layout as fit, from the first on; `whole` says whether each cell of them is. */
function fill(layout: Layout, rowCount: number, space: number, wholeIds: boolean) {
  const lines: string[] = [];
  const ids = new Set<string>();
  let whole = true;
  let length = layout.frame.join("").length;
  for (let index = 0; index < rowCount; index += 1) {
    const found: string[] = [];
    const line = layout.row(index, (id) => void found.push(id));
    length += line.markdown.length + (index === 0 ? 0 : 1);
    if (wholeIds) length += found.reduce((total, id) => total + (ids.has(id) ? 0 : id.length + 5), 0);
    if (length > space) break;
    lines.push(line.markdown);
    for (const id of found) ids.add(id);
    whole &&= line.whole;
  }
  return { lines, columns: layout.columns, whole, ids: [...ids] };
}

/**
 * Lines of equal columns, the titles first; undefined where they would not fit a phone, would lose something (a link, a
 * local time) or show nothing.
 */
function gridOf(table: Table, columns: readonly number[]): Layout | undefined {
  const chosen = table.rows.map((row) => columns.map((index) => row[index] ?? []));
  const loses = chosen.some((row) =>
    row.some((cell) => cell.some((one) => one.kind === "link" || one.kind === "time")),
  );
  if (loses) return undefined;
  const cells: string[][] = [];
  for (const row of [columns.map((index) => toText(table.columns[index]?.title ?? "")), ...chosen]) {
    const flat = row.map((cell) => flatText(cell));
    // Long tables are tried with ever fewer columns: the first row that does not fit ends each attempt.
    if (flat.join(GAP).length > PHONE_COLUMNS || flat.some((cell) => !FIXED_WIDTH.test(cell))) return undefined;
    cells.push(flat);
  }
  const widths = columns.map((_, index) => cells.reduce((most, row) => Math.max(most, row[index]?.length ?? 0), 0));
  const width = widths.reduce((sum, one) => sum + one + GAP.length, -GAP.length);
  if (width > PHONE_COLUMNS) return undefined;
  const [head = "", ...lines] = cells.map((row) => {
    const padded = widths.map((space, index) => {
      const cell = row[index] ?? "";
      return table.columns[columns[index] ?? 0]?.align === "right" ? cell.padStart(space) : cell.padEnd(space);
    });
    return insideFence(padded.join(GAP).trimEnd());
  });
  // A fence of blank lines alone would not end: Discord looks for its end behind the first character that is no line break.
  if (head === "" && lines.every((line) => line === "")) return undefined;
  return {
    columns: columns.length,
    cut: 0,
    frame: [`\`\`\`\n${head}\n`, "\n```"],
    row: (index, onId) => {
      for (const cell of chosen[index] ?? []) flatText(cell, onId);
      return { markdown: lines[index] ?? "", whole: true };
    },
  };
}
