import { type Attachment, memoryAttachment } from "./reply.ts";
import type { Table } from "./block.ts";
import { csvOf } from "./csv-rows.js";
import { plainText } from "./plain-text.ts";
import type { Inline } from "./text.ts";

/** A table as CSV, in UTF-8. */
export function tableToCsv({ columns, rows }: Pick<Table, "columns" | "rows">): string {
  return csvOf(
    columns,
    rows.map((row) => row.map((cell) => plainText(cell.map(inUtc)))),
  );
}

/** A clock of some zone as the point in time that it shows. */
function inUtc(inline: Inline): Inline {
  return inline.kind === "text" && inline.at !== undefined ? { kind: "time", at: inline.at, style: "utc" } : inline;
}

/** The CSV of a table, ready to go with a reply. */
export function tableAttachment(table: Table, prefix = ""): Attachment {
  return memoryAttachment(`${prefix}${table.name}.csv`, "text/csv", tableToCsv(table));
}
