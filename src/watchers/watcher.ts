// A watcher observes one side of a network, then judges two snapshots without side effects: readings of conditions, and
// events. create-watchers.ts lists them; schedule.ts runs them; drills.ts observes made-up nodes.
// Next: sources/ (nodes), history/ (checkpoints, snapshots, rotations), markets/, subjects/ (orders, stakes, bundles).

import type { z } from "zod";

import type { AlertsConfig } from "../alerts/alerts-config.ts";
import type { AlertEvent } from "../alerts/judge/kinds/event.ts";
import type { AlertKind } from "../alerts/judge/kinds/kinds.ts";
import type { ValueChange } from "../alerts/judge/kinds/market-value.ts";
import type { Reading } from "../alerts/judge/kinds/reading.ts";
import type { ApiClient } from "../api/api-client.ts";
import type { Clock } from "../api/clock.ts";
import type { Json } from "../looks/look.ts";
import type { Milliseconds, Nanoseconds } from "../units/time.ts";
import type { NodeSelector } from "./sources/node-selector.ts";

/** The options of all watchers; each takes some. */
export interface WatcherOptions {
  readonly network: string;
  /** The number of configured nodes. */
  readonly nodes: number;
  readonly config: Pick<AlertsConfig, "poll">;
  readonly clock: Clock;
  readonly selector?: NodeSelector;
  /** Of how many markets looks are kept. */
  readonly looks?: {
    readonly markets: number;
    /** Is given the labels of the others at each look. */
    readonly onBeyond?: (markets: readonly string[]) => void;
  };
}

/** The context of one observation. */
export interface WatchContext<Snapshot> {
  /** The last snapshot stored. Undefined for the first observation. */
  readonly before: Snapshot | undefined;
  /** Local monotonic clock: when the observation was due, for durations between observations. Default: now. */
  readonly dueMillis?: Milliseconds;
  /** The subjects that subscriptions name for a kind, for watchers that poll each of them. */
  subjects(kind: AlertKind): readonly string[];
  /** The changes of values that subscriptions ask for, by market. */
  readonly changes?: ReadonlyMap<string, readonly ValueChange[]>;
}

export interface Findings {
  /** One for each subject, every time; a missing subject counts as unknown. */
  readonly readings: readonly Reading[];
  /** In the order in which they happened. Those of the first observation are not announced. */
  readonly events: readonly AlertEvent[];
}

/** The context of what is kept of an observation. */
export interface KeptContext<Snapshot> {
  readonly before: Snapshot | undefined;
  /** All is kept, not only what differs: looks before this one may be gone, or outside of what is asked for. */
  readonly isWhole?: boolean;
  readonly findings: Findings;
  /** The subjects that subscriptions name for any of these kinds. */
  named(kinds: readonly AlertKind[]): ReadonlySet<string>;
}

/** Observes one side of a network again and again. */
export interface Watcher<Snapshot> {
  /** Unique: its snapshots are stored under it. */
  readonly name: string;
  readonly every: Milliseconds;
  /** How long after this snapshot it observes again, where that is sooner than usual. */
  pace?(snapshot: Snapshot): Milliseconds;
  /** Plain JSON, with 64-bit numbers as decimal text. A watcher stands still while it refuses the stored snapshot. */
  readonly snapshot: z.ZodType<Snapshot>;
  /**
   * One observation, in the watchers' lane of the nodes' budgets. Rejects with ApiError, or the signal's reason; to the
   * watcher of sources an unreachable node is part of the snapshot instead.
   */
  observe(api: ApiClient, context: WatchContext<Snapshot>, signal: AbortSignal): Promise<Snapshot>;
  /** Pure: the same snapshots give the same findings. */
  judge(before: Snapshot | undefined, after: Snapshot, at: Nanoseconds): Findings;
  /**
   * What is kept of an observation for later; undefined where that is nothing, and left out where it always is. Pure.
   * `before` is the snapshot whose look was kept last in this run: of the first one all is kept.
   */
  kept?(after: Snapshot, seen: KeptContext<Snapshot>): Json | undefined;
}
