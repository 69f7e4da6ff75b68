import type { Milliseconds } from "../../units/time.ts";
import { type Belief, COMPARABLE_BLOCKS, SILENT_ROUNDS } from "./believe.ts";
import {
  isFurther,
  isTimed,
  millisBetween,
  type Mutable,
  type NodeMemory,
  type PollRound,
  type Position,
  type SourceMemory,
  type TimedWitness,
  type Tip,
  type Verdict,
  type VerdictThresholds,
  type Vote,
  type Witness,
} from "./verdict.ts";

/** A node after this poll: its answer, its memory and its vote. */
export interface Voter {
  readonly witness: Witness;
  readonly memory: NodeMemory;
  readonly vote: Vote;
  /** Whether its last answer was behind the tip by as much as lagging is. */
  readonly isBehind: boolean;
}

/** Each node after this poll, and the tip. */
export function judgeMotion(
  round: PollRound,
  belief: Belief,
  before: SourceMemory | undefined,
  known: ReadonlyMap<string, NodeMemory>,
  thresholds: VerdictThresholds,
): { readonly voters: readonly Voter[]; readonly tip: Tip | undefined } {
  const now = round.atMillis;
  const elapsed = before === undefined ? 0 : Math.max(0, now - before.atMillis);
  const remembered = round.witnesses.map((witness) => ({ witness, memory: remember(witness) }));
  const memories = remembered.map(({ memory }) => memory);
  const tip = judgeTip(memories, before, round, belief, thresholds);
  const voters = remembered.map(({ witness, memory }): Voter => {
    const isBehind = memory.last !== undefined && isBehindTip(memory.last, tip, thresholds);
    const vote = voteOf(memory, now, thresholds);
    return { witness, memory, vote: isBehind && (vote === "moves" || vote === "climbs") ? "syncs" : vote, isBehind };
  });
  return { voters, tip };

  function remember(witness: Witness): NodeMemory {
    const { node } = witness;
    const was: NodeMemory = known.get(node) ?? { node, missed: 0, stillSinceMillis: now };
    const suspicion = belief.nodes.get(node) ?? {};
    if (!isTimed(witness)) return Object.assign(missedPoll(was), suspicion);
    const said = positionOf(witness);
    if (suspicion.disbelief === undefined) return Object.assign(believed(was, said), suspicion);
    const motion = motionOf(was);
    motion.missed = 0;
    motion.last = said;
    // The node has no vote, but a later step back of its time must be seen.
    if (suspicion.disbelief !== "ahead" && isFurther(said, was.peak)) motion.peak = said;
    return Object.assign(motion, suspicion);
  }

  /** From the second missed poll on, the time of standing still stops. */
  function missedPoll(was: NodeMemory): Mutable<NodeMemory> {
    const motion = motionOf(was);
    motion.missed += 1;
    if (was.missed >= 1) motion.stillSinceMillis += elapsed;
    return motion;
  }

  function believed(was: NodeMemory, said: Position): Mutable<NodeMemory> {
    const { node, peak, last, stillSinceMillis, belowSinceMillis = now } = was;
    const { movedAtMillis = now, movingSinceMillis = now } = was;
    const isAgain = was.disbelief !== undefined;
    const isBehind = isFurther(peak, said);
    if (peak === undefined || (isAgain && !isBehind)) return anew();
    // The node is believed again and begins anew, but its step back must stay visible.
    if (isAgain) return { ...anew(), peak, belowSinceMillis };
    if (isBehind && now - belowSinceMillis >= thresholds.criticalMillis) return { ...anew(), stillSinceMillis };
    const motion = motionOf(was);
    motion.missed = 0;
    motion.last = said;
    if (isBehind) {
      motion.belowSinceMillis = belowSinceMillis;
      if (last !== undefined && said.time > last.time) {
        motion.climbedAtMillis = now;
        motion.stillSinceMillis = now;
      }
      return motion;
    }
    motion.peak = said;
    delete motion.belowSinceMillis;
    if (passes(said, peak)) {
      motion.movingSinceMillis = now - movedAtMillis <= thresholds.motionMillis ? movingSinceMillis : now;
      motion.movedAtMillis = now;
      motion.stillSinceMillis = now;
      delete motion.fresh;
    }
    return motion;

    function anew(): Mutable<NodeMemory> {
      return { node, missed: 0, last: said, peak: said, fresh: true, stillSinceMillis: now };
    }
  }
}

