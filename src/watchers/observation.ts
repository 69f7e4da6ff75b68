import type { AlertEvent } from "../alerts/kinds/event.ts";
import type { Reading } from "../alerts/kinds/reading.ts";
import type { ApiError } from "../api/api-error.ts";
import type { Milliseconds } from "../units/duration.ts";
import type { Nanoseconds } from "../units/nanoseconds.ts";

/** One look of one watcher at one network, judged: to be stored together with all that follows from it. */
export interface Observation {
  readonly network: string;
  /** Its name, and how often it looks. */
  readonly watcher: { readonly name: string; readonly every: Milliseconds };
  /** The snapshot that the look went on from, as it was stored; undefined at the very first one. */
  readonly before: unknown;
  /** The snapshot to store in its place: plain JSON. Where the look failed it is the one before. */
  readonly snapshot: unknown;
  /** Where the look failed, all that there had been, as unknown. */
  readonly readings: readonly Reading[];
  readonly events: readonly AlertEvent[];
  /** Local monotonic clock: when the look was due. Durations are counted from one such moment to another. */
  readonly dueMillis: Milliseconds;
  /** Wall clock when the look ended. */
  readonly at: Nanoseconds;
  /** Why the look failed: the network's failure, or that it took too long. */
  readonly failure?: ApiError | ObservationTimeout;
}

/** A look was given up. */
export class ObservationTimeout extends Error {
  override readonly name = "LookTimeout";
}

/**
 * Stores what was seen with what is owed by it, in one transaction. Where it rejects, nothing counts as stored: the
 * next look begins from what the store holds, and finds the same difference. A first look of all that fails is not
 * handed over: nothing was seen, and there is nothing to go on from.
 */
export type ObservationSink = (observation: Observation) => Promise<void>;
