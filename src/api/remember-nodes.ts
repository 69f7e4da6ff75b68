import type { NodeMemory, Round, SourceMemory, Speaking, VerdictThresholds } from "./verdict.ts";

/** What each node's part of this round leaves for the next. A node that was not seen keeps what is known, its clocks stopped. */
export function rememberNodes(
  round: Round,
  believable: readonly Speaking[],
  before: SourceMemory | undefined,
  thresholds: VerdictThresholds,
  blind: boolean,
): readonly NodeMemory[] {
  const now = round.atMillis;
  const elapsed = before === undefined ? 0 : Math.max(0, now - before.atMillis);
  return round.witnesses.flatMap(({ node }) => {
    const known = before?.nodes.find((one) => one.node === node);
    const seen = believable.find((one) => one.node === node);
    if (seen === undefined) return known === undefined ? [] : [stopped(known, elapsed)];
    const said = { node, time: seen.time, ...(seen.height === undefined ? {} : { height: seen.height }) };
    // A node whose time went back was swapped or restored: what it did before says nothing about it.
    if (known === undefined || seen.time < known.time) return [{ ...said, stillSinceMillis: now }];
    if (seen.time === known.time) {
      const still = blind ? stopped(known, elapsed) : known;
      const paused = now - still.stillSinceMillis >= thresholds.stalledMillis;
      const { advancingSinceMillis, ...rest } = still;
      return [advancingSinceMillis === undefined || paused ? rest : { ...rest, advancingSinceMillis }];
    }
    const unbroken = now - known.stillSinceMillis < thresholds.stalledMillis;
    const since = unbroken ? (known.advancingSinceMillis ?? now) : now;
    return [{ ...said, stillSinceMillis: now, advancingSinceMillis: since }];
  });
}

function stopped(known: NodeMemory, elapsed: number): NodeMemory {
  return {
    ...known,
    stillSinceMillis: known.stillSinceMillis + elapsed,
    ...(known.advancingSinceMillis === undefined ? {} : { advancingSinceMillis: known.advancingSinceMillis + elapsed }),
  };
}
