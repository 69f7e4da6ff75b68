import type { Table } from "../../../reply/block.ts";
import { type Markup, renderText } from "./markdown.ts";

/** One way to show a table: some of its columns, and each row as a line of markup. */
export interface Layout {
  readonly columns: number;
  /** Rows with a cell that has no room. */
  readonly cut: number;
  /** Stands around the rows. */
  readonly frame: readonly [above: string, below: string];
  row(index: number, onId: (value: string) => void): Markup;
}

/** Each row as one text, which may take several lines of a phone: `- Min **66,100** · Max 68,400 · Horizon 1 h`. */
export function recordsOf(table: Table, columnCount: number, apart: boolean): Layout {
  const titles = Array.from({ length: columnCount }, (_, index) => [
    { kind: "text" as const, text: table.columns[index]?.title ?? "" },
  ]);
  return {
    columns: columnCount,
    cut: 0,
    frame: ["", ""],
    row: (index, onId) => {
      const cells = titles.map((title, column) => {
        const cell = renderText(table.rows[index]?.[column] ?? [], { ...(column === 0 ? { bold: true } : {}), onId });
        const value = cell.markdown.trim() === "" ? "–" : cell.markdown.trim();
        const label = renderText(title).markdown.trim();
        return { markdown: label === "" ? value : `${label} ${value}`, whole: cell.whole };
      });
      return {
        markdown: `${apart ? "" : "- "}${cells.map(({ markdown }) => markdown).join(" · ")}`,
        whole: cells.every(({ whole }) => whole),
      };
    },
  };
}
