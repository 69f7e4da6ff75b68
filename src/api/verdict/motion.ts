import type { Milliseconds } from "../../units/duration.ts";
import { type Belief, COMPARABLE_BLOCKS, SILENT_ROUNDS } from "./believe.ts";
import {
  isFurther,
  isTimed,
  type Mutable,
  type NodeMemory,
  type PollRound,
  type Position,
  type SourceMemory,
  type TimedWitness,
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
}

/** Each node after this poll. */
export function judgeMotion(
  round: PollRound,
  belief: Belief,
  before: SourceMemory | undefined,
  thresholds: VerdictThresholds,
): readonly Voter[] {
  const now = round.atMillis;
  const elapsed = before === undefined ? 0 : Math.max(0, now - before.atMillis);
  const known = new Map(before?.nodes.map((one) => [one.node, one]));
  return round.witnesses.map((witness): Voter => {
    const memory = remember(witness);
    return { witness, memory, vote: voteOf(memory, now, thresholds) };
  });

  function remember(witness: Witness): NodeMemory {
    const { node } = witness;
    const {
      disbelief,
      disbelieved: _1,
      oddSinceMillis: _2,
      oddAtMillis: _3,
      outvotedAtMillis: _4,
      ...motion
    }: NodeMemory = known.get(node) ?? { node, missed: 0, stillSinceMillis: now };
    const suspicion = belief.nodes.get(node) ?? {};
    if (!isTimed(witness)) return { ...motion, ...suspicion, ...missedPoll(motion) };
    const said = positionOf(witness);
    const heard = { ...suspicion, missed: 0, last: said };
    if (suspicion.disbelief === undefined) return { ...believed(motion, said, disbelief !== undefined), ...heard };
    // The node has no vote, but a later step back of its time must be seen.
    const isFurthest = suspicion.disbelief !== "ahead" && isFurther(said, motion.peak);
    return { ...motion, ...heard, ...(isFurthest ? { peak: said } : {}) };
  }

  /** From the second missed poll on, the time of standing still stops. */
  function missedPoll({ missed, stillSinceMillis }: NodeMemory): Pick<NodeMemory, "missed" | "stillSinceMillis"> {
    return { missed: missed + 1, stillSinceMillis: missed >= 1 ? stillSinceMillis + elapsed : stillSinceMillis };
  }

  /** `again`: it was not believed in the poll before. */
  function believed(memory: NodeMemory, said: Position, again: boolean): NodeMemory {
    const { belowSinceMillis = now, ...kept } = memory;
    const { node, missed, peak, last, stillSinceMillis, movedAtMillis = now, movingSinceMillis = now } = kept;
    const isBehind = isFurther(peak, said);
    const anew: NodeMemory = { node, missed, peak: said, fresh: true, stillSinceMillis: now };
    if (peak === undefined || (again && !isBehind)) return anew;
    // The node is believed again and begins anew, but its step back must stay visible.
    if (again) return { ...anew, peak, belowSinceMillis };
    const motion: Mutable<NodeMemory> = { ...kept, peak: isBehind ? peak : said };
    if (passes(said, peak)) {
      motion.movingSinceMillis = now - movedAtMillis <= thresholds.motionMillis ? movingSinceMillis : now;
      motion.movedAtMillis = now;
      motion.stillSinceMillis = now;
      delete motion.fresh;
    } else if (isBehind) {
      if (now - belowSinceMillis >= thresholds.criticalMillis) return { ...anew, stillSinceMillis };
      motion.belowSinceMillis = belowSinceMillis;
      if (last !== undefined && said.time > last.time) {
        motion.climbedAtMillis = now;
        motion.stillSinceMillis = now;
      }
    }
    return motion;
  }
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

function positionOf({ time, height }: TimedWitness): Position {
  return height === undefined ? { time } : { time, height };
}

/** The nodes whose time is earlier than in their last answer. */
export function findRegressions(
  believed: readonly TimedWitness[],
  before: SourceMemory | undefined,
): Verdict["wentBack"] {
  return believed.flatMap(({ node, time }) => {
    const { last, disbelief } = before?.nodes.find((one) => one.node === node) ?? {};
    return last !== undefined && disbelief === undefined && time < last.time
      ? [{ node, from: last.time, to: time }]
      : [];
  });
}
