import type { AsOf } from "../api/api-client.ts";
import { DEFAULT_THRESHOLDS, millisBetween } from "../api/verdict.ts";
import { nanoseconds, type Nanoseconds } from "../units/nanoseconds.ts";

/** A block and its time. */
export interface Point {
  readonly height: bigint;
  readonly time: Nanoseconds;
}

/** The mean time between blocks, until two of them have been seen: about 0.7 s on the public networks. */
const USUAL_BLOCK_NANOS = 700_000_000n;

/** Whether a node may say this time: taken for true, one far ahead would make all that comes after it look old. */
export function isBelievable(time: Nanoseconds, { receivedAt }: Pick<AsOf, "receivedAt">): boolean {
  return millisBetween(receivedAt, time) <= DEFAULT_THRESHOLDS.aheadMillis;
}

/** The block that an answer speaks for, where the node said both its height and a time that can be. */
export function pointOf(asOf: AsOf): Point | undefined {
  const { blockHeight: height, blockTime: time } = asOf;
  return height === undefined || time === undefined || !isBelievable(time, asOf) ? undefined : { height, time };
}

/** When a block was made, reckoned from the blocks around it; undefined where no time is known. */
export function placeInTime(block: bigint, from: Point | undefined, to: Point | undefined): Nanoseconds | undefined {
  if (to === undefined) return undefined;
  if (from !== undefined && from.height < to.height && from.height <= block && block <= to.height) {
    const share = ((to.time - from.time) * (block - from.height)) / (to.height - from.height);
    return nanoseconds(from.time + share);
  }
  return nanoseconds(to.time - (to.height - block) * USUAL_BLOCK_NANOS);
}
