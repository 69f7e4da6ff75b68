import type { Column, Table } from "../../../reply/block.ts";
import { columnCount, leavingOrder } from "../../../reply/columns.js";
import { isMoment } from "../../../reply/reply.ts";
import { decimal, formatDecimal } from "../../../units/decimal.ts";
import { blank, dataSpan, rule, span, type Span, type SpanOptions, toSpans, withText } from "./span.ts";
import { joined, type Line, naturalWidth, type OpenLine, totalWidth, wordWidth, wrap } from "./wrap.ts";

/** From this many rows on, a note counts them. */
const MANY_ROWS = 20;

type Columns = Extract<Layout, { kind: "columns" }>;

/**
 * A table within `width` columns, with all of its rows, since a terminal scrolls. Notes below it name all omissions
 * (columns, the middle of ids, rows beyond this reply) and what to type for them.
 */
export function renderTable(table: Table, width: number, options: SpanOptions, omittedHint: string): Line[] {
  if (table.rows.length === 0) {
    const empty = table.empty === undefined ? [] : toSpans(table.empty, options);
    return [...wrap(empty.length === 0 ? [span("None.", "dim")] : empty, width), ...notes(table, [], width)];
  }
  const rows = table.rows.map((row) => row.map((cell) => toSpans(cell, { ...options, zoneNamed: true }, "keep")));
  const { zone = "UTC" } = options;
  const titles = table.columns.map(({ title }, index) => [
    dataSpan(hasTimes(table, index) ? `${title} (${zone})` : title, "dim"),
  ]);
  const count = columnCount(table);
  while (titles.length < count) titles.push([span("", "dim")]);
  const layout = layoutTable(table.columns, titles, rows, width);
  if (layout.kind === "records") {
    return [...records(titles, rows, width), ...notes(table, [], width)];
  }
  const rules: Span[][] = [];
  for (const { index, width } of layout.shown) rules[index] = [rule(width)];
  const lines = [...rowLines(titles, layout, table), ...rowLines(rules, layout, table)];
  for (const row of rows) {
    // A cell may have more lines than a call takes arguments.
    for (const line of rowLines(row, layout, table)) lines.push(line);
    if (layout.below.length > 0) for (const line of belowLines(row, layout, width)) lines.push(line);
  }
  lines.push(...notes(table, omissionNotes(titles, rows, layout, omittedHint), width));
  return lines;
}

/** Whether a column has times, so that its head names the zone. */
function hasTimes({ rows }: Table, index: number): boolean {
  return rows.some((row) => row[index]?.some((one) => isMoment(one) && one.style !== "relative"));
}

