import { z } from "zod";

import type { AlertsConfig } from "../../alerts/alerts-config.ts";
import { judgeSources, shiftMemory } from "../../api/verdict/judge-sources.ts";
import { integerCodec, PollRound, SourceMemory, storedAs, timeCodec } from "../../api/verdict/memory.ts";
import { millisBetween, type Verdict, type VerdictThresholds } from "../../api/verdict/verdict.ts";
import { median } from "../../units/decimal.ts";
import { HOUR, type Milliseconds, toMillis } from "../../units/time.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";

/** Of a span that moves on: parts of it, each with its length and what was counted in it, the newest last. */
const Window = z.array(z.array(z.number()).readonly()).readonly();
type Window = z.output<typeof Window>;

/** How fast the nodes answered of late, and how fast blocks came, of late and in a day. */
export const Pace = z.object({
  /** By node: answers, and how many of them took longer than is usual. */
  answers: z.record(z.string(), Window),
  /** Blocks, in the time in which the network went on; beside that, by their own times. */
  blocks: Window,
  /** Where they were counted last, and when (local monotonic clock). */
  counted: z.object({ height: integerCodec, time: timeCodec, atMillis: z.number() }).exactOptional(),
  /** The present hour likewise, and the mean spacing of blocks in each of the hours before, the newest last. */
  hour: z.array(z.number()).readonly(),
  hours: z.array(z.number()).readonly(),
});
export type Pace = z.output<typeof Pace>;

export type PaceConfig = Pick<AlertsConfig, "poll" | "slow" | "pace" | "stalled" | "clock">;

/** A window is counted in so many parts. */
const PARTS = 10;
/** With fewer answers nothing is said of a node. */
const MIN_ANSWERS = 10;
/** Fewer polls apart no halt is seen. */
const MISSED_POLLS = 3;
/** The usual pace is the median of a day, and known after some of its hours. */
const MAX_HOURS = 24;
const MIN_HOURS = 3;

const NONE: Pace = { answers: {}, blocks: [], hour: [0, 0, 0], hours: [] };

