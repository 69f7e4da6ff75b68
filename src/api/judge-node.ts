import { formatDuration } from "../units/duration.ts";
import {
  aheadMillis,
  millisBetween,
  type Contradiction,
  type Frontier,
  type NodeVerdict,
  type Round,
  type VerdictThresholds,
  type Witness,
} from "./verdict.ts";

/** One node, measured against the frontier. */
export function judgeNode(
  witness: Witness,
  round: Round,
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
  const said = {
    node,
    ...(time === undefined ? {} : { time }),
    ...(height === undefined ? {} : { height }),
    ...(roundTripMillis === undefined ? {} : { roundTripMillis }),
  };
  if (time === undefined) return { ...said, state: "unknown", why: witness.why ?? "says no time", answered: true };
  const ahead = aheadMillis({ ...witness, time }, round);
  if (ahead > thresholds.aheadMillis) {
    return { ...said, state: "unknown", why: `its time is ${formatDuration(ahead)} ahead of the wall clock` };
  }
  const contradicts = contradictions.find(({ says }) => says.some((one) => one.node === node));
  const others = contradicts?.says.filter((one) => one.node !== node).map((one) => one.node) ?? [];
  const odd =
    contradicts === undefined ? {} : { why: `contradicts ${others.join(" and ")} about block ${contradicts.height}` };
  if (frontier === undefined) return { ...said, state: contradicts === undefined ? "ok" : "unknown", ...odd };
  const behindMillis = Math.max(0, millisBetween(time, frontier.time));
  const gap = frontier.height === undefined || height === undefined ? undefined : frontier.height - height;
  const behindBlocks = gap === undefined ? undefined : gap < 0n ? 0n : gap;
  const behind = { ...said, behindMillis, ...(behindBlocks === undefined ? {} : { behindBlocks }) };
  if (behindMillis > thresholds.laggingMillis) {
    return { ...behind, state: "lagging", why: `${formatDuration(behindMillis)} behind`, ...odd };
  }
  if (behindBlocks !== undefined && behindBlocks > thresholds.laggingBlocks) {
    return { ...behind, state: "lagging", why: `${behindBlocks} blocks behind`, ...odd };
  }
  return { ...behind, state: "ok", ...odd };
}
