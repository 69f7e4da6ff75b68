// @ts-check
// A table as CSV, as the bot's own files have it: all rows, all columns, exact.
/** @import { Table, Text } from "../../../../reply/document.ts" */
import { csvOf } from "../../../../reply/csv-rows.js";
import { wholeUtc } from "./times.js";

/**
 * @param {Pick<Table, "columns" | "rows">} table
 * @returns {string}
 */
export function tableToCsv({ columns, rows }) {
  return csvOf(
    columns,
    rows.map((row) => row.map(plainText)),
  );
}

/** @param {Text} content */
function plainText(content) {
  return content
    .map((inline) => {
      switch (inline.kind) {
        case "link":
          return inline.text === inline.url ? inline.url : `${inline.text} (${inline.url})`;
        case "time":
          return wholeUtc(inline.at);
        case "text":
          return inline.at === undefined ? inline.text : wholeUtc(inline.at);
        case "strong":
        case "number":
        case "code":
        case "person":
          return inline.text;
      }
    })
    .join("");
}
