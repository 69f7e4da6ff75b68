import type { AsOf } from "../api/api-client.ts";
import { DEFAULT_THRESHOLDS, millisBetween } from "../api/verdict/verdict.ts";
import { nanoseconds, type Nanoseconds } from "../units/nanoseconds.ts";

export interface BlockPoint {
  readonly height: bigint;
  readonly time: Nanoseconds;
}

/** The mean time between blocks, until two of them have been seen: about 0.7 s on the public networks. */
const DEFAULT_BLOCK_NANOS = 700_000_000n;

/** Whether a node's time can be true: believing a time far ahead would make all later ones look old. */
export function isPlausibleTime(time: Nanoseconds, { receivedAt }: Pick<AsOf, "receivedAt">): boolean {
  return millisBetween(receivedAt, time) <= DEFAULT_THRESHOLDS.aheadMillis;
}

/** The block that an answer is as of, where the node gave its height and a plausible time. */
export function blockPointOf(asOf: AsOf): BlockPoint | undefined {
  const { blockHeight: height, blockTime: time } = asOf;
  return height === undefined || time === undefined || !isPlausibleTime(time, asOf) ? undefined : { height, time };
}

/** Estimates when a block was made, from the blocks around it; undefined where no time is known. */
export function estimateBlockTime(
  block: bigint,
  from: BlockPoint | undefined,
  to: BlockPoint | undefined,
): Nanoseconds | undefined {
  if (to === undefined) return undefined;
  if (from !== undefined && from.height < to.height && from.height <= block && block <= to.height) {
    const share = ((to.time - from.time) * (block - from.height)) / (to.height - from.height);
    return nanoseconds(from.time + share);
  }
  return nanoseconds(to.time - (to.height - block) * DEFAULT_BLOCK_NANOS);
}
