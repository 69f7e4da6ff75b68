// @ts-check
// Which columns of a table a page is too narrow for, and how many rows are shown at first. Pure, so that tests run it
// in node.
import { leavingOrder } from "../../../../reply/columns.js";

/** A longer table shows this many rows, and the rest when asked to. */
export const FIRST_ROWS = 15;
/** Few further ones are not worth a press. */
const ROWS_TO_SPARE = 3;

/**
 * How many rows stand behind a press: those below the table's fold, else what is beyond the first rows.
 *
 * @param {{ readonly rows: { readonly length: number }, readonly fold?: number | undefined }} table
 */
export function hiddenRows({ rows: { length }, fold }) {
  if (fold !== undefined) return Math.max(0, length - fold);
  return length > FIRST_ROWS + ROWS_TO_SPARE ? length - FIRST_ROWS : 0;
}

/** A column of this priority is never left out: without room beside the others, its cells stand below the first one's. */
export const NEEDED = 1;
/** Unless one of them has more characters than this. */
export const LONGEST_BELOW = 60;

/**
 * The columns to leave out, by their index: those that say nothing in any row, and without room those that matter least, of equal ones the last. One that has room after
 * all, since a wider one before it went, comes back. The first column always stays, and so does one without a priority.
 *
 * @param {readonly { readonly width: number, readonly priority: number | undefined, readonly empty?: boolean }[]} columns Widths in pixels.
 * @param {number} room In pixels.
 * @returns {ReadonlySet<number>}
 */
export function columnsToDrop(columns, room) {
  /** @param {number} index */
  const widthOf = (index) => columns[index]?.width ?? 0;
  const mayGo = leavingOrder(columns).filter((index) => columns[index]?.priority !== undefined);
  const dropped = new Set(mayGo.filter((index) => columns[index]?.empty === true));
  const order = mayGo.filter((index) => !dropped.has(index));
  let width = columns.reduce((sum, column, index) => sum + (dropped.has(index) ? 0 : column.width), 0);
  for (const index of order) {
    if (width <= room) break;
    dropped.add(index);
    width -= widthOf(index);
  }
  for (const index of order.toReversed()) {
    if (!dropped.has(index) || width + widthOf(index) > room) continue;
    dropped.delete(index);
    width += widthOf(index);
  }
  return dropped;
}
