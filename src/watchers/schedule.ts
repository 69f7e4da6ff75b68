import { setImmediate } from "node:timers/promises";

import type { Observation as JudgedObservation } from "../alerts/judge/judge.ts";
import type { AlertKind } from "../alerts/judge/kinds/kinds.ts";
import type { ValueChange } from "../alerts/judge/kinds/market-value.ts";
import type { Reading } from "../alerts/judge/kinds/reading.ts";
import type { ApiClient } from "../api/api-client.ts";
import { ApiError } from "../api/api-error.ts";
import type { Clock } from "../api/clock.ts";
import { DamagedRow } from "../errors.ts";
import type { Log } from "../log.ts";
import { type Look, lookToText } from "../looks/look.ts";
import { formatDuration, inTime, type Milliseconds, type Nanoseconds, toMillis } from "../units/time.ts";
import type { Findings, Watcher } from "./watcher.ts";

/**
 * One watcher's observation of one network, to be judged and stored together with everything that follows from it. Where
 * it failed, the snapshot is the one before, and the readings are those of then, as unknown.
 */
export interface Observation extends JudgedObservation {
  /** The stored snapshot that the watcher went on from; undefined for its first observation. */
  readonly before: unknown;
  readonly dueMillis: Milliseconds;
  readonly failure?: ApiError | ObservationTimeout;
}

class ObservationTimeout extends Error {
  override readonly name = "ObservationTimeout";
}

/**
 * Stores an observation with the deliveries it causes, in one transaction. Where it rejects, nothing counts as stored:
 * the next observation begins from the store's snapshot, and finds the same difference. A watcher's first observation is
 * not passed on where it fails: there is nothing to go on from.
 */
type ObservationSink = (observation: Observation) => Promise<void>;

interface WatchLoopDependencies {
  /** The snapshot stored last, as JSON; undefined where there is none. Called before the first observation, and after the sink failed. */
  readonly load: (network: string, watcher: string) => Promise<unknown>;
  /** The subjects that subscriptions name, of all destinations together. */
  readonly subjects: (network: string, kind: AlertKind) => readonly string[];
  /** The changes of values that they ask for, by market. */
  readonly changes?: (network: string) => ReadonlyMap<string, readonly ValueChange[]>;
  readonly sink: ObservationSink;
  /** A watcher needs a row that cannot be read. It looks for it at each interval, and goes on once it is repaired. */
  readonly onDamaged?: (watcher: string, row: DamagedRow) => void;
  readonly log: Log;
  readonly clock: Clock;
  /** Like Math.random: the source of jitter. */
  readonly random: () => number;
  /** Names the watch in the looks that are kept; left out, none is. */
  readonly run?: string;
  /** For one observation, one read from the store, one write to it. */
  readonly timeoutMillis: Milliseconds;
}

export interface ScheduleOptions extends Omit<WatchLoopDependencies, "timeoutMillis"> {
  readonly api: ApiClient;
  readonly watchers: readonly Watcher<unknown>[];
  /** A longer observation is abandoned. Default: three times its interval, at least 30 s. */
  readonly timeoutMillis?: Milliseconds;
}

export type Schedule = ReturnType<typeof startSchedule>;

const MIN_TIMEOUT: Milliseconds = 30_000;

/**
 * Runs every watcher of a network at its interval: one request per network and kind, however many subscriptions. A
 * slow observation is not overlapped and delays no other watcher; those that it displaces are skipped.
 */
export function startSchedule(options: ScheduleOptions) {
  const { api, watchers, log } = options;
  const stopped = new AbortController();
  const loops = watchers.map((watcher) => {
    const timeoutMillis = options.timeoutMillis ?? Math.max(MIN_TIMEOUT, 3 * watcher.every);
    const loop = runWatcher(watcher, api, { ...options, timeoutMillis }, stopped.signal);
    return loop.catch((error: unknown) => {
      if (!stopped.signal.aborted) log.error({ err: error, watcher: watcher.name }, "watcher ended");
    });
  });
  return {
    /** Ends all observations; resolves once none runs any more. */
    async stop() {
      stopped.abort(new Error("the watchers are stopped"));
      await Promise.all(loops);
    },
  };
}

/** Observations are moved by up to this part of the interval, so that networks and bots do not all ask at once. */
const JITTER = 0.1;
/** The first observations after a start are spread over at most this. */
const MAX_FIRST_PAUSE: Milliseconds = 1000;
/** With more readings the loop yields to the event loop before it stores them. */
const READINGS_BEFORE_YIELD = 1000;

/**
 * One watcher at one network: observes, judges and stores again and again, until the signal aborts; then rejects with its
 * reason.
 */
