import type { Table } from "../../reply/block.ts";
import { decimal, formatDecimal } from "../../units/decimal.ts";
import { renderFields } from "./render-fields.ts";
import { blank, dataSpan, rule, span, toSpans, type Span, type SpanOptions } from "./span.ts";
import { cellSpans, GAP, layoutTable, type Layout } from "./table-layout.ts";
import { asOneLine, wrap, type Line, type OpenLine } from "./wrap.ts";

/** From this many rows on, their number is said. */
const MANY_ROWS = 20;

type Columns = Extract<Layout, { kind: "columns" }>;

/**
 * A table that fits `width` columns: all of its rows, since a terminal scrolls. What gives way (columns, the middle of
 * ids, rows beyond this reply) is named below it, with where to find it.
 */
export function renderTable(table: Table, width: number, options: SpanOptions, rest: string): Line[] {
  if (table.rows.length === 0) {
    const empty = table.empty === undefined ? [] : toSpans(table.empty, options);
    return [...wrap(empty.length === 0 ? [span("None.", "dim")] : empty, width), ...notes(table, [], width)];
  }
  const rows = table.rows.map((row) => row.map((cell) => toSpans(cell, options, "keep")));
  const titles = table.columns.map(({ title }) => [dataSpan(title, "dim")]);
  const count = rows.reduce((most, row) => Math.max(most, row.length), 0);
  while (titles.length < count) titles.push([span("", "dim")]);
  const layout = layoutTable(table.columns, titles, rows, width);
  if (layout.kind === "records") {
    return [...records(titles, rows, width), ...notes(table, [], width)];
  }
  const lines = rowLines(titles, layout, table);
  lines.push(ruleLine(layout));
  for (const row of rows) lines.push(...rowLines(row, layout, table));
  lines.push(...notes(table, omissionNotes(titles, rows, layout, rest), width));
  return lines;
}

/** What of a table is not shown, in sentences. */
function omissionNotes(
  titles: readonly (readonly Span[])[],
  rows: readonly (readonly (readonly Span[])[])[],
  layout: Columns,
  rest: string,
): readonly string[] {
  const said: string[] = [];
  if (layout.shown.length < titles.length) {
    const gone = titles.filter((_, index) => !layout.shown.some((column) => column.index === index));
    const names = gone.map((title) => (title[0]?.text ?? "").trim() || "(untitled)").join(", ");
    const verb = gone.length === 1 ? "One column does" : `${gone.length} columns do`;
    said.push(`${verb} not fit here: ${names}. A wider terminal shows more; ${rest} gives all.`);
  }
  if (layout.short && rows.some((row) => layout.shown.some(({ index }) => isShortened(row[index])))) {
    said.push(`Ids are shortened; ${rest} gives them whole.`);
  }
  return said;
}

function isShortened(cell: readonly Span[] | undefined): boolean {
  return cell?.some((one) => one.short !== undefined) ?? false;
}

function notes(table: Table, said: readonly string[], width: number): Line[] {
  const shown = table.rows.length;
  const counted =
    table.total !== undefined && table.total > shown
      ? [`${grouped(shown)} of ${grouped(table.total)} rows.`]
      : shown >= MANY_ROWS
        ? [`${grouped(shown)} rows.`]
        : [];
  return [...counted, ...said].flatMap((note) => wrap([span(note, "dim")], width));
}

function grouped(count: number): string {
  return Number.isSafeInteger(count) ? formatDecimal(decimal(BigInt(count))) : String(count);
}

function rowLines(cells: readonly (readonly Span[])[], layout: Columns, table: Table): Line[] {
  const wrapped = layout.shown.map(({ index, width }) => cellLines(cells[index] ?? [], width, layout.short));
  const height = wrapped.reduce((most, lines) => Math.max(most, lines.length), 1);
  const lines: Line[] = [];
  for (let at = 0; at < height; at += 1) {
    const line: OpenLine = { spans: [], width: 0 };
    let start = 0;
    for (const [position, { index, width }] of layout.shown.entries()) {
      const cell = wrapped[position]?.[at];
      const right = table.columns[index]?.align === "right";
      // Padding comes before what follows it, so that no line ends in spaces.
      if (cell !== undefined && cell.width > 0) {
        pad(line, start + (right ? Math.max(0, width - cell.width) : 0));
        line.spans.push(...cell.spans);
        line.width += cell.width;
      }
      start += width + GAP;
    }
    lines.push(line);
  }
  return lines;
}

function cellLines(cell: readonly Span[], width: number, short: boolean): readonly Line[] {
  const line = short ? undefined : asOneLine(cell, width);
  return line === undefined ? wrap(cellSpans(cell, short), width) : [line];
}

function ruleLine(layout: Columns): Line {
  const line: OpenLine = { spans: [], width: 0 };
  let start = 0;
  for (const { width } of layout.shown) {
    pad(line, start);
    line.spans.push(rule(width));
    line.width += width;
    start += width + GAP;
  }
  return line;
}

function pad(line: OpenLine, to: number): void {
  if (line.width >= to) return;
  line.spans.push(blank(to - line.width));
  line.width = to;
}

/** Each row as fields, all columns of it: what a screen too narrow for the table shows. */
function records(titles: readonly Span[][], rows: readonly (readonly Span[][])[], width: number): Line[] {
  return rows.flatMap((row, at) => {
    const filled = titles.flatMap((name, index) => {
      const value = row[index] ?? [];
      return value.length === 0 ? [] : [{ name, value }];
    });
    const between: Line[] = at === 0 ? [] : [{ spans: [], width: 0 }];
    return [...between, ...(filled.length === 0 ? [{ spans: [span("–")], width: 1 }] : renderFields(filled, width))];
  });
}
