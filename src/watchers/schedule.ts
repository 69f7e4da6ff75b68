import type { ApiClient } from "../api/api-client.ts";
import type { Clock } from "../api/clock.ts";
import type { Milliseconds } from "../units/duration.ts";
import { runWatcher, type WatchLoopDependencies } from "./watch-loop.ts";
import type { Watcher } from "./watcher.ts";

/** One network and its watchers. */
interface WatchedNetwork {
  readonly api: ApiClient;
  readonly watchers: readonly Watcher<unknown>[];
}

export interface ScheduleOptions extends Pick<WatchLoopDependencies, "load" | "subjects" | "sink" | "log"> {
  readonly networks: readonly WatchedNetwork[];
  readonly clock: Clock;
  /** Like Math.random: the source of jitter. */
  readonly random: () => number;
  /** A longer observation is abandoned. Default: three times its interval, at least 30 s. */
  readonly timeoutMillis?: Milliseconds;
}

export interface Schedule {
  /** Ends all observations; resolves once none runs any more. */
  stop(): Promise<void>;
}

const MIN_TIMEOUT: Milliseconds = 30_000;

/**
 * Runs every watcher at its interval: one request per network and kind, however many subscriptions. A
 * slow observation is not overlapped and delays no other watcher; those that it displaces are skipped.
 */
export function startSchedule(options: ScheduleOptions): Schedule {
  const { networks, clock, random, log } = options;
  const stopped = new AbortController();
  const loops = networks.flatMap(({ api, watchers }) =>
    watchers.map((watcher) => {
      const timeoutMillis = options.timeoutMillis ?? Math.max(MIN_TIMEOUT, 3 * watcher.every);
      const loop = runWatcher(watcher, api, { ...options, clock, random, timeoutMillis }, stopped.signal);
      return loop.catch((error: unknown) => {
        if (!stopped.signal.aborted) log.error({ err: error, watcher: watcher.name }, "watcher ended");
      });
    }),
  );
  return {
    async stop() {
      stopped.abort(new Error("the watchers are stopped"));
      await Promise.all(loops);
    },
  };
}
