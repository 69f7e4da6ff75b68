import type { Milliseconds } from "../../units/duration.ts";
import { type Belief, COMPARABLE_BLOCKS, SILENT_ROUNDS } from "./believe.ts";
import {
  isFurther,
  type Mutable,
  type NodeMemory,
  type PollRound,
  type Position,
  type SourceMemory,
  type TimedWitness,
  type Verdict,
  type VerdictThresholds,
  type Vote,
} from "./verdict.ts";

/** The memory of each node after this poll. */
export function rememberNodes(
  round: PollRound,
  belief: Belief,
  before: SourceMemory | undefined,
  thresholds: VerdictThresholds,
): readonly NodeMemory[] {
  const now = round.atMillis;
  const elapsed = before === undefined ? 0 : Math.max(0, now - before.atMillis);
  const known = new Map(before?.nodes.map((one) => [one.node, one]));
  return round.witnesses.map((witness): NodeMemory => {
    const { node } = witness;
    const suspicion = belief.nodes.get(node) ?? {};
    const memory = known.get(node) ?? { node, missed: 0, stillSinceMillis: now };
    if (!isTimed(witness)) return { ...withoutSuspicion(memory), ...suspicion, ...missedPoll(memory) };
    const said = positionOf(witness);
    if (suspicion.disbelief !== undefined) {
      // It has no vote; that its time goes back is seen all the same.
      const isFurthest = suspicion.disbelief !== "ahead" && isFurther(said, memory.peak);
      return {
        ...withoutSuspicion(memory),
        ...suspicion,
        missed: 0,
        last: said,
        ...(isFurthest ? { peak: said } : {}),
      };
    }
    return { ...believed(memory, said), ...suspicion, node, missed: 0, last: said };
  });

  /** From the second missed poll on, the time of standing still stops. */
  function missedPoll({ missed, stillSinceMillis }: NodeMemory): Pick<NodeMemory, "missed" | "stillSinceMillis"> {
    return { missed: missed + 1, stillSinceMillis: missed >= 1 ? stillSinceMillis + elapsed : stillSinceMillis };
  }

  function believed(memory: NodeMemory, said: Position): Omit<NodeMemory, "node" | "missed" | "last"> {
    const { peak, last, disbelief } = memory;
    if (peak === undefined || (disbelief !== undefined && !isFurther(peak, said))) {
      return { peak: said, fresh: true, stillSinceMillis: now };
    }
    if (disbelief !== undefined) {
      // Believed again, it begins anew; that it went back is still to be seen.
      return { peak, fresh: true, stillSinceMillis: now, belowSinceMillis: memory.belowSinceMillis ?? now };
    }
    const motion: Mutable<Omit<NodeMemory, "node" | "missed" | "last">> = {
      peak: isFurther(said, peak) ? said : peak,
      stillSinceMillis: memory.stillSinceMillis,
    };
    if (memory.fresh !== undefined) motion.fresh = memory.fresh;
    if (memory.movedAtMillis !== undefined) motion.movedAtMillis = memory.movedAtMillis;
    if (memory.movingSinceMillis !== undefined) motion.movingSinceMillis = memory.movingSinceMillis;
    if (memory.climbedAtMillis !== undefined) motion.climbedAtMillis = memory.climbedAtMillis;
    if (passes(said, peak)) {
      const unbroken = memory.movedAtMillis !== undefined && now - memory.movedAtMillis <= thresholds.motionMillis;
      motion.movingSinceMillis = unbroken ? (memory.movingSinceMillis ?? now) : now;
      motion.movedAtMillis = now;
      motion.stillSinceMillis = now;
      delete motion.fresh;
      return motion;
    }
    if (isFurther(peak, said)) {
      motion.belowSinceMillis = memory.belowSinceMillis ?? now;
      if (now - motion.belowSinceMillis >= thresholds.criticalMillis) {
        return { peak: said, fresh: true, stillSinceMillis: memory.stillSinceMillis };
      }
      if (last !== undefined && said.time > last.time) {
        motion.climbedAtMillis = now;
        motion.stillSinceMillis = now;
      }
    }
    return motion;
  }
}

/** How a node votes after this poll. */
export function voteOf(memory: NodeMemory, nowMillis: Milliseconds, { motionMillis }: VerdictThresholds): Vote {
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

function isTimed(witness: PollRound["witnesses"][number]): witness is TimedWitness {
  return witness.reachable && witness.time !== undefined;
}

function withoutSuspicion(memory: NodeMemory): NodeMemory {
  const { disbelief: _1, disbelieved: _2, oddSinceMillis: _3, oddAtMillis: _4, outvotedAtMillis: _5, ...rest } = memory;
  return rest;
}

/** The nodes that say less than they did at their last answer. */
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
