import { randomUUID } from "node:crypto";

import type { AlertsConfig } from "../../alerts/alerts-config.ts";
import { pollNodes } from "../../api/client/poll-nodes.ts";
import { type Clock, systemClock } from "../../api/clock.ts";
import { DEFAULT_THRESHOLDS, type Verdict, type VerdictThresholds } from "../../api/verdict/verdict.ts";
import type { Milliseconds } from "../../units/duration.ts";
import type { Watcher } from "../watcher.ts";
import type { NodeSelector } from "./node-selector.ts";
import { sourcesReadings } from "./sources-readings.ts";
import { decodeSources, judgeRound, snapshotOf, SourcesSnapshot, SourcesState } from "./sources-state.ts";

/** A node is given so long to say its time, and under faster polls no longer than a poll, but at least a second. */
const MAX_POLL_TIMEOUT: Milliseconds = 3000;
const MIN_POLL_TIMEOUT: Milliseconds = 1000;

/** What the sources watcher is built from. */
export interface SourcesOptions {
  readonly network: string;
  readonly config: AlertsConfig;
  readonly clock?: Clock;
  /** Names the process whose monotonic clock is read; another one's moments are not compared with ours. */
  readonly run?: string;
  /** Told of every verdict. */
  readonly source?: NodeSelector;
  /** The same, for whoever else wants to know. */
  readonly onVerdict?: (verdict: Verdict) => void;
}

/**
 * The verdict over the nodes and the network: stalled, disagreeing, time going back, clocks apart, blind, and each node
 * lagging or down. Every node is asked for its time in every round; one that cannot be reached is part of the snapshot.
 */
export function sourcesWatcher(options: SourcesOptions): Watcher<SourcesSnapshot> {
  const { network, config, clock = systemClock, run = randomUUID(), source, onVerdict } = options;
  const thresholds = sourceThresholds(config);
  const every = config.poll.time;
  const timeoutMillis = Math.min(MAX_POLL_TIMEOUT, Math.max(MIN_POLL_TIMEOUT, every));
  return {
    name: "sources",
    every,
    snapshot: SourcesSnapshot,
    async observe(api, watched, signal) {
      const taken = await pollNodes(api, { signal, timeoutMillis, clock, fresh: true, lane: "watchers" });
      const round = { ...taken, atMillis: watched.dueMillis ?? taken.atMillis };
      const before = decodeSources(watched.before);
      const verdict = judgeRound(run, round, before, thresholds);
      source?.update(verdict);
      onVerdict?.(verdict);
      return snapshotOf(run, round, before, thresholds);
    },
    judge(before, after) {
      const last = decodeSources(before);
      const { run: of, round } = SourcesState.decode(after);
      const verdict = judgeRound(of, round, last, thresholds);
      const { aheadMillis } = thresholds;
      return {
        readings: sourcesReadings({ network, round, verdict, peaks: last?.peaks ?? {}, aheadMillis }),
        events: [],
      };
    },
  };
}

/** Blocks come about every 0.7 s, and up to twice that apart. */
const TWO_BLOCKS: Milliseconds = 1500;

/**
 * A standstill is suspicious before it is alarming: readings turn bad after a third of the configured time, and never
 * by one missed advance, so that the alert is seen to be pending before it fires.
 */
export function sourceThresholds({ stalled, lagging, poll }: AlertsConfig): VerdictThresholds {
  return {
    stalledMillis: Math.min(stalled.for, Math.max(2 * poll.time, Math.round(stalled.for / 3), TWO_BLOCKS)),
    disagreeMillis: stalled.criticalFor,
    laggingMillis: lagging.behind,
    laggingBlocks: BigInt(lagging.blocks),
    aheadMillis: DEFAULT_THRESHOLDS.aheadMillis,
  };
}
