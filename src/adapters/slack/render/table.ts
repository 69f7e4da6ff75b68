import type { KnownBlock, RawNumberElement, RawTextElement, RichTextBlock, RichTextElement } from "@slack/types";

import type { Column, Table } from "../../../reply/block.ts";
import { columnCount, leavingOrder } from "../../../reply/columns.js";
import { shortIds } from "../../../reply/fold.ts";
import { oneLine, plainText } from "../../../reply/plain-text.ts";
import { type Inline, type Text, timeOf } from "../../../reply/text.ts";
import { formatUtc, toSeconds } from "../../../units/time.ts";
import { FOLDED_ROWS } from "../../chat/bounds.ts";
import { HEADER_LENGTH } from "../limits.ts";
import { escapeText, isSlackChannel, renderPlain, LAST_SECOND } from "./mrkdwn.ts";

/** A table as Slack shows it, and how much of it is shown. */
export interface RenderedTable {
  readonly blocks: readonly KnownBlock[];
  readonly rows: number;
  readonly columns: number;
  /** Each cell shown is shown whole. */
  readonly whole: boolean;
  /** Characters in it, and in the choice of its rows. */
  readonly length: number;
}

/** How much of a table is shown. */
export interface TableBounds {
  readonly maxColumns: number;
  readonly maxRows: number;
  /**
   * A button beside it shows more: rows left out need no file, the choice of a few rows needs no reserved length, and no
   * column stands beyond the edge of a phone.
   */
  readonly folded: boolean;
  /** A long one has pages, which not every workspace may take. */
  readonly paged: boolean;
}

/** A cell longer than this makes its row unreadable; the CSV has all of it. */
const CELL_LENGTH = 300;

/**
 * The places of the most important columns, in the table's order: the first one always. A phone has no room beside the
 * others for what matters least, as times that the footer says.
 */
export function mostImportant(
  table: Table,
  { maxColumns, folded }: Pick<TableBounds, "folded" | "maxColumns">,
): readonly number[] {
  const count = columnCount(table);
  const leaving = leavingOrder(table.columns, count).slice(0, Math.max(0, count - maxColumns));
  return Array.from({ length: count }, (_, index) => index).filter(
    (index) => !leaving.includes(index) && !(folded && index > 0 && table.columns[index]?.priority === 3),
  );
}

/** Renders as many rows and columns as the limit allows, dropping columns of low priority first; undefined for none. */
export function renderTableBlock(table: Table, max: number, bounds: TableBounds): RenderedTable | undefined {
  let best: RenderedTable | undefined;
  const columns = mostImportant(table, bounds);
  for (const level of [3, 2, 1]) {
    const chosen = columns.filter((index) => index === 0 || (table.columns[index]?.priority ?? 1) <= level);
    if (chosen.length === 0) continue;
    const shown = withRows(table, chosen, max, bounds);
    if (shown !== undefined && (best === undefined || shown.rows > best.rows)) best = shown;
    if (best?.rows === Math.min(table.rows.length, bounds.maxRows)) break;
  }
  return best;
}

function withRows(
  table: Table,
  chosen: readonly number[],
  max: number,
  bounds: TableBounds,
): RenderedTable | undefined {
  const titles = chosen.map((index) => cellOf([{ kind: "text", text: table.columns[index]?.title ?? "" }]));
  const head = titles.map(({ cell }) => cell);
  const widths = titles.map(({ width }) => width);
  const choiceLength = choiceLengths(table, bounds);
  const rows = [head];
  let length = lengthOf(titles);
  let whole = titles.every((title) => title.whole);
  for (const row of table.rows.slice(0, bounds.maxRows)) {
    const cells = chosen.map((index) => cellOf(row[index] ?? []));
    const more = lengthOf(cells);
    if (length + more + choiceLength(rows.length) > max) break;
    length += more;
    whole &&= cells.every((cell) => cell.whole);
    rows.push(cells.map(({ cell }) => cell));
    for (const [at, { width }] of cells.entries()) widths[at] = Math.max(widths[at] ?? 0, width);
  }
  if (rows.length === 1) return undefined;
  if (bounds.folded && widths.reduce((sum, width) => sum + width + BESIDE, -BESIDE) > PHONE_WIDTH) return undefined;
  const settings = chosen.map((index) => columnSetting(table.columns[index]));
  const isLong = bounds.paged && rows.length - 1 > PAGE_ROWS;
  const caption = isLong ? captionOf(table) : "";
  return {
    blocks: isLong
      ? [{ type: "data_table", caption, rows: withNumbers(rows), page_size: PAGE_ROWS }]
      : [{ type: "table", rows, column_settings: settings }],
    rows: rows.length - 1,
    columns: chosen.length,
    whole,
    length: length + caption.length + choiceLength(rows.length - 1),
  };
}

/** What a phone shows of a table's line, in characters; the border between two columns takes as much as so many. */
const PHONE_WIDTH = 40;
const BESIDE = 3;

/** A longer table has pages. */
const PAGE_ROWS = FOLDED_ROWS;

