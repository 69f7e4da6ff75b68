import type { Mutable, NodeMemory, PollRound, SourceMemory, TimedWitness, VerdictThresholds } from "./verdict.ts";

/** What each node's part of this round leaves for the next. A node that was not seen keeps what is known, its clocks stopped. */
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
    // A node whose time went back was swapped or restored: what it did before says nothing about it.
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
