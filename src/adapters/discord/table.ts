import type { Column, Table } from "../../reply/block.ts";
import type { Text } from "../../reply/text.ts";
import { insideFence } from "./escape.ts";
import { flatText, renderText, type Markup } from "./inline.ts";
import { PHONE_COLUMNS } from "./limits.ts";

interface Shown {
  readonly markdown: string;
  readonly rows: number;
  readonly columns: number;
  /** Each cell shown is shown whole. */
  readonly whole: boolean;
}

/** Between two columns of a grid. */
const GAP = " ";

/**
 * A table made for a phone: a grid in fixed width where all of it stands within the width of a phone, else one
 * short paragraph a row. Columns that the phone needs least give way before rows do; the note below counts what is
 * left out, and the CSV that `file` names carries it.
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
    return { markdown, whole: title.whole, ...(csv ? { csv: true } : {}) };
  };
  const found = layouts(table, columnCount);
  for (const layout of found) {
    const candidate = finish(layout(table.rows.length, () => {}));
    if (candidate.markdown.length <= max) return finish(layout(table.rows.length, onId));
  }
  const least = found.at(-1);
  const longestNote = note(table, { rows: 0, columns: 0 }, columnCount, file).length + 10;
  const room = max - title.markdown.length - longestNote;
  if (least === undefined || room < 0) return { markdown: "", whole: false };
  return finish(least(rowsThatFit(least, table.rows.length, room), onId));
}

function headline(title: Text, max: number, onId: (value: string) => void): Markup {
  const { markdown, whole } = renderText(title, { max: Math.min(200, max - 5), bold: true, onId });
  return { markdown: markdown.trim() === "" ? "" : `${markdown}\n`, whole };
}

function widest(table: Table): number {
  return table.rows.reduce((most, row) => Math.max(most, row.length), table.columns.length);
}

/** What is missing, in one small line. */
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

type Layout = (rows: number, onId: (value: string) => void) => Shown;

/** The ways to show a table, the best first: all in a grid, then as paragraphs with fewer and fewer columns. */
function layouts(table: Table, columnCount: number): Layout[] {
  const all = Array.from({ length: columnCount }, (_, index) => index);
  const grid = renderGrid(table, all);
  const found: Layout[] = [];
  if (grid !== undefined) {
    found.push((rows, onId) => {
      for (const row of table.rows.slice(0, rows)) for (const cell of row) flatText(cell, onId);
      const markdown = `\`\`\`\n${grid.slice(0, rows + 1).join("\n")}\n\`\`\``;
      return { markdown, rows, columns: columnCount, whole: true };
    });
  }
  const sizes = new Set<number>();
  for (const level of [3, 2, 1]) {
    const columns = all.filter((index) => (table.columns[index]?.priority ?? 1) <= level);
    if (columns.length === 0 || sizes.has(columns.length)) continue;
    sizes.add(columns.length);
    found.push((rows, onId) => {
      const cards = table.rows.slice(0, rows).map((row) => card(table.columns, row, columns, onId));
      const whole = cards.every((one) => one.whole);
      return { markdown: cards.map((one) => one.markdown).join("\n"), rows, columns: columns.length, whole };
    });
  }
  return found;
}

function rowsThatFit(layout: Layout, rows: number, max: number): number {
  let fits = 0;
  let beyond = rows;
  while (beyond - fits > 1) {
    const middle = Math.trunc((fits + beyond) / 2);
    if (layout(middle, () => {}).markdown.length <= max) fits = middle;
    else beyond = middle;
  }
  return fits;
}

/** One row: what it is about in bold, then each value behind its column's name. */
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

/** Lines of equal columns, or undefined where they would not fit a phone or would lose something (a link, a local time). */
function renderGrid(table: Table, chosen: readonly number[]): string[] | undefined {
  const cells = [
    table.columns.map((column) => flatText([{ kind: "text", text: column.title }])),
    ...table.rows.map((row) => row.map((cell) => flatText(cell))),
  ];
  const links = table.rows.some((row) =>
    row.some((cell) => cell.some((one) => one.kind === "link" || one.kind === "time")),
  );
  // Whatever is not of Latin, Greek or Cyrillic width would shift the columns behind it.
  if (
    links ||
    cells.some((row) =>
      row.some((cell) => !/^[\u0020-\u007E\u00A1-\u024F\u0370-\u052F\u2010-\u2026\u2190-\u2193\u2212]*$/u.test(cell)),
    )
  )
    return undefined;
  const widths = chosen.map((index) => cells.reduce((most, row) => Math.max(most, row[index]?.length ?? 0), 0));
  const width = widths.reduce((sum, one) => sum + one + GAP.length, -GAP.length);
  if (width > PHONE_COLUMNS) return undefined;
  return cells.map((row) =>
    insideFence(
      chosen
        .map((index, place) => {
          const cell = row[index] ?? "";
          const space = widths[place] ?? 0;
          return table.columns[index]?.align === "right" ? cell.padStart(space) : cell.padEnd(space);
        })
        .join(GAP)
        .trimEnd(),
    ),
  );
}