/** One round over all nodes, and the memory of the rounds before it. */
export const SourcesState = z.object({
  /** Names the process, or the watcher in it, whose monotonic clock was read. */
  run: z.string(),
  round: PollRound,
  /** After the round. */
  memory: SourceMemory,
  pace: Pace.exactOptional(),
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
  before: SourcesState,
  round: PollRound,
  { criticalMillis }: VerdictThresholds,
): SourceMemory {
  const { memory } = before;
  const away = awayMillis(before, round);
  const byMillis = round.atMillis - away - memory.atMillis;
  const shifted = shiftMemory(memory, byMillis, round.atMillis);
  if (away <= criticalMillis) return shifted;
  const { frontier, mark, watchedSinceMillis, atMillis } = shifted;
  return {
    watchedSinceMillis,
    atMillis,
    nodes: [],
    ...withoutUndefined({ frontier, mark }),
  };
}

/** Pure: the snapshot to store after a round with its verdict. */
export function snapshotOf(run: string, round: PollRound, verdict: Verdict, pace?: Pace): SourcesSnapshot {
  return z.encode(SourcesState, stateAfter(run, round, verdict, pace));
}

/** Pure: the state after a round with its verdict. */
export function stateAfter(run: string, round: PollRound, { memory }: Verdict, pace?: Pace): SourcesState {
  return { run, round: { ...round }, memory, ...withoutUndefined({ pace }) };
}

/** Pure: the pace after a round with its verdict, of this process or an earlier one before it. */
export function nextPace(
  run: string,
  round: PollRound,
  verdict: Verdict,
  before: SourcesState | undefined,
  config: PaceConfig,
): Pace {
  const isSameRun = before?.run === run;
  const elapsedMillis =
    before === undefined ? 0 : isSameRun ? round.atMillis - before.round.atMillis : awayMillis(before, round);
  return paceAfter(before?.pace, round, verdict, { elapsedMillis, isSameRun }, config);
}

/** What the wall clock says of the time between two processes. */
function awayMillis({ round: last }: SourcesState, { wallClock }: PollRound): Milliseconds {
  return Math.max(0, toMillis(wallClock) - toMillis(last.wallClock));
}

export function decodeSources(stored: SourcesSnapshot | undefined): SourcesState | undefined {
  return stored === undefined ? undefined : SourcesState.decode(stored);
}

/** What is known after a round, `elapsedMillis` after the one before it. Pure. */
function paceAfter(
  before: Pace = NONE,
  { witnesses, atMillis }: PollRound,
  { network, memory }: Verdict,
  { elapsedMillis, isSameRun }: { readonly elapsedMillis: Milliseconds; readonly isSameRun: boolean },
  { poll, slow, pace, stalled }: PaceConfig,
): Pace {
  const isLongAgo = elapsedMillis > slow.within;
  const answers = Object.fromEntries(
    witnesses.map(({ node, roundTripMillis, reachable }) => {
      const took = reachable ? roundTripMillis : undefined;
      const counts = took === undefined ? [0, 0] : [1, took > slow.roundTrip ? 1 : 0];
      const known = isLongAgo ? undefined : before.answers[node];
      return [node, roll(known ?? [], [known === undefined ? 0 : elapsedMillis, ...counts], slow.within)];
    }),
  );
  const kept: Pace = { ...before, answers, ...(elapsedMillis > pace.within ? { blocks: [] } : {}) };
  const { height, time } = memory.frontier ?? {};
  const { counted } = before;
  if (height === undefined || time === undefined || (isSameRun && height === counted?.height)) return kept;
  const after = { ...kept, counted: { height, time, atMillis } };
  const millis = counted === undefined ? 0 : atMillis - counted.atMillis;
  // A halt, what went by unseen, and nodes that lag say nothing of the pace.
  const isHalt = millis >= Math.max(stalled.for, MISSED_POLLS * poll.time);
  const isAdvance = network === "healthy" && isSameRun && !isHalt;
  if (counted === undefined || !isAdvance || height < counted.height) return after;
  const count = Number(height - counted.height);
  const added = [millis, count, Math.max(0, millisBetween(counted.time, time))];
  // A node that catches up passes halts at once.
  if (madeWithin(added) >= stalled.for * Math.max(1, count)) return after;
  const blocks = roll(kept.blocks, added, pace.within);
  const hour = sumOf([before.hour, added]);
  if (madeWithin(hour) < HOUR) return { ...after, blocks, hour };
  return {
    ...after,
    blocks,
    hour: NONE.hour,
    hours: [...before.hours, Math.round(spacingOf(hour))].slice(-MAX_HOURS),
  };
}

/** Of a node's answers in the whole window: how many there were, and how many came late; undefined before it is full. */
export function lateAnswers(
  { answers: all }: Pace,
  node: string,
  { slow }: PaceConfig,
): { readonly answers: number; readonly late: number } | undefined {
  const [millis = 0, answers = 0, late = 0] = sumOf(all[node] ?? []);
  return millis < slow.within || answers < MIN_ANSWERS ? undefined : { answers, late };
}

/** The mean time from block to block, of late and usually; each undefined while it is not known. */
export function blockPace({ blocks: window, hours }: Pace, { pace }: PaceConfig) {
  const counted = sumOf(window);
  const [millis = 0, blocks = 0] = counted;
  const usual = hours.length < MIN_HOURS ? undefined : median(hours);
  return withoutUndefined({
    blockMillis: millis < pace.within || blocks === 0 ? undefined : Math.round(spacingOf(counted)),
    usualMillis: usual === undefined ? undefined : Math.round(usual),
  });
}

/** A node that catches up passes blocks faster than they were made: their own times say within how long. */
function madeWithin([millis = 0, _blocks, ownMillis = 0]: readonly number[]): Milliseconds {
  return Math.max(millis, ownMillis);
}

function spacingOf(counted: readonly number[]): Milliseconds {
  return madeWithin(counted) / (counted[1] ?? 0);
}

/** The window with what was counted since: without its oldest part, where the others are long enough. */
function roll(window: Window, added: readonly number[], within: Milliseconds): Window {
  const last = window.at(-1);
  const isOpen = last !== undefined && (last[0] ?? 0) < within / PARTS;
  const parts = isOpen ? [...window.slice(0, -1), sumOf([last, added])] : [...window, added];
  let others = 0;
  for (let part = 1; part < parts.length; part += 1) others += parts[part]?.[0] ?? 0;
  return others >= within ? parts.slice(1) : parts;
}

function sumOf(parts: Window): readonly number[] {
  const sums = [...(parts[0] ?? [])];
  for (let part = 1; part < parts.length; part += 1) {
    for (let column = 0; column < sums.length; column += 1)
      sums[column] = (sums[column] ?? 0) + (parts[part]?.[column] ?? 0);
  }
  return sums;
}
