import { formatDuration, type Milliseconds } from "../../units/duration.ts";
import {
  type Contradiction,
  type Frontier,
  millisBetween,
  type Mutable,
  type NodeMemory,
  type NodeVerdict,
  type PollRound,
  type SourceMemory,
  type TimedWitness,
  type Verdict,
  type VerdictThresholds,
  type Witness,
} from "./verdict.ts";

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

/** Finds nodes that report different times for one block. The block's own time is compared if all sent it. */
export function findContradictions(believable: readonly TimedWitness[]): readonly Contradiction[] {
  if (believable.length < 2) return [];
  const byHeight = new Map<bigint, TimedWitness[]>();
  for (const one of believable) {
    if (one.height === undefined) continue;
    const others = byHeight.get(one.height);
    if (others === undefined) byHeight.set(one.height, [one]);
    else others.push(one);
  }
  const found: Contradiction[] = [];
  for (const [height, group] of byHeight) {
    const ownTimes = group.every((one) => one.blockTime !== undefined);
    const says = group.map((one) => ({ node: one.node, time: ownTimes ? (one.blockTime ?? one.time) : one.time }));
    if (says.some((one) => one.time !== says[0]?.time)) found.push({ height, says });
  }
  return found;
}

export function findRegressions(
  believable: readonly TimedWitness[],
  before: SourceMemory | undefined,
): Verdict["wentBack"] {
  return believable.flatMap(({ node, time }) => {
    const known = before?.nodes.find((one) => one.node === node);
    return known !== undefined && time < known.time ? [{ node, from: known.time, to: time }] : [];
  });
}

/**
 * Whether a majority has stalled while a minority, ahead of it, has been advancing for longer than the threshold. The
 * time counts from when both were true, so that nodes restarting one after another after a halt do not count.
 */
export function findDisagreement(
  believable: readonly TimedWitness[],
  memories: readonly NodeMemory[],
  nowMillis: Milliseconds,
  thresholds: VerdictThresholds,
): Verdict["disagree"] {
  if (memories.length < 2) return undefined;
  const present = memories.filter((one) => believable.some(({ node }) => node === one.node));
  const standing = present.filter(
    (one) => one.advancingSinceMillis === undefined && nowMillis - one.stillSinceMillis >= thresholds.stalledMillis,
  );
  if (standing.length * 2 <= present.length) return undefined;
  const advancing = present.filter(
    (one) => one.advancingSinceMillis !== undefined && standing.every((other) => other.time < one.time),
  );
  if (advancing.length === 0) return undefined;
  const stoodSince = Math.max(...standing.map((one) => one.stillSinceMillis));
  const advancingSince = Math.min(...advancing.map((one) => one.advancingSinceMillis ?? nowMillis));
  const forMillis = nowMillis - Math.max(stoodSince, advancingSince);
  if (forMillis < thresholds.disagreeMillis) return undefined;
  return { advancing: advancing.map((one) => one.node), standing: standing.map((one) => one.node), forMillis };
}

/** The memory of each node after this poll. A node that did not answer keeps its memory, with its timers stopped. */
export function rememberNodes(
  round: PollRound,
  believable: readonly TimedWitness[],
  before: SourceMemory | undefined,
  thresholds: VerdictThresholds,
  blind: boolean,
): readonly NodeMemory[] {
  const now = round.atMillis;
  const elapsed = before === undefined ? 0 : Math.max(0, now - before.atMillis);
  const memories: NodeMemory[] = [];
  for (const { node } of round.witnesses) {
    const known = before?.nodes.find((one) => one.node === node);
    const seen = believable.find((one) => one.node === node);
    if (seen !== undefined) memories.push(remember(seen, known));
    else if (known !== undefined) memories.push(withStoppedClocks(known, elapsed));
  }
  return memories;

  function remember(seen: TimedWitness, known: NodeMemory | undefined): NodeMemory {
    if (known !== undefined && seen.time === known.time) return standing(known);
    const said: Mutable<NodeMemory> = { node: seen.node, time: seen.time, stillSinceMillis: now };
    if (seen.height !== undefined) said.height = seen.height;
    // A node whose time went back was swapped or restored: its earlier state is void.
    if (known === undefined || seen.time < known.time) return said;
    const unbroken = now - known.stillSinceMillis < thresholds.stalledMillis;
    said.advancingSinceMillis = unbroken ? (known.advancingSinceMillis ?? now) : now;
    return said;
  }

  function standing(known: NodeMemory): NodeMemory {
    const still = blind ? withStoppedClocks(known, elapsed) : known;
    if (still.advancingSinceMillis === undefined || now - still.stillSinceMillis < thresholds.stalledMillis) {
      return still;
    }
    const { advancingSinceMillis: _, ...paused } = still;
    return paused;
  }
}

function withStoppedClocks(known: NodeMemory, elapsed: number): NodeMemory {
  return {
    ...known,
    stillSinceMillis: known.stillSinceMillis + elapsed,
    ...(known.advancingSinceMillis === undefined ? {} : { advancingSinceMillis: known.advancingSinceMillis + elapsed }),
  };
}