/** What is remembered of how a node goes on, without why it is not believed. */
function motionOf(was: NodeMemory): Mutable<NodeMemory> {
  const { node, missed, stillSinceMillis } = was;
  const motion: Mutable<NodeMemory> = { node, missed, stillSinceMillis };
  if (was.last !== undefined) motion.last = was.last;
  if (was.peak !== undefined) motion.peak = was.peak;
  if (was.fresh !== undefined) motion.fresh = was.fresh;
  if (was.movedAtMillis !== undefined) motion.movedAtMillis = was.movedAtMillis;
  if (was.movingSinceMillis !== undefined) motion.movingSinceMillis = was.movingSinceMillis;
  if (was.climbedAtMillis !== undefined) motion.climbedAtMillis = was.climbedAtMillis;
  if (was.belowSinceMillis !== undefined) motion.belowSinceMillis = was.belowSinceMillis;
  return motion;
}

/** How a node votes after this poll. */
function voteOf(memory: NodeMemory, nowMillis: Milliseconds, { motionMillis }: VerdictThresholds): Vote {
  const isRecent = (at: Milliseconds | undefined): boolean => at !== undefined && nowMillis - at < motionMillis;
  if (memory.peak === undefined || memory.disbelief !== undefined || memory.missed >= SILENT_ROUNDS) return "silent";
  if (isRecent(memory.movedAtMillis)) return "moves";
  if (isRecent(memory.climbedAtMillis)) return "climbs";
  return nowMillis - memory.stillSinceMillis >= motionMillis ? "stands" : "waits";
}

/** In time and, where both are known, in height; a height far below is that of a new history. */
function passes(said: Position, peak: Position): boolean {
  if (said.time <= peak.time) return false;
  if (said.height === undefined || peak.height === undefined) return true;
  return said.height > peak.height || said.height < peak.height - COMPARABLE_BLOCKS;
}

export function positionOf({ time, height }: Pick<TimedWitness, "time" | "height">): Position {
  return height === undefined ? { time } : { time, height };
}

/** The nodes whose time is earlier than in their last answer. */
export function findRegressions(
  believed: readonly TimedWitness[],
  known: ReadonlyMap<string, NodeMemory>,
): Verdict["wentBack"] {
  const found: Verdict["wentBack"][number][] = [];
  for (const { node, time } of believed) {
    const was = known.get(node);
    if (was?.last === undefined || was.disbelief !== undefined || time >= was.last.time) continue;
    found.push({ node, from: was.last.time, to: time });
  }
  return found;
}

/**
 * The furthest position that a believed node has shown, or a quorum confirmed. One that was only shown is forgotten when
 * its node is no longer believed, when it is ahead of the clock by more than a believed node may be, or when no node has
 * been there for as long as makes a stall critical.
 */
function judgeTip(
  nodes: readonly NodeMemory[],
  before: SourceMemory | undefined,
  { atMillis: nowMillis, wallClock }: PollRound,
  { clockBehindMillis = 0 }: Belief,
  thresholds: VerdictThresholds,
): Tip | undefined {
  const { tip: known, frontier } = before ?? {};
  let tip = known !== undefined && isKept(known) ? known : undefined;
  if (frontier !== undefined && isFurther(frontier, tip)) tip = at(frontier, frontier.node);
  const heard = nodes.filter(({ disbelief, missed }) => disbelief === undefined && missed < SILENT_ROUNDS);
  for (const { node, last } of heard) if (last !== undefined && isFurther(last, tip)) tip = at(last, node);
  if (tip === undefined) return undefined;
  const isShown = heard.some(({ last }) => last !== undefined && !isBehindTip(last, tip, thresholds));
  return isShown ? { ...tip, shownAtMillis: nowMillis } : tip;

  function isKept({ node: name, time, shownAtMillis }: Tip): boolean {
    const isBelieved = nodes.every(({ node, disbelief }) => node !== name || disbelief === undefined);
    const isAhead = millisBetween(wallClock, time) - clockBehindMillis > thresholds.aheadMillis;
    return isBelieved && !isAhead && nowMillis - shownAtMillis < thresholds.criticalMillis;
  }

  function at({ time, height }: Position, node: string): Tip {
    return { node, time, shownAtMillis: nowMillis, ...(height === undefined ? {} : { height }) };
  }
}

/** Whether a node there has to catch up before its moves say anything of the network. */
function isBehindTip({ time }: Position, tip: Position | undefined, { laggingMillis }: VerdictThresholds): boolean {
  return tip !== undefined && millisBetween(time, tip.time) > laggingMillis;
}
