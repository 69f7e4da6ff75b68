/** How many rows at the beginning satisfy a condition that, once false, stays false. */
export function countWhile<Row>(rows: readonly Row[], holds: (row: Row) => boolean): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const row = rows[middle];
    if (row !== undefined && holds(row)) low = middle + 1;
    else high = middle;
  }
  return low;
}
