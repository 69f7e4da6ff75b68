import type { Table } from "../../../reply/block.ts";
import { columnCount, leavingOrder } from "../../../reply/columns.js";
import { shortText } from "../../../reply/fold.ts";
import { type Text, toText } from "../../../reply/text.ts";
import { formatCount } from "../../../units/format-number.ts";
import { PHONE_COLUMNS } from "../limits.ts";
import { FIXED_WIDTH, flatText, inlineCode, insideFence, type Markup, renderText } from "./markdown.ts";
import { foldedLinesOf, GAP, linesOf, timeColumn, twoLinesOf } from "./table-lines.ts";
import { type Layout, recordsOf } from "./table-records.ts";

/** As many rows in one layout as fit. */
interface Shown {
  readonly lines: readonly string[];
  readonly columns: number;
  /** Whether each cell is shown whole. */
  readonly whole: boolean;
  readonly ids: readonly string[];
}

export interface TableContext {
  readonly max: number;
  /** What says which file has how much of it, `all of it in stake.csv`; undefined where that is a press away. */
  readonly held: string | undefined;
  readonly onId: (value: string) => void;
  /** Lists the ids that the rows shorten, whole, below them. */
  readonly wholeIds?: boolean;
  /** No grid: each row is to have a button beside it. */
  readonly apart?: boolean;
  /** A table of few rows that would lose a column, or digits, has every cell of a row beside its title. */
  readonly records?: boolean;
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
 * counts the omissions.
 */
export function renderTable(table: Table, context: TableContext): TableMarkup {
  const { max, held, onId, wholeIds = false, apart = false } = context;
  const title = headline(table.title ?? [], { max, onId, wholeIds });
  const count = columnCount(table);
  if (table.rows.length === 0 || count === 0) {
    const empty = renderText(table.empty ?? [{ kind: "text", text: "Nothing." }], {
      max: max - title.markdown.length,
      onId,
      wholeIds,
    });
    const markdown = `${title.markdown}${empty.markdown}`;
    return { markdown, whole: title.whole && empty.whole, rows: { above: markdown, lines: [], below: "" } };
  }
  const exact = widestLayout(table, count, apart);
  const isAll = exact.columns === count && exact.cut === 0;
  const short = isAll ? exact : widestLayout(shortRows(table), count, apart);
  // Exact numbers that take the place of whole columns are better read in the file.
  const isShort = short.columns > exact.columns || short.cut < exact.cut;
  const phone = isShort ? short : exact;
  const longestNote = note(table, { rows: 0, columns: 0 }, count, held).length + 10;
  const space = max - title.markdown.length;
  const loses = isShort || phone.columns < count || phone.cut > 0;
  const records =
    context.records === true && loses && table.rows.length <= MAX_RECORDS ? recordsOf(table, count, apart) : undefined;
  const noteOfRecords = note(table, { rows: table.rows.length, columns: count }, count, held);
  const hasRoom =
    records !== undefined &&
    fill(records, table.rows.length, space - noteOfRecords.length - 1, wholeIds).lines.length === table.rows.length;
  const layout = hasRoom ? records : phone;
  const noteOfAll = note(table, { rows: table.rows.length, columns: layout.columns }, count, held);
  const all = fill(layout, table.rows.length, space - noteOfAll.length - 1, wholeIds);
  const shown =
    all.lines.length === table.rows.length ? all : fill(layout, table.rows.length, space - longestNote, wholeIds);
  if (shown.lines.length === 0 && space - longestNote < 0) {
    return { markdown: "", whole: false, csv: true, rows: { above: "", lines: [], below: "" } };
  }
  const below = [
    ...(wholeIds ? shown.ids.map((id) => inlineCode(id)) : []),
    note(table, { rows: shown.lines.length, columns: shown.columns }, count, held),
  ]
    .filter((line) => line !== "")
    .join("\n");
  if (!wholeIds) for (const id of shown.ids) onId(id);
  const csv = shown.lines.length < table.rows.length || shown.columns < count || !shown.whole || (isShort && !hasRoom);
  const [above, end] = layout.frame;
  const rows = { above: `${title.markdown}${above}`.trimEnd(), lines: shown.lines, below };
  const body = shown.lines.length === 0 ? "" : `${above}${shown.lines.join("\n")}${end}`;
  const markdown = `${title.markdown}${body}${below === "" ? "" : `\n${below}`}`.trim();
  return { markdown, whole: title.whole, ...(csv ? { csv: true } : {}), rows };
}

function shortRows(table: Table): Table {
  return { ...table, rows: table.rows.map((row) => row.map(shortText)) };
}

function headline(title: Text, { max, ...ids }: Pick<Required<TableContext>, "max" | "onId" | "wholeIds">): Markup {
  const { markdown, whole } = renderText(title, { max: Math.min(200, max - 5), bold: true, ...ids });
  return { markdown: markdown.trim() === "" ? "" : `${markdown}\n`, whole };
}

/** Counts the omissions, in one small line. */
function note(
  table: Table,
  shown: { rows: number; columns: number },
  columnCount: number,
  held: string | undefined,
): string {
  const all = Math.max(table.total ?? 0, table.rows.length);
  const parts: string[] = [];
  if (shown.rows < all) parts.push(`${shown.rows} of ${formatCount(all)} rows`);
  if (shown.columns < columnCount) parts.push(`${shown.columns} of ${columnCount} columns`);
  if (parts.length === 0) return "";
  const carried = held !== undefined && (shown.rows < table.rows.length || shown.columns < columnCount);
  return `-# ${parts.join(", ")} shown${carried ? `; ${held}` : ""}`;
}

/** As many columns as the rows have room for: in a grid, else in lines. */
function widestLayout(table: Table, count: number, apart: boolean): Layout {
  let columns = Array.from({ length: count }, (_, index) => index);
  const order = leavingOrder(table.columns, count);
  const mayFold = apart || table.rows.length === 1;
  for (;;) {
    const inLines = (apart ? undefined : gridOf(table, columns)) ?? linesOf(table, columns);
    const folded = (): Layout | undefined =>
      (mayFold ? twoLinesOf(table, columns) : undefined) ?? foldedLinesOf(table, columns);
    const layout = mayFold && (inLines?.cut ?? 0) > 0 ? folded() : (inLines ?? folded());
    if (layout !== undefined) return layout;
    // A time that matters stays.
    const time = timeColumn(table, columns);
    const next = order.find((column) => column !== time && columns.includes(column));
    columns = columns.filter((column) => column !== next);
  }
}

/** As many whole rows as fit, from the first on. */
function fill(layout: Layout, rowCount: number, space: number, wholeIds: boolean): Shown {
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

/** Lines of equal columns, the titles first; undefined where they would not fit a phone, would lose something (a link, a local time) or show nothing. */
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
