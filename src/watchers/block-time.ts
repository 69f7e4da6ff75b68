import type { AsOf } from "../api/api-client.ts";
import { DEFAULT_THRESHOLDS, millisBetween } from "../api/verdict/verdict.ts";
import { median } from "../units/decimal.ts";
import { nanoseconds, type Nanoseconds } from "../units/time.ts";

export interface BlockPoint {
  readonly height: bigint;
  readonly time: Nanoseconds;
}

/** The block times that the observations of a chain have shown. */
export interface BlockClock {
  /** The block of the first observation, from which the times of earlier blocks are estimated. */
  readonly first?: BlockPoint;
  /** The latest block of any observation. */
  readonly point?: BlockPoint;
  /** Nanoseconds a block, between each of the last observations and the one before. */
  readonly paces?: readonly bigint[];
}

/** So many paces are remembered; one halt does not move their median. */
const MAX_PACES = 5;
/** With fewer the pace is not known. */
const MIN_PACES = 3;
/** A pace that is more than so many times higher or lower than the known one replaces it: the chain is another one. */
const OTHER_PACE = 3n;

/** Whether a node's time can be true: with a time far ahead as the latest, all later ones would count as old. */
export function isPlausibleTime(time: Nanoseconds, { receivedAt }: Pick<AsOf, "receivedAt">): boolean {
  return millisBetween(receivedAt, time) <= DEFAULT_THRESHOLDS.aheadMillis;
}

/** The block that an answer is as of, where the node gave its height and a plausible time. */
export function blockPointOf(asOf: AsOf): BlockPoint | undefined {
  const { blockHeight: height, blockTime: time } = asOf;
  return height === undefined || time === undefined || !isPlausibleTime(time, asOf) ? undefined : { height, time };
}

/** The clock after one more observation; unchanged by one without a block, or with an earlier block. */
export function lookAtBlock(clock: BlockClock, now: BlockPoint | undefined): BlockClock {
  const { point } = clock;
  if (now === undefined || (point !== undefined && now.time <= point.time)) return clock;
  return { ...clock, first: clock.first ?? point ?? now, point: now, paces: pacesAfter(clock, now) };
}

function pacesAfter({ point, paces = [] }: BlockClock, now: BlockPoint): readonly bigint[] {
  if (point === undefined || now.height <= point.height) return paces;
  const pace = (now.time - point.time) / (now.height - point.height);
  const known = median(paces) ?? pace;
  const holds = pace <= known * OTHER_PACE && known <= pace * OTHER_PACE;
  return holds ? [...paces, pace].slice(-MAX_PACES) : [pace];
}

/** Nanoseconds a block, once enough observations agree on them. */
export function blockPace({ paces = [] }: BlockClock): bigint | undefined {
  return paces.length < MIN_PACES ? undefined : median(paces);
}

/** When a block was made, by the observations before and after it; undefined for a block before the first one. */
export function timeBetweenLooks(block: bigint, before: BlockClock, after: BlockClock): Nanoseconds | undefined {
  const { point: to } = after;
  const from = [before.point, before.first].find((one) => one !== undefined && one.height <= block);
  if (from === undefined || to === undefined) return undefined;
  // A list may be ahead of the block that its answer names.
  if (block >= to.height) return to.time;
  return nanoseconds(from.time + ((to.time - from.time) * (block - from.height)) / (to.height - from.height));
}

/** When a block before the first observation was made, by the pace learned since; undefined while that is unknown. */
export function timeBeforeLooks(block: bigint, clock: BlockClock): Nanoseconds | undefined {
  const pace = blockPace(clock);
  const { first } = clock;
  return pace === undefined || first === undefined
    ? undefined
    : nanoseconds(first.time - (first.height - block) * pace);
}
