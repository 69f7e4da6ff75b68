import type { AsOf } from "../api/api-client.ts";
import { nanoseconds, type Nanoseconds } from "../units/nanoseconds.ts";

/** A block and its time. */
export interface Point {
  readonly height: bigint;
  readonly time: Nanoseconds;
}

/** The mean time between blocks, until two of them have been seen: about 0.7 s on the public networks. */
const USUAL_BLOCK_NANOS = 700_000_000n;

/** The block that an answer speaks for, where the node said both its height and its time. */
export function pointOf({ blockHeight, blockTime }: AsOf): Point | undefined {
  return blockHeight === undefined || blockTime === undefined ? undefined : { height: blockHeight, time: blockTime };
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
