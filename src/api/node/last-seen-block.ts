import { type Milliseconds, nanoseconds, type Nanoseconds } from "../../units/time.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import type { HttpHeaders } from "../http/http.ts";
import { DEFAULT_THRESHOLDS, millisBetween } from "../verdict/verdict.ts";

/** The last block that a node reported. */
export interface LastSeenBlock {
  readonly time: Nanoseconds | undefined;
  readonly height: bigint | undefined;
  /** Local monotonic clock. */
  readonly atMillis: Milliseconds;
}

export interface BlockSource {
  readonly lastSeenBlock: LastSeenBlock | undefined;
}

const DIGITS = /^\d{1,20}$/u;

/** The block of an answer, from `X-Block-Height` and `X-Block-Timestamp` (nanoseconds), if sent. */
export function readBlock(headers: HttpHeaders): { blockHeight?: bigint; blockTime?: Nanoseconds } {
  const height = headers["x-block-height"];
  const time = headers["x-block-timestamp"];
  const blockHeight = typeof height === "string" && DIGITS.test(height) ? BigInt(height) : undefined;
  const nanos = typeof time === "string" && DIGITS.test(time) ? BigInt(time) : 0n;
  // A node that has taken in no block yet says 0.
  const blockTime = nanos > 0n ? nanoseconds(nanos) : undefined;
  return withoutUndefined({ blockHeight, blockTime });
}

/**
 * Blocks older than this are ignored. Well below the lag limits in time and in blocks, so that no node seems to lag
 * because the network stopped between two answers.
 */
const LAST_SEEN_VALID_MILLIS: Milliseconds = 30_000;

/** Whether a node's last seen block is recent enough to compare. */
export function isRecentlySeen({ lastSeenBlock }: BlockSource, nowMillis: Milliseconds): boolean {
  return lastSeenBlock !== undefined && nowMillis - lastSeenBlock.atMillis <= LAST_SEEN_VALID_MILLIS;
}

/**
 * Whether a node is known to lag behind another one, by the limits of the alert rules. Block times are corrected for
 * the time between the two observations; heights are not, since the block rate is unknown.
 */
export function isBehind(one: BlockSource, all: readonly BlockSource[], nowMillis: Milliseconds): boolean {
  const { lastSeenBlock } = one;
  if (all.length === 1 || lastSeenBlock === undefined || !isRecentlySeen(one, nowMillis)) return false;
  return all.some(
    (other) =>
      other !== one &&
      other.lastSeenBlock !== undefined &&
      isRecentlySeen(other, nowMillis) &&
      lags(lastSeenBlock, other.lastSeenBlock),
  );
}

/** The first node that is not known to lag; where all of them are, the first. */
export function firstNotBehind<T extends BlockSource>(all: readonly T[], nowMillis: Milliseconds): T | undefined {
  return all.find((one) => !isBehind(one, all, nowMillis)) ?? all[0];
}

function lags(mine: LastSeenBlock, theirs: LastSeenBlock): boolean {
  if (mine.time !== undefined && theirs.time !== undefined) {
    const apart = theirs.atMillis - mine.atMillis;
    if (millisBetween(mine.time, theirs.time) - apart > DEFAULT_THRESHOLDS.laggingMillis) return true;
  }
  return (
    mine.height !== undefined &&
    theirs.height !== undefined &&
    theirs.height - mine.height > DEFAULT_THRESHOLDS.laggingBlocks
  );
}
