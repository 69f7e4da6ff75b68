import type { Milliseconds } from "../../units/duration.ts";
import {
  aheadMillis,
  type Contradiction,
  isTimed,
  type Mutable,
  type NodeMemory,
  type PollRound,
  type TimedWitness,
  type VerdictThresholds,
  type Witness,
} from "./verdict.ts";

/** A node that was ahead is believed again when it is ahead by no more than this share of the limit. */
const BELIEVED_AGAIN = 0.8;
/** Where a majority is ahead by more than this share of the limit, the wall clock is wrong. */
const CLOCK_WRONG = 0.5;
/** Time may run while the height stands, or the reverse, for this long. */
const ODD_MILLIS: Milliseconds = 30_000;
/** Being outvoted lasts this long after the last time. */
const OUTVOTED_MILLIS: Milliseconds = 10 * 60_000;
/** Heights further apart than this are not compared: one chain may have begun anew. */
export const COMPARABLE_BLOCKS = 100n;
/** At most this many blocks may share a time that is cut to the second. */
const BLOCKS_OF_A_SECOND = 10n;
/** A node that missed this many polls in a row is silent. */
export const SILENT_ROUNDS = 3;

export interface Belief {
  /** The nodes that answered with a time and are believed. */
  readonly believed: readonly TimedWitness[];
  readonly contradictions: readonly Contradiction[];
  /** By node: why it is not believed, and the memory on which that rests. */
  readonly nodes: ReadonlyMap<string, Suspicion>;
}

type Suspicion = Pick<NodeMemory, "disbelief" | "disbelieved" | "oddSinceMillis" | "oddAtMillis" | "outvotedAtMillis">;

/** Says which nodes are believed: neither ahead of the wall clock, nor at odds with themselves, nor outvoted. */
export function judgeBelief(
  round: PollRound,
  known: ReadonlyMap<string, NodeMemory>,
  thresholds: VerdictThresholds,
): Belief {
  const { witnesses, atMillis: now } = round;
  const limit = thresholds.aheadMillis;
  const timed = witnesses.filter((one) => isTimed(one));
  const clockIsWrong =
    witnesses.length >= 3 &&
    timed.filter((one) => aheadMillis(one, round) > limit * CLOCK_WRONG).length * 2 > witnesses.length;
  const plausible = clockIsWrong ? timed : timed.filter((one) => !isAhead(one));
  const nodes = new Map<string, Mutable<Suspicion>>();
  for (const witness of witnesses) {
    const suspicion = suspect(witness, known.get(witness.node), now, thresholds.motionMillis);
    nodes.set(witness.node, suspicion);
    if (!isTimed(witness)) continue;
    if (!plausible.includes(witness)) {
      suspicion.disbelief = "ahead";
      continue;
    }
    if (isOutvoted(witness, plausible)) suspicion.outvotedAtMillis = now;
    if (isOdd(suspicion)) suspicion.disbelief = "odd";
  }
  markOutvoted();
  for (const witness of witnesses) {
    const suspicion = nodes.get(witness.node);
    if (suspicion !== undefined) count(suspicion, known.get(witness.node), isTimed(witness));
  }
  const believed = timed.filter((one) => nodes.get(one.node)?.disbelief === undefined);
  return { believed, contradictions: findContradictions(plausible), nodes };

  function isAhead(one: TimedWitness): boolean {
    const was = known.get(one.node)?.disbelief === "ahead";
    return aheadMillis(one, round) > (was ? limit * BELIEVED_AGAIN : limit);
  }

  /** Nodes stay outvoted only while the other nodes are a majority of the configured ones. */
  function markOutvoted(): void {
    const marked = new Set<Mutable<Suspicion>>();
    for (const suspicion of nodes.values()) {
      const { outvotedAtMillis, disbelief } = suspicion;
      if (outvotedAtMillis === undefined || disbelief !== undefined) continue;
      if (now - outvotedAtMillis < OUTVOTED_MILLIS) marked.add(suspicion);
    }
    if (marked.size === 0) return;
    const left = witnesses.filter((witness) => {
      const { node } = witness;
      const suspicion = nodes.get(node);
      const missed = isTimed(witness) ? 0 : (known.get(node)?.missed ?? 0) + 1;
      return (
        suspicion !== undefined && suspicion.disbelief === undefined && missed < SILENT_ROUNDS && !marked.has(suspicion)
      );
    });
    if (left.length * 2 <= witnesses.length) return;
    for (const suspicion of marked) suspicion.disbelief = "outvoted";
  }

  function isOdd({ oddSinceMillis, oddAtMillis }: Suspicion): boolean {
    if (oddSinceMillis === undefined || oddAtMillis === undefined) return false;
    return oddAtMillis - oddSinceMillis >= ODD_MILLIS && now - oddAtMillis <= thresholds.motionMillis;
  }
}

