import type { Milliseconds } from "../units/duration.ts";
import type { Nanoseconds } from "../units/nanoseconds.ts";

/** What one node said in one round. */
export interface Witness {
  readonly node: string;
  readonly reachable: boolean;
  /** Why it was not reachable: one short clause for people. */
  readonly why?: string;
  readonly time?: Nanoseconds;
  readonly height?: bigint;
  readonly roundTripMillis?: Milliseconds;
}

/** The highest plausible network time ever seen on a network. */
export interface Frontier {
  readonly time: Nanoseconds;
  readonly height?: bigint;
  readonly node: string;
  /** Local monotonic clock when it last advanced; undefined while only a first look has been taken. */
  readonly advancedAtMillis?: Milliseconds;
}

/** One look at all configured nodes of a network, at about the same moment. */
export interface Round {
  readonly witnesses: readonly Witness[];
  /** Local monotonic clock. */
  readonly atMillis: Milliseconds;
  /** Wall clock. */
  readonly wallClock: Nanoseconds;
}

export interface VerdictThresholds {
  /** No advance for this long is a stall. */
  readonly stalledMillis: Milliseconds;
  /** A majority standing still while a minority advances for this long is a disagreement. */
  readonly disagreeMillis: Milliseconds;
  readonly laggingMillis: Milliseconds;
  readonly laggingBlocks: bigint;
  /** A time this far ahead of the wall clock is implausible. */
  readonly aheadMillis: Milliseconds;
}

/** The defaults of the alert rules, which the `time` command shares. */
export const DEFAULT_THRESHOLDS: VerdictThresholds = {
  stalledMillis: 30_000,
  disagreeMillis: 180_000,
  laggingMillis: 60_000,
  laggingBlocks: 100n,
  aheadMillis: 10_000,
};
