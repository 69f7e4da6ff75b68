// The verdict on a network and its nodes, computed from a PollRound (every node's answer) and the memory of earlier
// ones. This module holds the types and the default thresholds; judge-sources.ts computes the verdict, with
// judge-nodes.ts for each node and judge-network.ts for the network. ../client/poll-nodes.ts polls.

import type { Milliseconds } from "../../units/duration.ts";
import type { Nanoseconds } from "../../units/nanoseconds.ts";

/** A value under construction: an unknown optional member is left out, not undefined. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The answer of one node in one poll. */
export interface Witness {
  readonly node: string;
  readonly reachable: boolean;
  /** Why it was not reachable: one short clause for people. */
  readonly why?: string;
  /** Set if it answered, even uselessly. */
  readonly answered?: true;
  /** Set where no data node answers at its address. */
  readonly foreign?: true;
  /** Set if the node runs but refused our request (rate limit, ban, our own budget): it is not down. */
  readonly refused?: true;
  readonly time?: Nanoseconds;
  readonly height?: bigint;
  /** The time of the block at `height`, if sent: two nodes at one height must agree on it. */
  readonly blockTime?: Nanoseconds;
  readonly roundTripMillis?: Milliseconds;
}

/** The highest plausible network time ever seen on a network. */
export interface Frontier {
  readonly time: Nanoseconds;
  readonly height?: bigint;
  readonly node: string;
  /** Local monotonic clock when it last advanced; undefined after a first poll alone. */
  readonly advancedAtMillis?: Milliseconds;
  /** Wall clock of the same moment, which stays meaningful after a restart. */
  readonly advancedAt?: Nanoseconds;
}

/** One poll of all configured nodes of a network, at about the same moment. */
export interface PollRound {
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

/** The memory of one node from poll to poll. All moments are of the local monotonic clock. */
export interface NodeMemory {
  readonly node: string;
  /** Its last reported time and height. */
  readonly time: Nanoseconds;
  readonly height?: bigint;
  /** When its time last advanced, or when it was first seen. */
  readonly stillSinceMillis: Milliseconds;
  /** Since when it has been advancing without a pause; absent while it stalls. */
  readonly advancingSinceMillis?: Milliseconds;
}

/**
 * The memory from one poll to the next: plain data, of one process's monotonic clock (after a restart keep at most
 * `frontier` without `advancedAtMillis`).
 */
export interface SourceMemory {
  readonly frontier?: Frontier;
  /** When observation of the present frontier began: the first poll, or the first one after a long pause. */
  readonly watchedSinceMillis: Milliseconds;
  /** The time of the last poll. */
  readonly atMillis: Milliseconds;
  readonly nodes: readonly NodeMemory[];
}

export type NetworkState = "healthy" | "stalled" | "blind";
export type NodeState = "ok" | "lagging" | "down" | "unknown";

/** One node's part in a verdict. */
export interface NodeVerdict {
  readonly node: string;
  readonly state: NodeState;
  /** One clause for people; absent for an unremarkable node in state `ok`. */
  readonly why?: string;
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
  /** The highest plausible time seen so far, this round included. */
  readonly frontier?: Frontier;
  /** How long the frontier has not advanced, as far as observed; blind rounds do not count. */
  readonly stillMillis?: Milliseconds;
  /** Wall clock minus the frontier's time; may be negative. Absent if no node answered this round. */
  readonly ageMillis?: Milliseconds;
  readonly contradictions: readonly Contradiction[];
  /** Nodes whose time is implausibly far ahead of the wall clock. */
  readonly implausible: readonly { readonly node: string; readonly aheadMillis: Milliseconds }[];
  /** Nodes whose time is earlier than they reported before: swapped or restored. */
  readonly wentBack: readonly { readonly node: string; readonly from: Nanoseconds; readonly to: Nanoseconds }[];
  /** A majority has stalled while a minority has been advancing for longer than the threshold. */
  readonly disagree?: {
    readonly advancing: readonly string[];
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

/** From a to b, in whole milliseconds; negative when b is earlier. */
export function millisBetween(a: Nanoseconds, b: Nanoseconds): Milliseconds {
  // Dividing the difference as a number is several times as fast as a bigint division, and exact to the millisecond
  // for any two moments within 285,000 years of each other.
  return Math.trunc(Number(b - a) / 1e6);
}

/** How far a witness's time is ahead of the wall clock; negative when it is behind, as it should be. */
export function aheadMillis(witness: TimedWitness, round: PollRound): Milliseconds {
  return millisBetween(round.wallClock, witness.time);
}