/** Counts the polls in a row in which a node was not believed. */
function count(suspicion: Mutable<Suspicion>, was: NodeMemory | undefined, answered: boolean): void {
  if (!answered) {
    // A node that does not answer keeps its state and its count.
    if (was?.disbelief !== undefined && was.disbelief !== "outvoted") suspicion.disbelief = was.disbelief;
    if (suspicion.disbelief !== undefined) suspicion.disbelieved = was?.disbelieved ?? 1;
  } else if (suspicion.disbelief !== undefined) {
    // The count starts again after more unanswered polls than make a node silent.
    const counts = was !== undefined && was.missed <= SILENT_ROUNDS;
    suspicion.disbelieved = (counts ? (was.disbelieved ?? 0) : 0) + 1;
  }
}

/** The node's record of running time and height, after one more answer. */
function suspect(
  witness: Witness,
  known: NodeMemory | undefined,
  nowMillis: Milliseconds,
  pauseMillis: Milliseconds,
): Mutable<Suspicion> {
  const kept: Mutable<Suspicion> = {};
  if (known === undefined) return kept;
  const { last, oddSinceMillis, oddAtMillis, outvotedAtMillis } = known;
  if (outvotedAtMillis !== undefined) kept.outvotedAtMillis = outvotedAtMillis;
  const { time, height } = witness;
  const isComparable = witness.reachable && time !== undefined && height !== undefined && last?.height !== undefined;
  const timeRuns = isComparable && time > last.time;
  const heightRuns = isComparable && height > last.height;
  if (timeRuns && heightRuns) return kept;
  if (timeRuns === heightRuns) {
    if (oddSinceMillis !== undefined) kept.oddSinceMillis = oddSinceMillis;
    if (oddAtMillis !== undefined) kept.oddAtMillis = oddAtMillis;
    return kept;
  }
  const paused = oddAtMillis === undefined || nowMillis - oddAtMillis > pauseMillis;
  kept.oddSinceMillis = paused ? nowMillis : (oddSinceMillis ?? nowMillis);
  kept.oddAtMillis = nowMillis;
  return kept;
}

/** Each block is later than the one before. Where both send their block's own time, no two blocks of a chain share one. */
function contradict(a: TimedWitness, b: TimedWitness): boolean {
  if (a.height === undefined || b.height === undefined) return false;
  const isOwn = a.blockTime !== undefined && b.blockTime !== undefined;
  const [ofA, ofB] = isOwn ? [a.blockTime, b.blockTime] : [a.time, b.time];
  const blocks = a.height - b.height;
  if (blocks === 0n) return ofA !== ofB;
  if (blocks > COMPARABLE_BLOCKS || -blocks > COMPARABLE_BLOCKS) return false;
  if (ofA === ofB) return isOwn && (blocks > BLOCKS_OF_A_SECOND || -blocks > BLOCKS_OF_A_SECOND);
  return blocks > 0n !== ofA > ofB;
}

/** Whether two or more nodes contradict this one, and more than do not, the node itself included. */
function isOutvoted(one: TimedWitness, plausible: readonly TimedWitness[]): boolean {
  let against = 0;
  for (const other of plausible) if (contradict(one, other)) against += 1;
  return against > plausible.length - against;
}

/** The groups of nodes that report different times for one block. */
function findContradictions(plausible: readonly TimedWitness[]): readonly Contradiction[] {
  const found: Contradiction[] = [];
  for (const one of plausible) {
    const { height } = one;
    if (height === undefined) continue;
    const group = plausible.filter((other) => other.height === height);
    // Each group is looked at with its first node.
    if (group.length === 1 || group[0] !== one) continue;
    const ownTimes = group.every(({ blockTime }) => blockTime !== undefined);
    const says = group.map(({ node, time, blockTime = time }) => ({ node, time: ownTimes ? blockTime : time }));
    if (says.some(({ time }) => time !== says[0]?.time)) found.push({ height, says });
  }
  return found;
}
