import type { Milliseconds } from "../../units/time.ts";
import {
  aheadMillis,
  type Contradiction,
  isTimed,
  millisBetween,
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
/** An outvoted node is believed again after so many polls, and so long, near another one without a contradiction. */
const AGREED_ROUNDS = 12;
const AGREED_MILLIS: Milliseconds = 60_000;
/** Heights further apart than this are not compared: one chain may have begun anew. */
export const COMPARABLE_BLOCKS = 100n;
/** At most this many blocks may share a time that is cut to the second. */
const BLOCKS_OF_A_SECOND = 10;
/** More than any chain makes: two blocks that would need more are not of one chain. */
const MAX_BLOCKS_A_SECOND = 20;
/** A node that missed this many polls in a row is silent. */
export const SILENT_ROUNDS = 3;

export interface Belief {
  /** The nodes that answered with a time and are believed. */
  readonly believed: readonly TimedWitness[];
  readonly contradictions: readonly Contradiction[];
  /** By node: those of which it shows another chain. */
  readonly strangers: ReadonlyMap<string, readonly string[]>;
  /** By how much the wall clock is behind, where it is that which is wrong. */
  readonly clockBehindMillis?: Milliseconds;
  /** By node: why it is not believed, and the memory on which that rests. */
  readonly nodes: ReadonlyMap<string, Suspicion>;
}

type Suspicion = Pick<
  NodeMemory,
  | "disbelief"
  | "disbelieved"
  | "oddSinceMillis"
  | "oddAtMillis"
  | "outvotedAtMillis"
  | "agreedRounds"
  | "agreedSinceMillis"
>;

/** Says which nodes are believed: neither ahead of the wall clock, nor at odds with themselves, nor outvoted. */
export function judgeBelief(
  round: PollRound,
  known: ReadonlyMap<string, NodeMemory>,
  thresholds: VerdictThresholds,
  wasBehindMillis?: Milliseconds,
): Belief {
  const { witnesses, atMillis: now } = round;
  const limit = thresholds.aheadMillis;
  const timed = witnesses.filter((one) => isTimed(one));
  const behindMillis = clockBehind();
  const furthest = furthestOf(timed.filter((one) => !isAhead(one)));
  // What a believed node says as well is no reason to doubt another.
  const plausible = timed.filter((one) => furthest !== undefined && one.time <= furthest);
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
  for (const witness of plausible) creditAgreement(witness);
  markOutvoted();
  for (const witness of witnesses) {
    const suspicion = nodes.get(witness.node);
    if (suspicion !== undefined) count(suspicion, known.get(witness.node), isTimed(witness));
  }
  const believed = timed.filter((one) => nodes.get(one.node)?.disbelief === undefined);
  return {
    believed,
    contradictions: findContradictions(plausible),
    strangers: findStrangers(plausible),
    nodes,
    ...(behindMillis === undefined ? {} : { clockBehindMillis: behindMillis }),
  };

  function isAhead(one: TimedWitness): boolean {
    const was = known.get(one.node)?.disbelief === "ahead";
    return aheadMillis(one, round) - (behindMillis ?? 0) > (was ? limit * BELIEVED_AGAIN : limit);
  }

  /**
   * By how much the wall clock is behind, where a majority is ahead of it by as much. It still is while most nodes stand
   * or do not answer: until others go on at the present.
   */
  function clockBehind(): Milliseconds | undefined {
    const wrong = limit * CLOCK_WRONG;
    const going = timed.filter((one) => goesOn(one)).map((one) => aheadMillis(one, round));
    const present = going.filter((millis) => millis <= wrong && millis >= -limit).length;
    if (present * 2 > witnesses.length) return undefined;
    const was = wasBehindMillis ?? -Infinity;
    const shown = going.filter((millis) => millis > wrong);
    const near = shown.filter((millis) => Math.abs(millis - was) <= limit).toSorted((a, b) => b - a);
    const still = near[Math.floor((near.length - 1) / 2)];
    if (still !== undefined) return still;
    const ahead = timed.map((one) => aheadMillis(one, round)).toSorted((a, b) => b - a);
    const most = witnesses.length < 3 ? undefined : ahead[Math.floor(witnesses.length / 2)];
    // Where none that is ahead goes on, most of them may be less ahead only because they stand.
    if (most !== undefined && most > wrong && (shown.length > 0 || most > was)) return most;
    return present > 0 ? undefined : wasBehindMillis;
  }

  function goesOn({ node, time }: TimedWitness): boolean {
    const last = known.get(node)?.last;
    return last !== undefined && time > last.time;
  }

  /** Counts the polls in which an outvoted node agreed with the others, and forgets in the end that it was. */
  function creditAgreement(witness: TimedWitness): void {
    const suspicion = nodes.get(witness.node);
    if (suspicion?.outvotedAtMillis === undefined) return;
    const { agreedRounds = 0, agreedSinceMillis = now } = suspicion;
    delete suspicion.agreedRounds;
    delete suspicion.agreedSinceMillis;
    const others = plausible.filter((other) => other !== witness);
    const against = others.filter((other) => contradict(witness, other));
    // Two that lie alike are no witnesses for each other.
    const isCredited = ({ node }: TimedWitness): boolean => nodes.get(node)?.outvotedAtMillis === undefined;
    if (against.some(isCredited)) return;
    const agrees = others.some((other) => isCredited(other) && isNear(witness, other) && !against.includes(other));
    const rounds = agreedRounds + (agrees ? 1 : 0);
    if (rounds === 0) return;
    if (rounds >= AGREED_ROUNDS && now - agreedSinceMillis >= AGREED_MILLIS) {
      delete suspicion.outvotedAtMillis;
      return;
    }
    suspicion.agreedRounds = rounds;
    suspicion.agreedSinceMillis = agreedSinceMillis;
  }

  /** Nodes stay outvoted only while the other nodes are a majority of the configured ones. */
  function markOutvoted(): void {
    const marked = new Set<Mutable<Suspicion>>();
    for (const suspicion of nodes.values()) {
      const { outvotedAtMillis, disbelief } = suspicion;
      if (outvotedAtMillis !== undefined && disbelief === undefined) marked.add(suspicion);
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

function furthestOf(some: readonly TimedWitness[]): TimedWitness["time"] | undefined {
  let furthest: TimedWitness["time"] | undefined;
  for (const { time } of some) if (furthest === undefined || time > furthest) furthest = time;
  return furthest;
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
  const { last, oddSinceMillis, oddAtMillis, outvotedAtMillis, agreedRounds, agreedSinceMillis } = known;
  if (outvotedAtMillis !== undefined) kept.outvotedAtMillis = outvotedAtMillis;
  if (agreedRounds !== undefined) kept.agreedRounds = agreedRounds;
  if (agreedSinceMillis !== undefined) kept.agreedSinceMillis = agreedSinceMillis;
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
  if (isOfAnotherChain(a, b)) return true;
  if (!isNear(a, b) || ofA === ofB) return false;
  return blocks > 0n !== ofA > ofB;
}

/** Whether their blocks are too many apart for the times that they carry. */
function isOfAnotherChain(a: TimedWitness, b: TimedWitness): boolean {
  if (a.height === undefined || b.height === undefined || a.blockTime === undefined || b.blockTime === undefined) {
    return false;
  }
  const seconds = Math.abs(millisBetween(a.blockTime, b.blockTime)) / 1000;
  return Math.abs(Number(a.height - b.height)) > BLOCKS_OF_A_SECOND + MAX_BLOCKS_A_SECOND * seconds;
}

/** Whether their heights can be compared. */
function isNear(a: TimedWitness, b: TimedWitness): boolean {
  if (a.height === undefined || b.height === undefined) return false;
  const blocks = a.height - b.height;
  return blocks <= COMPARABLE_BLOCKS && -blocks <= COMPARABLE_BLOCKS;
}

/** By node: those of which it shows another chain. */
function findStrangers(plausible: readonly TimedWitness[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const one of plausible) {
    const others = plausible.filter((other) => isOfAnotherChain(one, other)).map(({ node }) => node);
    if (others.length > 0) found.set(one.node, others);
  }
  return found;
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
