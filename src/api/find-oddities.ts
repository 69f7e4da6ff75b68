import type { Milliseconds } from "../units/duration.ts";
import type { Contradiction, NodeMemory, SourceMemory, TimedWitness, Verdict, VerdictThresholds } from "./verdict.ts";

/** Nodes that say different times for one block. A time is compared with its like: the block's own where both sent it. */
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

/** Nodes whose time is earlier than what they said before. */
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
 * A majority stands still while a minority, ahead of it, has been advancing for longer than the threshold: counted
 * from when both were so, so that nodes that start again one after the other after a halt do not count.
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
