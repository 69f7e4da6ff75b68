import { strong, text, type Text } from "../reply/text.ts";

/** A page's title: `15 checkpoints, blocks 100 to 250`; says so where there are none. */
export function blockRangeTitle(noun: string, heights: readonly (bigint | undefined)[]): Text {
  const known = heights.filter((height) => height !== undefined);
  const lowest = known.reduce<bigint | undefined>((a, b) => (a === undefined || b < a ? b : a), undefined);
  const highest = known.reduce<bigint | undefined>((a, b) => (a === undefined || b > a ? b : a), undefined);
  const count = heights.length === 0 ? `No ${noun}s` : `${heights.length} ${noun}${heights.length === 1 ? "" : "s"}`;
  if (lowest === undefined || highest === undefined) return text`${count}`;
  return lowest === highest ? text`${count}, block ${lowest}` : text`${count}, blocks ${lowest} to ${highest}`;
}

/** `block 123, 40 blocks ago`, where the node said which block it speaks for. */
export function blocksAgo(height: bigint, now: bigint | undefined): Text {
  if (now === undefined || now < height) return text`block ${strong(height)}`;
  const behind = now - height;
  return text`block ${strong(height)}, ${behind} ${behind === 1n ? "block" : "blocks"} ago`;
}
