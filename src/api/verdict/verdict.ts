// The verdict on a network and its nodes, computed from a PollRound (every node's answer) and the memory of earlier
// ones (memory.ts). This module holds the other types and the default thresholds; judge-sources.ts computes the verdict,
// whether nodes disagree, and what is wrong with each. believe.ts says which nodes are believed, motion.ts which of them
// go on and how far any of them was seen, judge-network.ts what that makes of the network. ../client/poll-nodes.ts polls.

import type { Milliseconds, Nanoseconds } from "../../units/time.ts";
import type { Disbelief, Frontier, PollRound, Position, SourceMemory, Witness } from "./memory.ts";

export type * from "./memory.ts";

/** A value under construction: an unknown optional member is left out, not undefined. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Thresholds of a verdict: the defaults of the alert rules, which the `time` command shares. */
export const DEFAULT_THRESHOLDS = {
  /** How old a move may be to count: the larger of 10 s and three polls, at most `stalledMillis`. */
  motionMillis: 15_000,
  /** No advance for this long is a stall that is told. */
  stalledMillis: 30_000,
  /** A stall or disagreement of this age is critical. */
  criticalMillis: 180_000,
  /** An advance that too few nodes confirm must last this long to end a stall. */
  keepMillis: 15_000,
  laggingMillis: 60_000,
  laggingBlocks: 100n,
  /** A time this far ahead of the wall clock is not believed. */
  aheadMillis: 10_000,
};

export type VerdictThresholds = Readonly<typeof DEFAULT_THRESHOLDS>;

/**
 * `healthy`: a quorum advances. `contested`: some nodes go on, and at least as many stand still. `unconfirmed`: nodes go
 * on, but too few to confirm it. `syncing`: nodes only catch up. `stalled`: no node goes on. `blind`: too few nodes can
 * be seen.
 */
export type NetworkState = "healthy" | "contested" | "unconfirmed" | "syncing" | "stalled" | "blind";
/**
 * How a node votes. `climbs`: it goes on behind its own furthest position; `syncs`: behind that of all. `waits`: it has
 * not moved, but not for long enough to count as standing still.
 */
export type Vote = "moves" | "climbs" | "syncs" | "stands" | "waits" | "silent";
export type NodeState = "ok" | "lagging" | "down" | "unknown";

/** One node's part in a verdict. */
export interface NodeVerdict {
  readonly node: string;
  readonly state: NodeState;
  /** One clause for people; absent for an unremarkable node in state `ok`. */
  readonly why?: string;
  readonly vote: Vote;
  /** Set if it is not believed, and for how many polls in a row. */
  readonly disbelief?: Disbelief;
  readonly disbelieved?: number;
  /** Set where another node contradicts it, and which of them is right cannot be told: neither lags behind the other. */
  readonly disputed?: true;
  /** Set if it answered, but without a time. */
  readonly answered?: true;
  readonly time?: Nanoseconds;
  readonly height?: bigint;
  readonly roundTripMillis?: Milliseconds;
  /** How far its time is behind the frontier, 0 or more. */
  readonly behindMillis?: Milliseconds;
  /** How many blocks it is behind the frontier, 0 or more; absent where heights are not sent. */
  readonly behindBlocks?: bigint;
}

export type Finding = "good" | "bad" | "unknown";

/** Two or more nodes that report different data for one block. */
export interface Contradiction {
  readonly height: bigint;
  readonly says: readonly { readonly node: string; readonly time: Nanoseconds }[];
}

/** The judgement of one poll: the network and its nodes. */
export interface Verdict {
  readonly network: NetworkState;
  /** One clause for people: why it is so. */
  readonly why: string;
  /**
   * The basis of the network's state: `advance` over several polls, or, after a first poll alone, the `age` of the
   * network's time against the wall clock, which a wrong clock deceives.
   */
  readonly basis: "advance" | "age";
  /** Only one node is configured: a stall is "seen from one node; network and node cannot be told apart". */
  readonly singleSource: boolean;
  readonly nodes: readonly NodeVerdict[];
  /** Good, bad or unknown as the reading of `network.stalled` and of `network.disagree`. */
  readonly stalled: Finding;
  readonly disagreed: Finding;
  /** As far as a quorum has been; where too few nodes ever answered, the furthest of them. */
  readonly frontier?: Frontier;
  /** How long the network has not advanced, as far as observed; blind polls do not count. */
  readonly stillMillis?: Milliseconds;
  /** Wall clock minus the frontier's time; may be negative. Absent if no node answered this round. */
  readonly ageMillis?: Milliseconds;
  readonly contradictions: readonly Contradiction[];
  /** Nodes whose time is implausibly far ahead of the wall clock. */
  readonly implausible: readonly { readonly node: string; readonly aheadMillis: Milliseconds }[];
  /** Nodes whose time is earlier than they reported before: swapped or restored. */
  readonly wentBack: readonly { readonly node: string; readonly from: Nanoseconds; readonly to: Nanoseconds }[];
  /** The two sides, while they disagree; two nodes that only contradict each other both move. */
  readonly disagree?: {
    readonly moving: readonly string[];
    readonly standing: readonly string[];
    readonly forMillis: Milliseconds;
  };
  /** Wall clock and monotonic clock of the round. */
  readonly at: Nanoseconds;
  readonly atMillis: Milliseconds;
  /** Input of the next judgement. */
  readonly memory: SourceMemory;
}

/** A witness with a time. */
export type TimedWitness = Witness & { readonly time: Nanoseconds };

export function isTimed(witness: Witness): witness is TimedWitness {
  return witness.reachable && witness.time !== undefined;
}

/** From a to b, in whole milliseconds; negative when b is earlier. */
export function millisBetween(a: Nanoseconds, b: Nanoseconds): Milliseconds {
  // Dividing the difference as a number is several times as fast as a bigint division, and exact to the millisecond
  // for any two moments within 285,000 years of each other.
  return Math.trunc(Number(b - a) / 1e6);
}

/** How far a witness's time is ahead of the wall clock; negative when it is behind, as it should be. */
export function aheadMillis(witness: TimedWitness, round: PollRound): Milliseconds {
  return millisBetween(witness.receivedAt ?? round.wallClock, witness.time);
}

/** Whether a is further than b; anything is further than nothing, nothing further than anything. */
export function isFurther(a: Position | undefined, b: Position | undefined): boolean {
  if (a === undefined || b === undefined) return a !== undefined;
  return a.time > b.time || (a.time === b.time && (a.height ?? -1n) > (b.height ?? -1n));
}

/** For how long a stalled network has stood still, so many milliseconds after the verdict. */
export function standstillMillis(
  { basis, ageMillis = 0, stillMillis = 0 }: Verdict,
  later: Milliseconds,
): Milliseconds {
  return (basis === "age" ? ageMillis : stillMillis) + Math.max(0, later);
}