async function runWatcher(
  watcher: Watcher<unknown>,
  api: ApiClient,
  dependencies: WatchLoopDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { load, subjects, sink, log, clock, random, timeoutMillis, run } = dependencies;
  const { name, every } = watcher;
  const { network } = api;
  const labels = { watcher: name, network };
  /** The store's snapshot; undefined while it has to be loaded. */
  let stored: { readonly snapshot: unknown } | undefined;
  /** The snapshot whose look was kept last, and the hour of that look; undefined until one was. */
  let keptLast: { readonly snapshot: unknown; readonly hour: number } | undefined;

  // Observations are due on a grid of whole milliseconds; the jitter moves each of them, not the grid. An observation
  // counts as of the first moment at which it may come, so that chance does not decide when a duration is reached.
  const paceNow = (): Milliseconds =>
    stored?.snapshot === undefined ? every : (watcher.pace?.(stored.snapshot) ?? every);
  let due = Math.ceil(clock.monotonicMillis() + random() * Math.min(every, MAX_FIRST_PAUSE));
  let pause = due - clock.monotonicMillis();
  while (!signal.aborted) {
    await clock.sleep(Math.max(0, pause), signal);
    const began = clock.monotonicMillis();
    const first = Math.floor((JITTER / 2) * paceNow());
    // After a delay, for instance because the computer slept, it counts as of its beginning.
    await observeOnce(began - due <= JITTER * paceNow() ? due - first : Math.floor(began));
    const now = clock.monotonicMillis();
    const next = paceNow();
    due += next * Math.max(1, Math.ceil((now - due) / next));
    pause = due + (random() - 0.5) * JITTER * next - now;
  }

  /** One observation, which may fail; rejects only with the signal's reason. It counts as of `dueMillis`. */
  async function observeOnce(dueMillis: Milliseconds): Promise<void> {
    try {
      stored ??= await loadSnapshot();
      const observation = await observe(stored.snapshot, dueMillis);
      if (observation === undefined) return;
      if (observation.readings.length > READINGS_BEFORE_YIELD) await setImmediate();
      // Without the signal: a stop waits for the transaction.
      await withTimeout(() => sink(observation), { clock, timeoutMillis });
      stored = { snapshot: observation.snapshot };
      if (observation.look !== undefined && observation.failure === undefined) {
        keptLast = { snapshot: observation.snapshot, hour: hourOf(observation.at) };
      }
    } catch (error) {
      signal.throwIfAborted();
      stored = undefined;
      if (error instanceof DamagedRow) dependencies.onDamaged?.(name, error);
      else log.error({ ...labels, err: error }, "observation not stored");
    }
  }

  async function loadSnapshot(): Promise<{ readonly snapshot: unknown }> {
    const found = await withTimeout(() => load(network, name), { clock, timeoutMillis, signal });
    if (found === undefined) return { snapshot: undefined };
    const { success, data: snapshot } = watcher.snapshot.safeParse(found);
    if (success) return { snapshot };
    throw new DamagedRow(
      "watcher_snapshots",
      { network, watcher: name },
      "its JSON has a shape that this version does not know",
    );
  }

  /** Undefined where there is nothing to store: a failed first observation, or a bug in the watcher. */
  async function observe(before: unknown, dueMillis: Milliseconds): Promise<Observation | undefined> {
    const changes = dependencies.changes?.(network) ?? new Map<string, readonly ValueChange[]>();
    const context = { before, dueMillis, changes, subjects: (kind: AlertKind) => subjects(network, kind) };
    const pace = paceNow();
    const common = { network, watcher: { name, every: pace }, before, dueMillis };
    try {
      const work = (aborted: AbortSignal): Promise<unknown> => watcher.observe(api, context, aborted);
      const snapshot = await withTimeout(work, { clock, timeoutMillis, signal });
      const at = clock.wallClock();
      const findings = watcher.judge(before, snapshot, at);
      return {
        ...common,
        snapshot,
        ...findings,
        at,
        ...keptAs({ dueMillis, at, every: pace }, () => seenIn(snapshot, findings, hourOf(at))),
      };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ApiError || error instanceof ObservationTimeout)) {
        log.error({ ...labels, err: error }, "observation failed");
        return undefined;
      }
      log.debug({ ...labels, why: error.message }, "observation unanswered");
      if (before === undefined) return undefined;
      const at = clock.wallClock();
      const readings = watcher.judge(before, before, at).readings.map((reading) => unknownBecause(error, reading));
      const look = keptAs({ dueMillis, at, every: pace }, () => ({ failure: error.message }));
      return { ...common, snapshot: before, readings, events: [], at, failure: error, ...look };
    }
  }

  function seenIn(snapshot: unknown, findings: Findings, hour: number): Pick<Look, "seen"> | undefined {
    const named = (kinds: readonly AlertKind[]) => new Set(kinds.flatMap((kind) => subjects(network, kind)));
    const seen = watcher.kept?.(snapshot, {
      before: keptLast?.snapshot,
      isWhole: keptLast?.hour !== hour,
      findings,
      named,
    });
    return seen === undefined ? undefined : { seen };
  }

  /** The look as it is kept, where it is. */
  function keptAs(
    when: Pick<Look, "dueMillis" | "at" | "every">,
    what: () => Pick<Look, "seen" | "failure"> | undefined,
  ): { readonly look?: string } {
    if (run === undefined || watcher.kept === undefined) return {};
    const seen = what();
    return seen === undefined ? {} : { look: lookToText({ run, ...when, ...seen }) };
  }
}

function hourOf(at: Nanoseconds): number {
  return Math.floor(toMillis(at) / 3_600_000);
}

/** The same subject, of which nothing could be seen. */
export function unknownBecause({ message }: Pick<Error, "message">, reading: Reading): Reading {
  const { badForMillis: _badFor, since: _since, ...rest } = reading;
  return { ...rest, state: "unknown", why: message };
}

/**
 * The result of `work`, or a rejection with ObservationTimeout after `timeoutMillis`, or with the signal's reason. Either
 * aborts the signal that `work` gets; work that ignores it is abandoned.
 */
async function withTimeout<T>(
  work: (abandon: AbortSignal) => Promise<T>,
  options: { readonly clock: Clock; readonly timeoutMillis: Milliseconds; readonly signal?: AbortSignal },
): Promise<T> {
  const { clock, timeoutMillis, signal } = options;
  signal?.throwIfAborted();
  const late = new AbortController();
  const abandon = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
  return inTime(work(abandon), { millis: timeoutMillis, clock, signal }, () => {
    signal?.throwIfAborted();
    const reason = new ObservationTimeout(`no answer within ${formatDuration(timeoutMillis)}`);
    late.abort(reason);
    throw reason;
  });
}
