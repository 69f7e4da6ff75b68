import { stringify } from "csv-stringify/sync";

import { type Attachment, memoryAttachment } from "./reply.ts";
import type { Table } from "./block.ts";
import { plainText } from "./plain-text.ts";
import type { Inline } from "./text.ts";

/**
 * A table as CSV (RFC 4180, UTF-8), all rows and all columns, for machines: a dash for nothing is an empty cell, and in
 * columns of numbers, those that stand to the right, thousands are not set apart and percent stands in the header.
 * A cell that a spreadsheet would run as a formula gets an apostrophe in front
 * (https://owasp.org/www-community/attacks/CSV_Injection); plain numbers do not.
 */
export function tableToCsv(table: Pick<Table, "columns" | "rows">): string {
  const cell = (value: string): string =>
    /^[=+\-@\t\r]/u.test(value) && !/^[+-]?[\d,]*\.?\d+$/u.test(value) ? `'${value}` : value;
  const cells = table.rows.map((row) =>
    row.map((content, index) => {
      const plain = plainText(content.map(inUtc));
      if (plain === "–") return "";
      return table.columns[index]?.align === "right"
        ? plain.replace(GROUPED, (number) => number.replaceAll(",", ""))
        : plain;
    }),
  );
  const inPercent = table.columns.map(
    ({ align }, index) => align === "right" && cells.some((row) => PERCENT.test(row[index] ?? "")),
  );
  return stringify([
    table.columns.map(({ title }, index) => cell(inPercent[index] === true ? `${title} (%)` : title)),
    ...cells.map((row) =>
      row.map((value, index) => cell(inPercent[index] === true ? value.replace(PERCENT, "$1") : value)),
    ),
  ]);
}

/** A clock of some zone as the point in time that it shows. */
function inUtc(inline: Inline): Inline {
  return inline.kind === "text" && inline.at !== undefined ? { kind: "time", at: inline.at, style: "utc" } : inline;
}

/** A number with its thousands apart at the beginning of a cell: `1,234,567.89`. */
const GROUPED = /^[+-]?\d{1,3}(?:,\d{3})+(?![\d,])/u;
/** `6.72 %`, before any other words. */
const PERCENT = /^([+-]?\d+(?:\.\d+)?) %(?= |$)/u;

/** The CSV of a table, ready to go with a reply. */
export function tableAttachment(table: Table, prefix = ""): Attachment {
  return memoryAttachment(`${prefix}${table.name}.csv`, "text/csv", tableToCsv(table));
}
