/** A count with its thousands apart: `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}