/** The omitted columns and shortened ids, in sentences. */
function omissionNotes(
  titles: readonly (readonly Span[])[],
  rows: readonly (readonly (readonly Span[])[])[],
  layout: Columns,
  omittedHint: string,
): readonly string[] {
  const said: string[] = [];
  if (layout.shown.length === titles.length && !layout.short) return said;
  const told = [...layout.shown.map(({ index }) => index), ...layout.below];
  const namesOf = (named: typeof titles): string =>
    named.map((title) => (title[0]?.text ?? "").trim() || "(untitled)").join(", ");
  if (layout.below.length > 0) {
    said.push(`Below each row: ${namesOf(titles.filter((_, index) => layout.below.includes(index)))}.`);
  }
  if (told.length < titles.length) {
    const gone = titles.filter((_, index) => !told.includes(index));
    const names = namesOf(gone);
    const verb = gone.length === 1 ? "One column does" : `${gone.length} columns do`;
    said.push(`${verb} not fit here: ${names}. A wider terminal shows more; ${omittedHint} gives all.`);
  }
  if (layout.short && rows.some((row) => told.some((index) => isShortened(row[index])))) {
    said.push(`Ids are shortened; ${omittedHint} gives them whole.`);
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
  const wrapped = layout.shown.map(({ index, width }) => wrap(cellSpans(cells[index] ?? [], layout.short), width));
  const height = wrapped.reduce((most, lines) => Math.max(most, lines.length), 1);
  const lines: Line[] = [];
  for (let at = 0; at < height; at += 1) {
    const line: OpenLine = { spans: [], width: 0 };
    let start = 0;
    let position = 0;
    for (const { index, width } of layout.shown) {
      const cell = wrapped[position]?.[at];
      const right = table.columns[index]?.align === "right";
      // Padding precedes a cell, so that no line ends in spaces.
      if (cell !== undefined && cell.width > 0) {
        pad(line, start + (right ? Math.max(0, width - cell.width) : 0));
        for (const one of cell.spans) line.spans.push(one);
        line.width += cell.width;
      }
      start += width + GAP;
      position += 1;
    }
    lines.push(line);
  }
  return lines;
}

/** What is needed of a row and has no room beside its other cells, in a line of its own. */
function belowLines(cells: readonly (readonly Span[])[], { below, short }: Columns, width: number): Line[] {
  const filled = below.flatMap((index) => {
    const cell = cellSpans(cells[index] ?? [], short);
    return cell.length === 0 ? [] : [cell];
  });
  const joined = filled.flatMap((cell, at) => (at === 0 ? cell : [span(" · ", "dim"), ...cell]));
  return joined.length === 0 ? [] : indent(wrap(joined, width - NESTED), NESTED);
}

function pad(line: OpenLine, to: number): void {
  if (line.width >= to) return;
  line.spans.push(blank(to - line.width));
  line.width = to;
}

/** Each row as fields, with all columns: for a screen too narrow for the table. */
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

/** Columns of space between two columns of a table. */
const GAP = 2;
const NESTED = 2;
/** Text columns are wrapped down to this width before a column is omitted. */
const COMFORTABLE = 24;
/** Words longer than this do not widen a column. */
const LONG_WORD = 44;
/** Below this, text in a column is no longer readable. */
const NARROWEST = 8;

/** The layout of a table: columns side by side with their widths, or records. */
type Layout =
  | {
      readonly kind: "columns";
      readonly shown: readonly { readonly index: number; readonly width: number }[];
      /** Columns whose cells stand in a line below their row. */
      readonly below: readonly number[];
      /** Whether ids are shortened. */
      readonly short: boolean;
    }
  | { readonly kind: "records" };

interface Need {
  readonly index: number;
  readonly priority: number;
  readonly wraps: boolean;
  readonly long: number;
  readonly short: number;
  readonly shortWord: number;
}

/** A cell's spans, all breakable, since a line of a table must not overflow. */
function cellSpans(spans: readonly Span[], short: boolean): readonly Span[] {
  if (!spans.some(({ whole }) => whole)) return spans;
  return spans.map((span) => (span.whole ? withText(span, (short ? span.short : undefined) ?? span.text) : span));
}

/**
 * The layout that shows most: whole ids if all fits, else shortened ones, else wrapped text, else fewer columns (the last
 * of the highest priority number goes first, the first column never; one of priority 1 goes below its row, all others are
 * omitted); records where not even that one and another fit.
 */
function layoutTable(
  columns: readonly Column[],
  titles: readonly (readonly Span[])[],
  rows: readonly (readonly (readonly Span[])[])[],
  width: number,
): Layout {
  const widths = titles.map((title, index) =>
    rows.reduce((widest, row) => Math.max(widest, naturalWidth(row[index] ?? [])), Math.max(1, naturalWidth(title))),
  );
  if (total(widths) <= width)
    return { kind: "columns", shown: widths.map((one, index) => ({ index, width: one })), below: [], short: false };
  const needs = widths.map((long, index): Need => {
    let [short, shortWord] = [1, 1];
    for (const cells of [titles, ...rows]) {
      const cell = cellSpans(cells[index] ?? [], true);
      short = Math.max(short, naturalWidth(cell));
      shortWord = Math.max(shortWord, wordWidth(cell));
    }
    const column = columns[index];
    return { index, priority: column?.priority ?? 1, wraps: column?.align !== "right", long, short, shortWord };
  });

  const order = leavingOrder(columns, needs.length);
  for (let shown = needs; ; shown = shown.filter(({ index }) => index !== order[needs.length - shown.length])) {
    const below = needs.filter((need) => need.priority === 1 && !shown.includes(need)).map(({ index }) => index);
    for (const short of [false, true]) {
      const widths = shown.map((need) => (short ? need.short : need.long));
      if (total(widths) <= width) return place(shown, below, widths, short);
    }
    const least = shown.map((need) => leastWidth(need, COMFORTABLE, LONG_WORD));
    if (total(least) <= width) return place(shown, below, grow(shown, least, width), true);
    if (shown.every((need) => need.priority === 1)) {
      const tight = shown.map((need) => leastWidth(need, NARROWEST, COMFORTABLE));
      if (total(tight) <= width) return place(shown, below, grow(shown, tight, width), true);
    }
    // A name without any figure would say nothing.
    if (shown.length <= 2) return { kind: "records" };
  }
}

/** Numbers are never broken; text down to its longest word within bounds. */
function leastWidth(need: Need, floor: number, longWord: number): number {
  if (!need.wraps || need.short <= floor) return need.short;
  return Math.min(need.short, Math.max(floor, Math.min(need.shortWord, longWord)));
}

/** Distributes the remaining space evenly among the columns that can use it. */
function grow(shown: readonly Need[], least: readonly number[], width: number): number[] {
  const widths = [...least];
  let left = width - total(widths);
  while (left > 0) {
    const wanting = shown.flatMap((need, at) => ((widths[at] ?? 0) < need.short ? [at] : []));
    if (wanting.length === 0) break;
    const share = Math.max(1, Math.floor(left / wanting.length));
    for (const at of wanting) {
      const more = Math.min(share, left, (shown[at]?.short ?? 0) - (widths[at] ?? 0));
      widths[at] = (widths[at] ?? 0) + more;
      left -= more;
    }
  }
  return widths;
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one, 0) + GAP * Math.max(0, widths.length - 1);
}

