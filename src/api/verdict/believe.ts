import type { Milliseconds } from "../../units/duration.ts";
import {
  aheadMillis,
  type Contradiction,
  isTimed,
  type Mutable,
  type NodeMemory,
  type PollRound,
  type SourceMemory,
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
export function judgeBelief(round: PollRound, before: SourceMemory | undefined, thresholds: VerdictThresholds): Belief {
  const timed = round.witnesses.filter((one) => isTimed(one));
  const limit = thresholds.aheadMillis;
  const clockIsWrong =
    round.witnesses.length >= 3 &&
    timed.filter((one) => aheadMillis(one, round) > limit * CLOCK_WRONG).length * 2 > round.witnesses.length;
  const known = new Map(before?.nodes.map((one) => [one.node, one]));
  const isAhead = (one: TimedWitness): boolean => {
    const was = known.get(one.node)?.disbelief === "ahead";
    return !clockIsWrong && aheadMillis(one, round) > (was ? limit * BELIEVED_AGAIN : limit);
  };
  const plausible = timed.filter((one) => !isAhead(one));
  const contradictions = findContradictions(plausible);
  const outvotedNow = findOutvoted(plausible);
  const nodes = new Map<string, Mutable<Suspicion>>();
  for (const witness of round.witnesses) {
    const suspicion = suspect(witness, known.get(witness.node), round.atMillis, thresholds.motionMillis);
    if (outvotedNow.has(witness.node)) suspicion.outvotedAtMillis = round.atMillis;
    nodes.set(witness.node, suspicion);
  }
  for (const one of timed) {
    const suspicion = nodes.get(one.node);
    const disbelief = !plausible.includes(one) ? "ahead" : isOdd(suspicion) ? "odd" : undefined;
    if (suspicion !== undefined && disbelief !== undefined) suspicion.disbelief = disbelief;
  }
  markOutvoted();
  for (const [node, suspicion] of nodes) {
    count(
      suspicion,
      known.get(node),
      timed.some((one) => one.node === node),
    );
  }
  return { believed: timed.filter((one) => nodes.get(one.node)?.disbelief === undefined), contradictions, nodes };

  /** Nodes stay outvoted only while the other nodes are a majority of the configured ones. */
  function markOutvoted(): void {
    const marked = [...nodes].filter(([, { outvotedAtMillis, disbelief }]) => {
      if (outvotedAtMillis === undefined || disbelief !== undefined) return false;
      return round.atMillis - outvotedAtMillis < OUTVOTED_MILLIS;
    });
    if (marked.length === 0) return;
    const left = [...nodes].filter(([node, { disbelief }]) => {
      const missed = timed.some((one) => one.node === node) ? 0 : (known.get(node)?.missed ?? 0) + 1;
      return disbelief === undefined && missed < SILENT_ROUNDS && !marked.some(([other]) => other === node);
    });
    if (left.length * 2 <= round.witnesses.length) return;
    for (const [, suspicion] of marked) suspicion.disbelief = "outvoted";
  }

  function isOdd(suspicion: Suspicion | undefined): boolean {
    const { oddSinceMillis, oddAtMillis } = suspicion ?? {};
    if (oddSinceMillis === undefined || oddAtMillis === undefined) return false;
    return oddAtMillis - oddSinceMillis >= ODD_MILLIS && round.atMillis - oddAtMillis <= thresholds.motionMillis;
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
  if (known?.outvotedAtMillis !== undefined) kept.outvotedAtMillis = known.outvotedAtMillis;
  const keepOdd = (): Mutable<Suspicion> => {
    if (known?.oddSinceMillis !== undefined) kept.oddSinceMillis = known.oddSinceMillis;
    if (known?.oddAtMillis !== undefined) kept.oddAtMillis = known.oddAtMillis;
    return kept;
  };
  const { time, height } = witness;
  const last = known?.last;
  if (!witness.reachable || time === undefined || height === undefined || last?.height === undefined) return keepOdd();
  const timeRuns = time > last.time;
  const heightRuns = height > last.height;
  if (timeRuns && heightRuns) return kept;
  if (!timeRuns && !heightRuns) return keepOdd();
  const paused = known?.oddAtMillis === undefined || nowMillis - known.oddAtMillis > pauseMillis;
  kept.oddSinceMillis = paused ? nowMillis : (known.oddSinceMillis ?? nowMillis);
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

/** The nodes that two or more contradict, and more than do not, the node itself included. */
function findOutvoted(plausible: readonly TimedWitness[]): ReadonlySet<string> {
  const outvoted = plausible.filter((one) => {
    const against = plausible.filter((other) => contradict(one, other)).length;
    return against > plausible.length - against;
  });
  return new Set(outvoted.map(({ node }) => node));
}

/** The groups of nodes that report different times for one block. */
function findContradictions(plausible: readonly TimedWitness[]): readonly Contradiction[] {
  const found: Contradiction[] = [];
  for (const [at, { height }] of plausible.entries()) {
    // Each group is looked at with its first node.
    if (height === undefined || plausible.findIndex((one) => one.height === height) < at) continue;
    const group = plausible.filter((one) => one.height === height);
    if (group.length === 1) continue;
    const ownTimes = group.every((one) => one.blockTime !== undefined);
    const says = group.map((one) => ({ node: one.node, time: ownTimes ? (one.blockTime ?? one.time) : one.time }));
    if (says.some((one) => one.time !== says[0]?.time)) found.push({ height, says });
  }
  return found;
}
