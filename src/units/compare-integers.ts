/** Negative, zero or positive, as a sorts before, with or after b. */
export function compareIntegers(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