function place(shown: readonly Need[], below: readonly number[], widths: readonly number[], short: boolean): Layout {
  return {
    kind: "columns",
    shown: shown.map((need, at) => ({ index: need.index, width: widths[at] ?? 0 })),
    below,
    short,
  };
}

export interface ShownField {
  readonly name: readonly Span[];
  readonly value: readonly Span[];
}

/** Below this, a value stands beneath its name. */
const MIN_SIDE_BY_SIDE_WIDTH = 30;

/** Fields with aligned values; an unbreakable value too wide for its column stands beneath its name. */
export function renderFields(fields: readonly ShownField[], width: number): Line[] {
  let widest = 0;
  for (const { name } of fields) widest = Math.max(widest, naturalWidth(name));
  const nameWidth = Math.min(widest, Math.max(8, Math.floor(width / 3)));
  const valueWidth = width - nameWidth - GAP;
  const runsOver = (one: Span): boolean => one.whole && one.width > valueWidth;
  const lines: Line[] = [];
  // A value may have more lines than a call takes arguments.
  const add = (more: readonly Line[]): void => {
    for (const line of more) lines.push(line);
  };
  // A loop takes a third of what flatMap takes.
  for (const field of fields) {
    const { name } = field;
    const value = field.value.length === 0 ? [span("–")] : field.value;
    const natural = naturalWidth(name);
    if (natural === 0) add(wrap(value, width));
    else if (
      width < MIN_SIDE_BY_SIDE_WIDTH ||
      (natural > nameWidth && wordWidth(name) > nameWidth) ||
      name.some(runsOver) ||
      value.some(runsOver)
    ) {
      add(wrap(name, width));
      add(indent(wrap(value, width - NESTED), NESTED));
    } else {
      const names = wrap(name, nameWidth);
      const values = wrap(value, valueWidth);
      for (let row = 0; row < names.length || row < values.length; row += 1) {
        lines.push(beside(names[row], values[row], nameWidth + GAP));
      }
    }
  }
  return lines;
}

/** Moves lines to the right; empty ones stay empty. */
export function indent(lines: readonly Line[], by: number): Line[] {
  const gap = [blank(by)];
  return lines.map((line) => (line.width === 0 ? line : { spans: joined(gap, line.spans), width: line.width + by }));
}

/** A hanging indent: the first line behind a lead, the others aligned with it. */
export function hang(lead: readonly Span[], lines: readonly Line[]): Line[] {
  const by = totalWidth(lead);
  return lines.map((line, at) => {
    if (at > 0 && line.width === 0) return line;
    return { spans: joined(at === 0 ? lead : [blank(by)], line.spans), width: line.width + by };
  });
}

function beside(name: Line | undefined, value: Line | undefined, start: number): Line {
  const left = name ?? { spans: [], width: 0 };
  if (value === undefined || value.width === 0) return left;
  const gap = start > left.width ? start - left.width : 0;
  const spans = [...left.spans, blank(gap)];
  for (const one of value.spans) spans.push(one);
  return { spans, width: left.width + gap + value.width };
}
