import { z } from "zod";

import { judgeSources, shiftMemory } from "../../api/verdict/judge-sources.ts";
import { PollRound, SourceMemory, storedAs } from "../../api/verdict/memory.ts";
import type { Verdict, VerdictThresholds } from "../../api/verdict/verdict.ts";
import { toMillis } from "../../units/nanoseconds.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";

/** One round over all nodes, and the memory of the rounds before it. */
export const SourcesState = z.object({
  /** Names the process, or the watcher in it, whose monotonic clock was read. */
  run: z.string(),
  round: PollRound,
  /** After the round. */
  memory: SourceMemory,
});
export type SourcesState = z.output<typeof SourcesState>;
/** The same as it is stored. */
export type SourcesSnapshot = z.input<typeof SourcesState>;
export const SourcesSnapshot = storedAs(SourcesState);

/** Pure: the verdict on a round after the rounds before it, of this process or an earlier one. */
export function judgeRound(
  run: string,
  round: PollRound,
  before: SourcesState | undefined,
  thresholds: VerdictThresholds,
): Verdict {
  if (before === undefined) return judgeSources(round, undefined, thresholds);
  if (before.run === run) return judgeSources(round, before.memory, thresholds);
  return judgeSources(round, memoryAfterRestart(before, round, thresholds), thresholds);
}

/**
 * The memory of another process, whose monotonic clock is a different one: all moments shifted by what the wall clock
 * says of the time between. After a long downtime the nodes may have stood still and gone on: only the frontier is kept.
 */
function memoryAfterRestart(
  { memory, round: last }: SourcesState,
  round: PollRound,
  { criticalMillis }: VerdictThresholds,
): SourceMemory {
  const awayMillis = Math.max(0, toMillis(round.wallClock) - toMillis(last.wallClock));
  const byMillis = round.atMillis - awayMillis - memory.atMillis;
  const shifted = shiftMemory(memory, byMillis, round.atMillis);
  if (awayMillis <= criticalMillis) return shifted;
  const { frontier, mark, watchedSinceMillis, atMillis } = shifted;
  return {
    watchedSinceMillis,
    atMillis,
    nodes: [],
    ...withoutUndefined({ frontier, mark }),
  };
}

/** Pure: the snapshot to store after a round with its verdict. */
export function snapshotOf(run: string, round: PollRound, verdict: Verdict): SourcesSnapshot {
  return z.encode(SourcesState, stateAfter(run, round, verdict));
}

/** Pure: the state after a round with its verdict. */
export function stateAfter(run: string, round: PollRound, { memory }: Verdict): SourcesState {
  return { run, round: { ...round }, memory };
}

export function decodeSources(stored: SourcesSnapshot | undefined): SourcesState | undefined {
  return stored === undefined ? undefined : SourcesState.decode(stored);
}
