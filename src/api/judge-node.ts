import { formatDuration } from "../units/duration.ts";
import {
  millisBetween,
  type Contradiction,
  type Mutable,
  type Frontier,
  type NodeVerdict,
  type PollRound,
  type VerdictThresholds,
  type Witness,
} from "./verdict.ts";

/** One node, measured against the frontier. */
export function judgeNode(
  witness: Witness,
  round: PollRound,
  frontier: Frontier | undefined,
  contradictions: readonly Contradiction[],
  thresholds: VerdictThresholds,
): NodeVerdict {
  const { node, time, height, roundTripMillis } = witness;
  if (!witness.reachable) {
    const why = witness.why ?? "does not answer";
    const answered = witness.answered === true ? { answered: true as const } : {};
    return { node, state: witness.refused === true ? "unknown" : "down", why, ...answered };
  }
  const said: Mutable<NodeVerdict> = { node, state: "ok" };
  if (time !== undefined) said.time = time;
  if (height !== undefined) said.height = height;
  if (roundTripMillis !== undefined) said.roundTripMillis = roundTripMillis;
  if (time === undefined) return { ...said, state: "unknown", why: witness.why ?? "says no time", answered: true };
  const ahead = millisBetween(round.wallClock, time);
  if (ahead > thresholds.aheadMillis) {
    return { ...said, state: "unknown", why: `its time is ${formatDuration(ahead)} ahead of the wall clock` };
  }
  const contradicts = contradictions.find(({ says }) => says.some((one) => one.node === node));
  if (contradicts !== undefined) {
    const others = contradicts.says.filter((one) => one.node !== node).map((one) => one.node);
    said.why = `contradicts ${others.join(" and ")} about block ${contradicts.height}`;
    if (frontier === undefined) said.state = "unknown";
  }
  if (frontier === undefined) return said;
  const behindMillis = Math.max(0, millisBetween(time, frontier.time));
  said.behindMillis = behindMillis;
  const gap = frontier.height === undefined || height === undefined ? undefined : frontier.height - height;
  if (gap !== undefined) said.behindBlocks = gap < 0n ? 0n : gap;
  if (behindMillis > thresholds.laggingMillis) {
    said.state = "lagging";
    said.why ??= `${formatDuration(behindMillis)} behind`;
  } else if (gap !== undefined && gap > thresholds.laggingBlocks) {
    said.state = "lagging";
    said.why ??= `${gap} blocks behind`;
  }
  return said;
}
