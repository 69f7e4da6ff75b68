import { setImmediate } from "node:timers/promises";

import type { AlertEvent } from "../alerts/kinds/event.ts";
import type { AlertKind } from "../alerts/kinds/kinds.ts";
import type { Reading } from "../alerts/kinds/reading.ts";
import type { ApiClient } from "../api/api-client.ts";
import { ApiError } from "../api/api-error.ts";
import type { Clock } from "../api/clock.ts";
import type { Log } from "../log.ts";
import { formatDuration, type Milliseconds } from "../units/duration.ts";
import type { Nanoseconds } from "../units/nanoseconds.ts";
import type { Watcher } from "./watcher.ts";

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
class ObservationTimeout extends Error {
  override readonly name = "LookTimeout";
}

/**
 * Stores what was seen with what is owed by it, in one transaction. Where it rejects, nothing counts as stored: the
 * next look begins from what the store holds, and finds the same difference. A first look of all that fails is not
 * handed over: nothing was seen, and there is nothing to go on from.
 */
type ObservationSink = (observation: Observation) => Promise<void>;

/** What a lookout works with. */
export interface WatchLoopDependencies {
  /** The snapshot stored last, as JSON; undefined where there is none. Asked before the first look, and after a sink failed. */
  readonly load: (network: string, watcher: string) => Promise<unknown>;
  /** What subscriptions name, of all listeners together. */
  readonly subjects: (network: string, kind: AlertKind) => readonly string[];
  readonly sink: ObservationSink;
  readonly log: Log;
  readonly clock: Clock;
  /** For one look, one reading from the store, one writing to it. */
  readonly timeoutMillis: Milliseconds;
}

/** After judging so many subjects others have their turn. */
const READINGS_BEFORE_YIELD = 1000;

/** One watcher at one network: looks, judges, hands over, and remembers what was stored. */
export class WatchLoop {
  readonly #watcher: Watcher<unknown>;
  readonly #api: ApiClient;
  readonly #ports: WatchLoopDependencies;
  /** What the store is known to hold; undefined while that is to be asked. */
  #stored: { readonly snapshot: unknown } | undefined;

  constructor(watcher: Watcher<unknown>, api: ApiClient, ports: WatchLoopDependencies) {
    this.#watcher = watcher;
    this.#api = api;
    this.#ports = ports;
  }

  /** One look, whatever comes of it; rejects only with the signal's reason. It counts as of when it was due. */
  async observeOnce(signal: AbortSignal, dueMillis: Milliseconds): Promise<void> {
    const { log, sink, clock, timeoutMillis } = this.#ports;
    const about = { watcher: this.#watcher.name, network: this.#api.network };
    try {
      const before = await this.#before(signal);
      const observation = await this.#observe(before, dueMillis, signal);
      if (observation === undefined) return;
      if (observation.readings.length > READINGS_BEFORE_YIELD) await setImmediate();
      // A stop does not leave a transaction behind.
      await withTimeout(() => sink(observation), { clock, limitMillis: timeoutMillis });
      this.#stored = { snapshot: observation.snapshot };
    } catch (error) {
      signal.throwIfAborted();
      this.#stored = undefined;
      log.error({ ...about, err: error }, "what a watcher saw could not be stored");
    }
  }

  async #before(signal: AbortSignal): Promise<unknown> {
    if (this.#stored === undefined) {
      const { load, log, clock, timeoutMillis } = this.#ports;
      const { name, snapshot } = this.#watcher;
      const kept = await withTimeout(() => load(this.#api.network, name), {
        clock,
        limitMillis: timeoutMillis,
        signal,
      });
      const parsed = kept === undefined ? undefined : snapshot.safeParse(kept);
      if (parsed?.success === false) {
        log.warn(
          { watcher: name, network: this.#api.network },
          "a stored snapshot cannot be read; the watcher begins anew",
        );
      }
      this.#stored = { snapshot: parsed?.data };
    }
    return this.#stored.snapshot;
  }

  /** Undefined where there is nothing to store: a first look that failed, or a watcher that is itself at fault. */
  async #observe(before: unknown, dueMillis: Milliseconds, signal: AbortSignal): Promise<Observation | undefined> {
    const { subjects, log, clock, timeoutMillis } = this.#ports;
    const { name, every } = this.#watcher;
    const { network } = this.#api;
    const watched = { before, dueMillis, subjects: (kind: AlertKind) => subjects(network, kind) };
    const common = { network, watcher: { name, every }, before, dueMillis };
    try {
      const look = (leave: AbortSignal): Promise<unknown> => this.#watcher.observe(this.#api, watched, leave);
      const snapshot = await withTimeout(look, { clock, limitMillis: timeoutMillis, signal });
      const at = clock.wallClock();
      return { ...common, snapshot, ...this.#watcher.judge(before, snapshot, at), at };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ApiError || error instanceof ObservationTimeout)) {
        log.error({ watcher: name, network, err: error }, "a watcher failed");
        return undefined;
      }
      log.debug({ watcher: name, network, why: error.message }, "a look failed");
      if (before === undefined) return undefined;
      const at = clock.wallClock();
      const readings = this.#watcher
        .judge(before, before, at)
        .readings.map((reading) => unknownBecause(error, reading));
      return { ...common, snapshot: before, readings, events: [], at, failure: error };
    }
  }
}

function unknownBecause({ message }: Error, reading: Reading): Reading {
  const { badForMillis: _badFor, since: _since, ...rest } = reading;
  return { ...rest, state: "unknown", why: message };
}

/**
 * What `work` comes to, or a rejection with LookTimeout after `limitMillis`, or with the signal's reason. `work` gets a
 * signal that is aborted in either case; what does not heed it is left behind.
 */
async function withTimeout<T>(
  work: (leave: AbortSignal) => Promise<T>,
  options: { readonly clock: Clock; readonly limitMillis: Milliseconds; readonly signal?: AbortSignal },
): Promise<T> {
  const { clock, limitMillis, signal } = options;
  signal?.throwIfAborted();
  const leave = new AbortController();
  const done = new AbortController();
  const stop = (): void => {
    leave.abort(signal?.reason);
    done.abort(signal?.reason);
  };
  signal?.addEventListener("abort", stop, { once: true });
  const late = clock.sleep(limitMillis, done.signal).then((): never => {
    const reason = new ObservationTimeout(`no answer within ${formatDuration(limitMillis)}`);
    leave.abort(reason);
    throw reason;
  });
  // Where the work fails before it has begun, nobody waits for this.
  late.catch(() => undefined);
  try {
    return await Promise.race([work(leave.signal), late]);
  } finally {
    signal?.removeEventListener("abort", stop);
    done.abort(new Error("done"));
  }
}
