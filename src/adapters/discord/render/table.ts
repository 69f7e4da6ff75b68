import type { Column, Table } from "../../../reply/block.ts";
import type { Text } from "../../../reply/text.ts";
import { PHONE_COLUMNS } from "../limits.ts";
import { flatText, insideFence, type Markup, renderText } from "./markdown.ts";

/** One way to show a table: its columns, and each row as a line of markup. */
interface Layout {
  readonly columns: number;
  /** Stands around the rows. */
  readonly frame: readonly [above: string, below: string];
  row(index: number, onId: (value: string) => void): Markup;
}

/** As many rows in one layout as fit. */
interface Shown {
  readonly markdown: string;
  readonly rows: number;
  readonly columns: number;
  /** Whether each cell is shown whole. */
  readonly whole: boolean;
  readonly ids: readonly string[];
}

/** Between two columns of a grid. */
const GAP = " ";

/**
 * Renders a table for a phone: a grid in fixed width where it fits a phone's width, else one short paragraph a row.
 * Columns of low priority are omitted before rows are; the note below counts the omissions, which the CSV `file` holds.
 */
export function renderTable(table: Table, max: number, file: string, onId: (value: string) => void): Markup {
  const title = headline(table.title ?? [], max, onId);
  const columnCount = widest(table);
  if (table.rows.length === 0 || columnCount === 0) {
    const empty = renderText(table.empty ?? [{ kind: "text", text: "Nothing." }], {
      max: max - title.markdown.length,
      onId,
    });
    return { markdown: `${title.markdown}${empty.markdown}`, whole: title.whole && empty.whole };
  }
  const finish = (shown: Shown): Markup => {
    const below = note(table, shown, columnCount, file);
    const csv = shown.rows < table.rows.length || shown.columns < columnCount || !shown.whole;
    const markdown = `${title.markdown}${shown.markdown}${below === "" ? "" : `\n${below}`}`;
    for (const id of shown.ids) onId(id);
    return { markdown, whole: title.whole, ...(csv ? { csv: true } : {}) };
  };
  const found = layouts(table, columnCount);
  for (const layout of found) {
    const below = note(table, { rows: table.rows.length, columns: layout.columns }, columnCount, file);
    const space = max - title.markdown.length - (below === "" ? 0 : below.length + 1);
    const shown = fill(layout, table.rows.length, space);
    if (shown.rows === table.rows.length) return finish(shown);
  }
  const least = found.at(-1);
  const longestNote = note(table, { rows: 0, columns: 0 }, columnCount, file).length + 10;
  const space = max - title.markdown.length - longestNote;
  if (least === undefined || space < 0) return { markdown: "", whole: false };
  return finish(fill(least, table.rows.length, space));
}

function headline(title: Text, max: number, onId: (value: string) => void): Markup {
  const { markdown, whole } = renderText(title, { max: Math.min(200, max - 5), bold: true, onId });
  return { markdown: markdown.trim() === "" ? "" : `${markdown}\n`, whole };
}

function widest(table: Table): number {
  return table.rows.reduce((most, row) => Math.max(most, row.length), table.columns.length);
}

/** Counts the omissions, in one small line. */
function note(table: Table, shown: { rows: number; columns: number }, columnCount: number, file: string): string {
  const all = Math.max(table.total ?? 0, table.rows.length);
  const parts: string[] = [];
  if (shown.rows < all) parts.push(`${shown.rows} of ${group(all)} rows`);
  if (shown.columns < columnCount) parts.push(`${shown.columns} of ${columnCount} columns`);
  if (parts.length === 0) return "";
  const carried = shown.rows < table.rows.length || shown.columns < columnCount;
  const where = !carried
    ? ""
    : `; ${table.rows.length < all ? `${group(table.rows.length)} rows` : "all of it"} in ${file}`;
  return `-# ${parts.join(", ")} shown${where}`;
}

function group(count: number): string {
  return count.toLocaleString("en-US");
}

