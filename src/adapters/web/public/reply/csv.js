// @ts-check
// A table as CSV, as the bot's own files have it (src/reply/csv.ts; a test compares them): all rows, all columns, exact.
/** @import { Table, Text } from "../../../../reply/document.ts" */
import { wholeUtc } from "./times.js";

/** A number at a cell's beginning, as people read it: `1,234,567.89`. */
const GROUPED = /^[+-]?\d{1,3}(?:,\d{3})+(?![\d,])/u;
/** `6.72 %`, and whatever is said behind it. */
const PERCENT = /^([+-]?\d+(?:\.\d+)?) %(?= |$)/u;
/** What a spreadsheet would run, and the numbers that only look like it. */
const FORMULA = /^[=+\-@\t\r]/u;
const NUMBER = /^[+-]?[\d,]*\.?\d+$/u;

/**
 * @param {Pick<Table, "columns" | "rows">} table
 * @returns {string}
 */
export function tableToCsv({ columns, rows }) {
  const numbers = columns.map(({ align }) => align === "right");
  const cells = rows.map((row) =>
    row.map((content, index) => {
      const plain = plainText(content);
      if (plain === "–") return "";
      return numbers[index] === true ? plain.replace(GROUPED, (number) => number.replaceAll(",", "")) : plain;
    }),
  );
  const inPercent = numbers.map((is, index) => is && cells.some((row) => PERCENT.test(row[index] ?? "")));
  const lines = [
    columns.map(({ title }, index) => (inPercent[index] === true ? `${title} (%)` : title)),
    ...cells.map((row) => row.map((cell, index) => (inPercent[index] === true ? cell.replace(PERCENT, "$1") : cell))),
  ];
  return lines.map((line) => `${line.map(quoted).join(",")}\n`).join("");
}

/** @param {string} value */
function quoted(value) {
  const safe = FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : value;
  return /[",\n\r]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
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
