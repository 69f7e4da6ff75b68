/** A count with its thousands apart: `12,345`. */
export function countWords(count: number): string {
  return count.toLocaleString("en-US");
}