/** The ways to show a table, the best first: all in a grid, then as paragraphs with fewer and fewer columns. */
function layouts(table: Table, columnCount: number): Layout[] {
  const all = Array.from({ length: columnCount }, (_, index) => index);
  const grid = renderGrid(table, columnCount);
  const found: Layout[] = [];
  if (grid !== undefined) {
    const [head = "", ...lines] = grid;
    found.push({
      columns: columnCount,
      frame: [`\`\`\`\n${head}\n`, "\n```"],
      row: (index, onId) => {
        for (const cell of table.rows[index] ?? []) flatText(cell, onId);
        return { markdown: lines[index] ?? "", whole: true };
      },
    });
  }
  const sizes = new Set<number>();
  for (const level of [3, 2, 1]) {
    const columns = all.filter((index) => (table.columns[index]?.priority ?? 1) <= level);
    if (columns.length === 0 || sizes.has(columns.length)) continue;
    sizes.add(columns.length);
    found.push({
      columns: columns.length,
      frame: ["", ""],
      row: (index, onId) => card(table.columns, table.rows[index] ?? [], columns, onId),
    });
  }
  return found;
}

/** As many whole rows as fit, from the first on. */
function fill(layout: Layout, rowCount: number, space: number): Shown {
  const [above, below] = layout.frame;
  const lines: string[] = [];
  const ids: string[] = [];
  let whole = true;
  let length = above.length + below.length;
  for (let index = 0; index < rowCount; index += 1) {
    const found: string[] = [];
    const line = layout.row(index, (id) => void found.push(id));
    length += line.markdown.length + (index === 0 ? 0 : 1);
    if (length > space) break;
    lines.push(line.markdown);
    ids.push(...found);
    whole &&= line.whole;
  }
  return { markdown: `${above}${lines.join("\n")}${below}`, rows: lines.length, columns: layout.columns, whole, ids };
}

/** One row: its first column in bold, then each value behind its column's name. */
function card(
  columns: readonly Column[],
  row: readonly Text[],
  chosen: readonly number[],
  onId: (value: string) => void,
): Markup {
  const [first = 0, ...rest] = chosen;
  const head = renderText(row[first] ?? [], { bold: true, onId });
  let whole = head.whole;
  const values = rest.flatMap((index) => {
    const value = renderText(row[index] ?? [], { onId });
    whole &&= value.whole;
    const shown = value.markdown.trim();
    if (shown === "" || shown === "–") return [];
    const name = renderText([{ kind: "text", text: columns[index]?.title ?? "" }]).markdown.trim();
    return [name === "" ? shown : `${name} ${shown}`];
  });
  const shownHead = head.markdown.trim() === "" ? "–" : head.markdown.trim();
  // A name speaks for itself; a number does not.
  const column = columns[first];
  const name = column?.align === "right" ? renderText([{ kind: "text", text: column.title }]).markdown.trim() : "";
  return { markdown: `- ${[`${name} ${shownHead}`.trim(), ...values].join(" · ")}`, whole };
}

/** Text in which each character takes one column of a fixed-width font: Latin, Greek, Cyrillic. */
const FIXED_WIDTH = /^[\u0020-\u007E\u00A1-\u024F\u0370-\u052F\u2010-\u2026\u2190-\u2193\u2212]*$/u;

/** Lines of equal columns, the titles first; undefined where they would not fit a phone, would lose something (a link, a local time) or show nothing. */
function renderGrid(table: Table, columnCount: number): string[] | undefined {
  const loses = table.rows.some((row) =>
    row.some((cell) => cell.some((one) => one.kind === "link" || one.kind === "time")),
  );
  if (loses) return undefined;
  const cells = [
    table.columns.map((column) => flatText([{ kind: "text", text: column.title }])),
    ...table.rows.map((row) => row.map((cell) => flatText(cell))),
  ];
  if (cells.some((row) => row.some((cell) => !FIXED_WIDTH.test(cell)))) return undefined;
  const widths = Array.from({ length: columnCount }, (_, index) =>
    cells.reduce((most, row) => Math.max(most, row[index]?.length ?? 0), 0),
  );
  const width = widths.reduce((sum, one) => sum + one + GAP.length, -GAP.length);
  if (width > PHONE_COLUMNS) return undefined;
  const lines = cells.map((row) => {
    const padded = widths.map((space, index) => {
      const cell = row[index] ?? "";
      return table.columns[index]?.align === "right" ? cell.padStart(space) : cell.padEnd(space);
    });
    return insideFence(padded.join(GAP).trimEnd());
  });
  // A fence of blank lines alone would not end: Discord looks for its end behind the first character that is no line break.
  return lines.some((line) => line !== "") ? lines : undefined;
}
