import type { RawTextElement, TableBlock } from "@slack/types";

import type { Column, Table } from "../../../reply/block.ts";
import { oneLine, plainText } from "../../../reply/plain-text.ts";
import { type Inline, shortenId, type Text } from "../../../reply/text.ts";
import { MAX_TABLE_COLUMNS, MAX_TABLE_ROWS } from "../limits.ts";
import { escapeText } from "./mrkdwn.ts";

/** A table as Slack shows it, and how much of it is shown. */
export interface RenderedTable {
  readonly block: TableBlock;
  readonly rows: number;
  readonly columns: number;
  /** Each cell shown is shown whole. */
  readonly whole: boolean;
  readonly length: number;
}

/** A cell longer than this makes its row unreadable; the CSV has all of it. */
const CELL_LENGTH = 300;

/** Renders as many rows and columns as the limit allows, dropping columns of low priority first; undefined for none. */
export function renderTableBlock(table: Table, max: number): RenderedTable | undefined {
  if (table.rows.length === 0) return undefined;
  const count = table.rows.reduce((most, row) => Math.max(most, row.length), table.columns.length);
  const all = Array.from({ length: count }, (_, index) => index);
  let best: RenderedTable | undefined;
  for (const level of [3, 2, 1]) {
    const chosen = all.filter((index) => (table.columns[index]?.priority ?? 1) <= level).slice(0, MAX_TABLE_COLUMNS);
    if (chosen.length === 0) continue;
    const shown = withRows(table, chosen, max);
    if (shown !== undefined && (best === undefined || shown.rows > best.rows)) best = shown;
    if (best?.rows === Math.min(table.rows.length, MAX_TABLE_ROWS - 1)) break;
  }
  return best;
}

function withRows(table: Table, chosen: readonly number[], max: number): RenderedTable | undefined {
  const titles = chosen.map((index) => cellOf([{ kind: "text", text: table.columns[index]?.title ?? "" }]));
  const head = titles.map(({ cell }) => cell);
  const rows: RawTextElement[][] = [head];
  let length = lengthOf(head);
  let whole = titles.every((title) => title.whole);
  for (const row of table.rows.slice(0, MAX_TABLE_ROWS - 1)) {
    const cells = chosen.map((index) => cellOf(row[index] ?? []));
    const more = lengthOf(cells.map(({ cell }) => cell));
    if (length + more > max) break;
    length += more;
    whole &&= cells.every((cell) => cell.whole);
    rows.push(cells.map(({ cell }) => cell));
  }
  if (rows.length === 1) return undefined;
  const settings = chosen.map((index) => columnSetting(table.columns[index]));
  return {
    block: { type: "table", rows, column_settings: settings },
    rows: rows.length - 1,
    columns: chosen.length,
    whole,
    length,
  };
}

function columnSetting(column: Column | undefined): { align: "left" | "right"; is_wrapped: boolean } {
  return { align: column?.align ?? "left", is_wrapped: column?.align !== "right" };
}

function lengthOf(cells: readonly RawTextElement[]): number {
  return cells.reduce((sum, cell) => sum + cell.text.length, 0);
}

/** Slack refuses an empty cell. Ids are shown by their ends. */
function cellOf(content: Text): { cell: RawTextElement; whole: boolean } {
  let whole = true;
  const shown = content.map((inline): Inline => {
    if (inline.kind !== "code" || inline.id !== true) return inline;
    const short = shortenId(inline.text);
    whole &&= short === inline.text;
    return { kind: "text", text: short };
  });
  const plain = oneLine(plainText(shown)).trim();
  const points = Array.from(plain);
  if (points.length > CELL_LENGTH) {
    return { cell: { type: "raw_text", text: `${escapeText(points.slice(0, CELL_LENGTH).join(""))}…` }, whole: false };
  }
  return { cell: { type: "raw_text", text: plain === "" ? "–" : escapeText(plain) }, whole };
}
