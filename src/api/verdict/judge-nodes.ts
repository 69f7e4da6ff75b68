import { decimal, formatDecimal } from "../../units/decimal.ts";
import { formatDuration } from "../../units/duration.ts";
import { furthestOf, type NetworkJudgement } from "./judge-network.ts";
import type { Voter } from "./motion.ts";
import {
  aheadMillis,
  type Contradiction,
  millisBetween,
  type Mutable,
  type NodeVerdict,
  type PollRound,
  type Position,
  type TimedWitness,
  type VerdictThresholds,
} from "./verdict.ts";

/** The positions that nodes are measured against; undefined where they are unknown. */
export interface ReferencePositions {
  readonly time?: Position;
  readonly blocks?: Position;
}

/**
 * While the network is healthy, time is measured against the furthest moving node; else, and in blocks, against the
 * confirmed frontier, or the furthest node where at most two are believed, or no advance was seen yet.
 */
export function referencePositions(
  judgement: NetworkJudgement,
  voters: readonly Voter[],
  configured: number,
): ReferencePositions {
  const { state, basis, memory } = judgement;
  if (state === "blind") return {};
  if (configured >= 3 && (state === "contested" || state === "unconfirmed")) return {};
  const believed = voters.filter(({ vote }) => vote !== "silent");
  const frontier = believed.length <= 2 || basis === "age" ? undefined : memory.frontier;
  const blocks = frontier ?? furthestOf(believed);
  const moving =
    state === "healthy" && basis === "advance" ? furthestOf(voters.filter(({ vote }) => vote === "moves")) : undefined;
  const time = moving ?? blocks;
  const positions: Mutable<ReferencePositions> = {};
  if (time !== undefined) positions.time = time;
  if (blocks !== undefined) positions.blocks = blocks;
  return positions;
}

/** Notes how far a node is behind the reference, and whether that is lagging. */
function place(
  said: Mutable<NodeVerdict>,
  time: NonNullable<NodeVerdict["time"]>,
  height: bigint | undefined,
  reference: ReferencePositions,
  thresholds: VerdictThresholds,
): void {
  if (reference.time !== undefined) said.behindMillis = Math.max(0, millisBetween(time, reference.time.time));
  const blocks = reference.blocks?.height;
  if (blocks !== undefined && height !== undefined) said.behindBlocks = blocks > height ? blocks - height : 0n;
  if (said.behindMillis !== undefined && said.behindMillis > thresholds.laggingMillis) {
    said.state = "lagging";
    said.why ??= `${formatDuration(said.behindMillis)} behind`;
  } else if (said.behindBlocks !== undefined && said.behindBlocks > thresholds.laggingBlocks) {
    said.state = "lagging";
    said.why ??= `${formatDecimal(decimal(said.behindBlocks))} blocks behind`;
  }
}

/** The verdict on one node after one poll. */
export function judgeNode(
  { witness, memory, vote }: Voter,
  round: PollRound,
  reference: ReferencePositions,
  contradictions: readonly Contradiction[],
  thresholds: VerdictThresholds,
): NodeVerdict {
  const { node, time, height, roundTripMillis } = witness;
  if (!witness.reachable) {
    const why = witness.why ?? "does not answer";
    const answered = witness.answered === true ? { answered: true as const } : {};
    return { node, state: witness.refused === true ? "unknown" : "down", why, vote, ...answered };
  }
  const said: Mutable<NodeVerdict> = { node, state: "ok", vote };
  if (time !== undefined) said.time = time;
  if (height !== undefined) said.height = height;
  if (roundTripMillis !== undefined) said.roundTripMillis = roundTripMillis;
  if (time === undefined) return { ...said, state: "unknown", why: witness.why ?? "says no time", answered: true };
  if (memory.disbelief !== undefined) {
    const why = disbeliefWords(memory.disbelief, { ...witness, time });
    return { ...said, state: "unknown", why, disbelief: memory.disbelief, disbelieved: memory.disbelieved ?? 1 };
  }
  const contradicts = contradictions.find(({ says }) => says.some((one) => one.node === node));
  if (contradicts !== undefined) {
    const others = contradicts.says.filter((one) => one.node !== node).map((one) => one.node);
    said.why = `contradicts ${others.join(" and ")} about block ${formatDecimal(decimal(contradicts.height))}`;
  }
  place(said, time, height, reference, thresholds);
  return said;

  function disbeliefWords(disbelief: NonNullable<NodeVerdict["disbelief"]>, timed: TimedWitness): string {
    switch (disbelief) {
      case "ahead":
        return `its time is ${formatDuration(aheadMillis(timed, round))} ahead of the bot's clock`;
      case "odd":
        return "its time and its block do not go together";
      case "outvoted":
        return "the other nodes contradict it";
    }
  }
}
