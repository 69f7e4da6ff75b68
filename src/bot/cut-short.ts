/** As much of it as fits, counted as people count characters; that something is left out is shown. */
export function cutShort(words: string, most: number): string {
  const points = Array.from(words);
  return points.length <= most ? words : `${points.slice(0, most - 1).join("")}…`;
}