/** For readers that say what they show: Slack requires it. */
function captionOf({ name, title = [] }: Table): string {
  return (
    renderPlain(title, HEADER_LENGTH).text || renderPlain([{ kind: "text", text: name }], HEADER_LENGTH).text || "–"
  );
}

/** A column of numbers alone is sorted by their values. People read each as its text. */
function withNumbers([head = [], ...rows]: readonly (readonly Cell[])[]): (Cell | RawNumberElement)[][] {
  const values = rows.map((row) => row.map(numberIn));
  const isNumeric = head.map((_, index) => values.every((row) => row[index] !== undefined));
  const numbered = rows.map((row, at) =>
    row.map((cell, index): Cell | RawNumberElement => {
      const value = values[at]?.[index];
      if (isNumeric[index] !== true || value === undefined || cell.type !== "raw_text") return cell;
      return { type: "raw_number", value, text: cell.text };
    }),
  );
  return [[...head], ...numbered];
}

/** Of a cell such as `1,234.5`; undefined where it says anything else. */
function numberIn(cell: Cell): number | undefined {
  if (cell.type !== "raw_text" || !/^-?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?$/u.test(cell.text)) return undefined;
  return Number(cell.text.replaceAll(",", ""));
}

/** The first cell of a row, as a choice names it. */
export function rowLabel(row: readonly Text[]): string {
  return plainText(shortIds(row[0] ?? []));
}

/** Characters that a choice of the first rows takes, by their count. */
export function choiceLengths(
  { rowAction, rows }: Table,
  { folded, maxRows }: Pick<TableBounds, "folded" | "maxRows">,
): (count: number) => number {
  if (rowAction === undefined || folded) return () => 0;
  const lengths = [PLACEHOLDER];
  for (const row of rows.slice(0, maxRows)) {
    lengths.push((lengths.at(-1) ?? 0) + OPTION_LENGTH + escapeText(rowLabel(row)).length);
  }
  return (count) => lengths[count] ?? 0;
}

/** The lengths of the value of an option, and of a label where the row has none. */
const OPTION_LENGTH = 36;
const PLACEHOLDER = 100;

function columnSetting(column: Column | undefined): { align: "left" | "right"; is_wrapped: boolean } {
  return { align: column?.align ?? "left", is_wrapped: column?.align !== "right" };
}

function lengthOf(cells: readonly RenderedCell[]): number {
  return cells.reduce((sum, { length }) => sum + length, 0);
}

type Cell = RawTextElement | RichTextBlock;

interface RenderedCell {
  readonly cell: Cell;
  readonly whole: boolean;
  readonly length: number;
  /** In characters, as a reader sees it. */
  readonly width: number;
}

/** `Jan 15, 2026 12:00:05`. */
const MOMENT_WIDTH = 21;

/** Slack refuses an empty cell. Ids are shown by their ends; a channel by its name and a moment in the reader's zone, which only rich text has. */
function cellOf(content: Text): RenderedCell {
  const shown = shortIds(content);
  const whole = shown.every((inline, index) => plainText([inline]) === plainText(content.slice(index, index + 1)));
  const plain = oneLine(plainText(shown)).trim();
  const points = Array.from(plain);
  const isLong = points.length > CELL_LENGTH;
  // Beside a time, what looks like a mention stays escaped text.
  const isDated = !/[<>&]/u.test(plain) && shown.some((one) => dateOf(one) !== undefined);
  if (!isLong && (isDated || shown.some((one) => isSlackChannel(one)))) {
    return {
      cell: { type: "rich_text", elements: [{ type: "rich_text_section", elements: richText(shown) }] },
      whole,
      length: plain.length,
      width: isDated ? Math.min(MOMENT_WIDTH, plain.length) : plain.length,
    };
  }
  const text = isLong ? `${escapeText(points.slice(0, CELL_LENGTH).join(""))}…` : escapeText(plain) || "–";
  return { cell: { type: "raw_text", text }, whole: whole && !isLong, length: text.length, width: points.length };
}

/** A moment in the reader's own zone, as far as Slack reads it. */
function dateOf(inline: Inline): RichTextElement | undefined {
  if (inline.kind !== "time" || inline.style === "utc") return undefined;
  const seconds = toSeconds(timeOf(inline));
  if (seconds < 1n || seconds > LAST_SECOND) return undefined;
  const whole = "{date_short_pretty} {time_secs}";
  const format = { relative: "{ago}", clock: "{time}", absolute: whole, both: whole }[inline.style];
  return { type: "date", timestamp: Number(seconds), format, fallback: formatUtc(timeOf(inline)) };
}

/** Slack refuses an empty text. */
function richText(content: Text): RichTextElement[] {
  return content.flatMap((inline): RichTextElement[] => {
    if (isSlackChannel(inline)) return [{ type: "channel", channel_id: inline.text }];
    const date = dateOf(inline);
    if (date !== undefined) return [date];
    const text = oneLine(plainText([inline]));
    return text.trim() === "" ? [] : [{ type: "text", text }];
  });
}
