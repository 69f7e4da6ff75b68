import { stringify } from "csv-stringify/sync";

import { memoryAttachment, type Attachment } from "./attachment.ts";
import type { Table } from "./block.ts";
import { plainText } from "./plain.ts";

/**
 * A table as CSV (RFC 4180, UTF-8), all rows and all columns. A cell that a spreadsheet would run as a formula
 * gets an apostrophe in front (https://owasp.org/www-community/attacks/CSV_Injection); plain numbers do not.
 */
export function tableToCsv(table: Pick<Table, "columns" | "rows">): string {
  const cell = (value: string): string =>
    /^[=+\-@\t\r]/u.test(value) && !/^[+-]?[\d,]*\.?\d+$/u.test(value) ? `'${value}` : value;
  return stringify([
    table.columns.map((column) => cell(column.title)),
    ...table.rows.map((row) => row.map((content) => cell(plainText(content)))),
  ]);
}

/** The CSV of a table, ready to go with a reply. */
export function tableAttachment(table: Table, prefix = ""): Attachment {
  return memoryAttachment(`${prefix}${table.name}.csv`, "text/csv", tableToCsv(table));
}
