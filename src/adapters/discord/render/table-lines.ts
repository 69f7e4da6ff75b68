import type { Table } from "../../../reply/block.ts";
import { type Text, toText } from "../../../reply/text.ts";
import { timeColumn } from "../../chat/bounds.ts";
import { PHONE_LINE } from "../limits.ts";
import { FIXED_WIDTH, flatText, type Markup, renderText, shownWidth } from "./markdown.ts";

/** One way to show a table: some of its columns, and each row as a line of markup. */
export interface Layout {
  readonly columns: number;
  /** Rows with a cell that has no room. */
  readonly cut: number;
  /** Stands around the rows. */
  readonly frame: readonly [above: string, below: string];
  row(index: number, onId: (value: string) => void): Markup;
}

/** The share of rows that may have a cell without room, so that all rows keep the layout. */
const MAX_CUT_ROWS = 0.25;

/** A shorter beginning of a cell is not shown. */
const MIN_BEGINNING = 6;

/** Between two columns of a grid, and between two cells of a line. */
export const GAP = " ";
const LINE_GAP = " · ";

function rankOf(table: Table, index: number): number {
  return table.columns[index]?.priority ?? 1;
}

function titlesOf(table: Table, columns: readonly number[]): Text[] {
  return columns.map((index) => toText(table.columns[index]?.title ?? ""));
}

/** Each row as one text, which may take several lines of a phone: `- Min **66,100** · Max 68,400 · Horizon 1 h`. */
export function recordsOf(table: Table, columns: readonly number[], apart: boolean): Layout {
  const labels = titlesOf(table, columns).map((title) => renderText(title).markdown.trim());
  return {
    columns: columns.length,
    cut: 0,
    frame: ["", ""],
    row: (index, onId) => {
      const cells = labels.flatMap((label, column) => {
        const content = table.rows[index]?.[column] ?? [];
        if (column > 0 && isEmpty(content)) return [];
        const cell = renderText(content, { ...(column === 0 ? { bold: true } : {}), onId });
        const value = cell.markdown.trim() === "" ? "–" : cell.markdown.trim();
        return { markdown: label === "" ? value : `${label} ${value}`, whole: cell.whole };
      });
      return {
        markdown: `${apart ? "" : "- "}${cells.map(({ markdown }) => markdown).join(LINE_GAP)}`,
        whole: cells.every(({ whole }) => whole),
      };
    },
  };
}

/**
 * Rows as lines of text below the titles of their columns; undefined where they are too long. An ellipsis stands for a
 * cell without room, where no column but the important ones is left and few rows have one; a time that matters is
 * folded instead.
 */
export function linesOf(table: Table, columns: readonly number[]): Layout | undefined {
  const titles = titlesOf(table, columns);
  const cellsOf = (row: readonly Text[]): Text[] => {
    const cells = columns.map((index) => row[index] ?? []);
    // Empty cells at the end are left out.
    const last = cells.findLastIndex((cell) => flatText(cell) !== "");
    return cells.slice(0, Math.max(1, last + 1));
  };
  const cutOf = (gap: string): number => table.rows.filter((row) => lineWidth(cellsOf(row), gap) > PHONE_LINE).length;
  const cut = cutOf(LINE_GAP);
  const areImportant = columns.every((index) => rankOf(table, index) === 1);
  const most = areImportant && timeColumn(table, columns) === undefined ? table.rows.length * MAX_CUT_ROWS : 0;
  const fits = cut <= most && (cut > 0 || lineWidth(titles, LINE_GAP) <= PHONE_LINE);
  if (!fits && columns.length > 1) return undefined;
  const isNumber = columns.map((index) => table.columns[index]?.align === "right");
  const { markdown: head } = line(titles, isNumber, {});
  return {
    columns: columns.length,
    cut: cutOf(GAP),
    frame: [columns.length === 1 ? "" : `-# ${head}\n`, ""],
    row: (index, onId) => line(cellsOf(table.rows[index] ?? []), isNumber, { bold: true, onId }),
  };
}

/**
 * Rows that may wrap, where a row stands alone, has a button beside it or a time that matters: the first cell and the
 * others behind it, each row with its bullet; beside a button (`apart`) the others in small print below. Undefined where
 * a row has no room for them.
 */
