// @ts-check
// The plan of columns that all renderers of a table share. Plain JavaScript: browsers load this very file.

/**
 * How many columns a table has, as its widest row has them.
 *
 * @param {{ readonly columns: readonly unknown[], readonly rows: readonly (readonly unknown[])[] }} table
 */
export function columnCount({ columns, rows }) {
  return rows.reduce((most, row) => Math.max(most, row.length), columns.length);
}

/**
 * The order in which columns leave a table without room for all of them, as their indices: those that matter least, of
 * equal ones the last. The first column never leaves, since it names the row.
 *
 * @param {readonly { readonly priority?: number | undefined }[]} columns
 * @param {number} [count] How many columns there are; beyond the list, their priority is 1.
 * @returns {number[]}
 */
export function leavingOrder(columns, count = columns.length) {
  /** @param {number} index */
  const priority = (index) => columns[index]?.priority ?? 1;
  return Array.from({ length: Math.max(0, count - 1) }, (_, index) => count - 1 - index).toSorted(
    (a, b) => priority(b) - priority(a),
  );
}
