// The judgement of a network and its nodes: a PollRound (what each node said) and the memory of earlier ones give a
// Verdict. This module holds the types and the default thresholds; judge-sources.ts is the judge, with judge-nodes.ts for
// each node and judge-network.ts for the network. ../client/poll-nodes.ts polls.

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
  /** Set where it did answer, be it with nothing of use. */
  readonly answered?: true;
  /** Set where no data node answers at its address. */
  readonly foreign?: true;
  /** Set where the node is there but would not answer us (rate limit, ban, our own budget): that is not being down. */
  readonly refused?: true;
  readonly time?: Nanoseconds;
  readonly height?: bigint;
  /** The time of the block at `height`, where the node sent it: what two nodes at one height must agree on. */
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
  /** Wall clock of the same moment, which still says something in the next process. */
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
  /** The last time and height that it said. */
  readonly time: Nanoseconds;
  readonly height?: bigint;
  /** When its time last advanced, or when it was first seen. */
  readonly stillSinceMillis: Milliseconds;
  /** Since when it has been advancing without a pause; absent while it stands. */
  readonly advancingSinceMillis?: Milliseconds;
}

/**
 * The memory from one poll to the next: plain data, of one process's monotonic clock (after a restart keep at most
 * `frontier` without `advancedAtMillis`).
 */
export interface SourceMemory {
  readonly frontier?: Frontier;
  /** When the watch over the present frontier began: the first poll, or the first one after a long pause. */
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
  /** One clause for people, where the state is not `ok` or the node is named for something. */
  readonly why?: string;
  /** Set where it gave no time but did answer, with nothing of use. */
  readonly answered?: true;
  readonly time?: Nanoseconds;
  readonly height?: bigint;
  readonly roundTripMillis?: Milliseconds;
  /** How far its time is behind the frontier, 0 or more. */
  readonly behindMillis?: Milliseconds;
  /** How many blocks it is behind the frontier, 0 or more; absent where heights are not sent. */
  readonly behindBlocks?: bigint;
}

/** Two or more nodes that say different things about one block. */
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
  /** How long the frontier has stood still, as far as was watched; blind rounds do not count. */
  readonly stillMillis?: Milliseconds;
  /** Wall clock minus the frontier's time; negative when that lies ahead. Only where a node spoke this round. */
  readonly ageMillis?: Milliseconds;
  readonly contradictions: readonly Contradiction[];
  /** Nodes whose time is ahead of the wall clock beyond belief, and by how much. */
  readonly implausible: readonly { readonly node: string; readonly aheadMillis: Milliseconds }[];
  /** Nodes whose time is earlier than what they said before: swapped or restored. */
  readonly wentBack: readonly { readonly node: string; readonly from: Nanoseconds; readonly to: Nanoseconds }[];
  /** A majority stands still while a minority has been advancing for longer than the threshold. */
  readonly disagree?: {
    readonly advancing: readonly string[];
    readonly standing: readonly string[];
    readonly forMillis: Milliseconds;
  };
  /** Wall clock and monotonic clock of the round. */
  readonly at: Nanoseconds;
  readonly atMillis: Milliseconds;
  /** To be handed to the next judgement. */
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