export function foldedOf(table: Table, columns: readonly number[], apart: boolean): Layout | undefined {
  const titles = titlesOf(table, columns);
  const isTooLong = (cells: readonly Text[]): boolean => lineWidth(cells, LINE_GAP) > PHONE_LINE;
  const [first = 0, ...others] = columns;
  const below = table.rows.map((row) => others.map((index) => row[index] ?? []).filter((cell) => !isEmpty(cell)));
  if (others.length > 0 && [titles, ...below].some(isTooLong)) return undefined;
  const joined = (cells: readonly Text[], onId?: (value: string) => void): string =>
    cells.map((cell) => renderText(cell, { shortTimes: true, onId }).markdown.trim()).join(LINE_GAP);
  const max = 2 * PHONE_LINE;
  return {
    columns: columns.length,
    cut: table.rows.filter((row) => shownWidth(row[first] ?? []) > max).length,
    frame: ["", ""],
    row: (index, onId) => {
      const cell = table.rows[index]?.[first] ?? [];
      // Wide characters take two columns each.
      const most = FIXED_WIDTH.test(flatText(cell)) ? max : max / 2;
      const name = renderText(cell, {
        bold: true,
        shortTimes: true,
        onId,
        ...(shownWidth(cell) > max ? { max: most - 4 } : {}),
      });
      const rest = joined(below[index] ?? [], onId);
      const head = name.markdown.trim() === "" ? "–" : name.markdown.trim();
      const behind = rest === "" ? "" : `${apart ? "\n-# " : LINE_GAP}${rest}`;
      return { markdown: `${apart ? "" : "- "}${head}${behind}`, whole: name.whole };
    },
  };
}

/** Whether a cell has nothing to say. */
function isEmpty(cell: Text): boolean {
  return ["", "–"].includes(flatText(cell).trim());
}

function lineWidth(cells: readonly Text[], gap: string): number {
  return cells.reduce((total, cell) => total + Math.max(1, shownWidth(cell)), (cells.length - 1) * gap.length);
}

/**
 * Cells as one line of PHONE_LINE characters at most; `bold` applies to the first. Where there is no room for all, blanks
 * alone stand between them; where that is not enough, an ellipsis replaces numbers before words.
 */
function line(
  cells: readonly Text[],
  isNumber: readonly boolean[],
  how: { readonly bold?: true; readonly onId?: (value: string) => void },
): Markup {
  let room = PHONE_LINE;
  let whole = true;
  const gap = [LINE_GAP, GAP].find((one) => lineWidth(cells, one) <= PHONE_LINE) ?? LINE_GAP;
  const kept = [...cells];
  for (let index = kept.length - 1; index > 0 && lineWidth(kept, gap) > PHONE_LINE; index -= 1) {
    if (isNumber[index] !== true) continue;
    kept[index] = [{ kind: "text", text: "…" }];
    whole = false;
  }
  const shown = kept.map((cell, index) => {
    // Each cell behind it takes an ellipsis at least.
    const space = room - (cells.length - 1 - index) * (gap.length + 1);
    const width = Math.max(1, shownWidth(cell));
    const options = { shortTimes: true, onId: how.onId, ...(index === 0 ? how : {}) } as const;
    const most = (): number => Math.max(8, FIXED_WIDTH.test(flatText(cell)) ? space - 4 : space / 2);
    const cut = (): Markup =>
      index === 0
        ? renderText(cell, { ...options, max: most() })
        : { markdown: beginningOf(cell, space), whole: false };
    const rendered = width <= space ? renderText(cell, options) : cut();
    room -= Math.min(width, Math.max(1, space)) + gap.length;
    whole &&= rendered.whole;
    return rendered.markdown.trim() === "" ? "–" : rendered.markdown.trim();
  });
  return { markdown: shown.join(gap), whole };
}

/** The first words of a cell that has no room, else an ellipsis alone. */
function beginningOf(cell: Text, space: number): string {
  // The markup of a time takes more characters than people see; wide characters take more room.
  const end = cell.findIndex(({ kind }) => kind !== "text" && kind !== "strong");
  const words = flatText(end === -1 ? cell : cell.slice(0, end));
  if (space < MIN_BEGINNING || words === "" || !FIXED_WIDTH.test(words)) return "…";
  return renderText([{ kind: "text", text: `${words}…` }], { max: space }).markdown;
}
