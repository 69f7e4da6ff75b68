import type { z } from "zod";

import type { AlertsConfig } from "../alerts/alerts-config.ts";
import type { AlertEvent } from "../alerts/kinds/event.ts";
import type { AlertKind } from "../alerts/kinds/kinds.ts";
import type { Reading } from "../alerts/kinds/reading.ts";
import type { ApiClient } from "../api/api-client.ts";
import type { Clock } from "../api/clock.ts";
import type { Milliseconds } from "../units/duration.ts";
import type { Nanoseconds } from "../units/nanoseconds.ts";
import type { NodeSelector } from "./sources/node-selector.ts";

/** What watchers are made from; each takes what it needs. */
export interface WatcherOptions {
  readonly network: string;
  /** How many nodes are configured. */
  readonly nodes: number;
  readonly config: Pick<AlertsConfig, "poll">;
  readonly clock?: Clock;
  /** Which node to believe. */
  readonly source?: NodeSelector;
}

/** What a watcher may want to know before it looks. */
export interface WatchContext<Snapshot> {
  /** The last snapshot stored: the cursor to page on from. Undefined at the very first look. */
  readonly before: Snapshot | undefined;
  /** Local monotonic clock: when the look was due, for what measures time from look to look. Default: now. */
  readonly dueMillis?: Milliseconds;
  /** The subjects that subscriptions name for a kind, for watchers that ask for each of them. */
  subjects(kind: AlertKind): readonly string[];
}

/** What a watcher found. */
export interface Findings {
  /** One for each subject, in every round; a subject that is not named is taken for unknown. */
  readonly readings: readonly Reading[];
  /** In the order in which they happened. Those of the very first look are not told. */
  readonly events: readonly AlertEvent[];
}

/** Looks at one side of a network again and again. */
export interface Watcher<Snapshot> {
  /** Unique: its snapshots are stored under it. */
  readonly name: string;
  readonly every: Milliseconds;
  /** What is kept from look to look: plain JSON, 64-bit numbers as decimal text. What it refuses counts as no snapshot. */
  readonly snapshot: z.ZodType<Snapshot>;
  /**
   * One look, in the watchers' lane. Rejects with ApiError, or the signal's reason; a watcher of sources gives what
   * it could not reach as part of the snapshot instead.
   */
  observe(api: ApiClient, watched: WatchContext<Snapshot>, signal: AbortSignal): Promise<Snapshot>;
  /** Pure: the same snapshots give the same findings. */
  judge(before: Snapshot | undefined, after: Snapshot, at: Nanoseconds): Findings;
}
