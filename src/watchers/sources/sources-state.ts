import { z } from "zod";

import { judgeSources } from "../../api/verdict/judge-sources.ts";
import {
  aheadMillis,
  type PollRound,
  type SourceMemory,
  type Verdict,
  type VerdictThresholds,
} from "../../api/verdict/verdict.ts";
import { type Nanoseconds, toMillis } from "../../units/nanoseconds.ts";
import { integerCodec, storedAs, timeCodec } from "../snapshot-schema.ts";

const witness = z.object({
  node: z.string(),
  reachable: z.boolean(),
  why: z.string().exactOptional(),
  answered: z.literal(true).exactOptional(),
  foreign: z.literal(true).exactOptional(),
  refused: z.literal(true).exactOptional(),
  time: timeCodec.exactOptional(),
  height: integerCodec.exactOptional(),
  blockTime: timeCodec.exactOptional(),
  roundTripMillis: z.number().exactOptional(),
});

const memory = z.object({
  frontier: z
    .object({
      time: timeCodec,
      height: integerCodec.exactOptional(),
      node: z.string(),
      advancedAtMillis: z.number().exactOptional(),
      advancedAt: timeCodec.exactOptional(),
    })
    .exactOptional(),
  watchedSinceMillis: z.number(),
  atMillis: z.number(),
  nodes: z
    .array(
      z.object({
        node: z.string(),
        time: timeCodec,
        height: integerCodec.exactOptional(),
        stillSinceMillis: z.number(),
        advancingSinceMillis: z.number().exactOptional(),
      }),
    )
    .readonly(),
});

/** One round over all nodes, and the memory of the rounds before it. */
export const SourcesState = z.object({
  /** Names the process, or the watcher in it, whose monotonic clock was read. */
  run: z.string(),
  round: z.object({ witnesses: z.array(witness).readonly(), atMillis: z.number(), wallClock: timeCodec }),
  /** After the round. */
  memory,
  /** The latest plausible time of each node. */
  peaks: z.record(z.string(), timeCodec),
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
  const away = Math.max(0, toMillis(round.wallClock) - toMillis(before.round.wallClock));
  const verdict = judgeSources(round, memoryAfter(before, round, away), thresholds);
  // A blind round stops the clocks for the time without observations, and here they only begin to run.
  return verdict.network === "blind" ? judgeSources(round, memoryAfter(before, round, 0), thresholds) : verdict;
}

/** Of another process's memory only the frontier counts: its monotonic clock is a different one. */
function memoryAfter(before: SourcesState, round: PollRound, awayMillis: number): SourceMemory {
  const { atMillis } = round;
  const rest = { watchedSinceMillis: atMillis, atMillis: atMillis - awayMillis, nodes: [] };
  if (before.memory.frontier === undefined) return rest;
  const { advancedAtMillis: _, ...frontier } = before.memory.frontier;
  return { ...rest, frontier };
}

/** Pure: the snapshot to store after a round. */
export function snapshotOf(
  run: string,
  round: PollRound,
  before: SourcesState | undefined,
  thresholds: VerdictThresholds,
): SourcesSnapshot {
  return z.encode(SourcesState, stateAfter(run, round, before, judgeRound(run, round, before, thresholds), thresholds));
}

/** Pure: what is remembered after a round with its verdict. */
export function stateAfter(
  run: string,
  round: PollRound,
  before: SourcesState | undefined,
  { memory }: Verdict,
  thresholds: VerdictThresholds,
): SourcesState {
  return { run, round: { ...round }, memory, peaks: peaksAfter(round, before, thresholds) };
}

export function decodeSources(stored: SourcesSnapshot | undefined): SourcesState | undefined {
  return stored === undefined ? undefined : SourcesState.decode(stored);
}

/** The latest times after a round; implausible ones are ignored. */
function peaksAfter(
  round: PollRound,
  before: SourcesState | undefined,
  thresholds: VerdictThresholds,
): Record<string, Nanoseconds> {
  const peaks: Record<string, Nanoseconds> = {};
  for (const { node, reachable, time, ...rest } of round.witnesses) {
    const known = before?.peaks[node];
    const believed =
      reachable &&
      time !== undefined &&
      aheadMillis({ node, reachable, time, ...rest }, round) <= thresholds.aheadMillis;
    const peak = believed && (known === undefined || time > known) ? time : known;
    if (peak !== undefined) peaks[node] = peak;
  }
  return peaks;
}
