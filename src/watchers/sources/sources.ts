// The watcher of sources polls every node for its time and height and judges the nodes and the network: stalled,
// disagreeing, blind, a node lagging or down. Next: sources-state.ts (its snapshot), sources-readings.ts (its conditions),
// node-selector.ts (the node that other watchers ask), node-versions.ts (the nodes' releases).

import { randomUUID } from "node:crypto";

import type { AlertsConfig } from "../../alerts/alerts-config.ts";
import type { Reading } from "../../alerts/judge/kinds/reading.ts";
import { pollNodes } from "../../api/client/poll-nodes.ts";
import type { Clock } from "../../api/clock.ts";
import { DEFAULT_THRESHOLDS, type PollRound, type Verdict, type VerdictThresholds } from "../../api/verdict/verdict.ts";
import type { Milliseconds } from "../../units/time.ts";
import type { Watcher } from "../watcher.ts";
import type { NodeSelector } from "./node-selector.ts";
import { keptRound } from "./kept-round.ts";
import { paceReadings, sourcesReadings } from "./sources-readings.ts";
import { decodeSources, judgeRound, nextPace, SourcesSnapshot, SourcesState, stateAfter } from "./sources-state.ts";

/** How long one poll of a node may take: an interval, within these bounds. */
const MAX_POLL_TIMEOUT: Milliseconds = 3000;
const MIN_POLL_TIMEOUT: Milliseconds = 1000;

export interface SourcesOptions {
  readonly network: string;
  readonly config: AlertsConfig;
  readonly clock: Clock;
  /** Names the process whose monotonic clock is read; monotonic times of different processes are not compared. */
  readonly run?: string;
  /** Updated with every verdict. */
  readonly selector?: NodeSelector;
  /** Called with every verdict. */
  readonly onVerdict?: (verdict: Verdict) => void;
}

/**
 * The verdict over the nodes and the network: stalled, disagreeing, time going back, clocks apart, blind, and each node
 * lagging or down. Every node is polled in every round; an unreachable one is part of the snapshot.
 */
export function sourcesWatcher(options: SourcesOptions): Watcher<SourcesSnapshot> {
  const { network, config, clock, run = randomUUID(), selector, onVerdict } = options;
  const every = config.poll.time;
  const timeoutMillis = Math.min(MAX_POLL_TIMEOUT, Math.max(MIN_POLL_TIMEOUT, every));
  /** The last verdict, for what is kept of its round. */
  let judged: { readonly after: SourcesSnapshot; readonly verdict: Verdict } | undefined;
  return {
    name: "sources",
    every,
    snapshot: SourcesSnapshot,
    async observe(api, context, signal) {
      const taken = await pollNodes(api, {
        signal,
        timeoutMillis,
        clock,
        fresh: true,
        lane: "watchers",
        asksAgain: true,
      });
      const round = { ...taken, atMillis: context.dueMillis ?? taken.atMillis };
      const before = decodeSources(context.before);
      const { verdict, state } = judgeLook({ network, config, run }, round, before);
      selector?.update(verdict);
      onVerdict?.(verdict);
      return SourcesState.encode(state);
    },
    judge(before, after) {
      const { run: of, round, pace } = SourcesState.decode(after);
      const last = decodeSources(before);
      const { verdict, readings } = judgeLook({ network, config, run: of }, round, last);
      judged = { after, verdict };
      // A snapshot of an earlier version has no pace.
      const known = pace === undefined ? sourcesReadings({ network, round, verdict, before: last?.memory }) : readings;
      return { readings: known, events: [] };
    },
    kept: (after, { findings }) => (judged?.after === after ? keptRound(after, judged.verdict, findings) : undefined),
  };
}

/** What follows from a round after the rounds before it, of this run or an earlier one. Pure. */
export function judgeLook(
  { network, config, run }: { readonly network: string; readonly config: AlertsConfig; readonly run: string },
  round: PollRound,
  before: SourcesState | undefined,
): { readonly verdict: Verdict; readonly state: SourcesState; readonly readings: readonly Reading[] } {
  const verdict = judgeRound(run, round, before, sourceThresholds(config));
  const pace = nextPace(run, round, verdict, before, config);
  const seen = { network, round, verdict, before: before?.memory };
  const readings = [...sourcesReadings(seen), ...paceReadings(seen, pace, config)];
  return { verdict, state: stateAfter(run, round, verdict, pace), readings };
}

/** A move counts for so many polls at least, and for so long, or half of the time to a stall where that is shorter. */
const MOTION_POLLS = 3;
const MOTION: Milliseconds = 10_000;
/** However soon a stall is told, two polls must be able to show a move. */
const MIN_MOTION_POLLS = 2;

/** The thresholds of the verdicts, from the configured ones. */
export function sourceThresholds({ stalled, lagging, poll, keep }: AlertsConfig): VerdictThresholds {
  return {
    motionMillis: Math.max(
      MIN_MOTION_POLLS * poll.time,
      Math.min(stalled.for, Math.max(MOTION_POLLS * poll.time, Math.min(MOTION, stalled.for / 2))),
    ),
    stalledMillis: stalled.for,
    criticalMillis: stalled.criticalFor,
    keepMillis: keep.for,
    laggingMillis: lagging.behind,
    laggingBlocks: BigInt(lagging.blocks),
    aheadMillis: DEFAULT_THRESHOLDS.aheadMillis,
  };
}
