// @ts-check
// A table of plain cells as CSV. Plain JavaScript: browsers load this very file.

/** A number at a cell's beginning, as people read it: `1,234,567.89`. */
const GROUPED = /^[+-]?\d{1,3}(?:,\d{3})+(?![\d,])/u;
/** `6.72 %`, before any other words. */
const PERCENT = /^([+-]?\d+(?:\.\d+)?) %(?= |$)/u;
/** What a spreadsheet would run, and the numbers that only look like it. */
const FORMULA = /^[=+\-@\t\r]/u;
const NUMBER = /^[+-]?[\d,]*\.?\d+$/u;

/**
 * CSV (RFC 4180), all rows and all columns, for machines: a dash for nothing is an empty cell, and in columns of numbers,
 * those that stand to the right, thousands are not set apart and percent stands in the header. A cell that a spreadsheet
 * would run as a formula gets an apostrophe in front (https://owasp.org/www-community/attacks/CSV_Injection); plain
 * numbers do not.
 *
 * @param {readonly { readonly title: string, readonly align?: string | undefined }[]} columns
 * @param {readonly (readonly string[])[]} rows
 * @returns {string}
 */
export function csvOf(columns, rows) {
  const numbers = columns.map(({ align }) => align === "right");
  const cells = rows.map((row) =>
    row.map((plain, index) => {
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
