import type { ApiClient } from "../api/api-client.ts";
import { type Clock, systemClock } from "../api/clock.ts";
import type { Milliseconds } from "../units/duration.ts";
import { WatchLoop, type WatchLoopDependencies } from "./watch-loop.ts";
import type { Watcher } from "./watcher.ts";

/** One network, and who watches it. */
interface WatchedNetwork {
  readonly api: ApiClient;
  readonly watchers: readonly Watcher<unknown>[];
}

export interface ScheduleOptions extends Pick<WatchLoopDependencies, "load" | "subjects" | "sink" | "log"> {
  readonly networks: readonly WatchedNetwork[];
  readonly clock?: Clock;
  /** Like Math.random: where jitter comes from. */
  readonly random?: () => number;
  /** A look that takes longer is given up. Default: three times as long as between two looks, at least 30 s. */
  readonly lookMillis?: Milliseconds;
}

export interface Schedule {
  /** Ends every look under way; resolves once nothing of it runs any more. */
  stop(): Promise<void>;
}

/** Looks are moved by up to this part of the time between two, so that networks and bots do not all ask at once. */
const JITTER = 0.1;
/** The first looks of a start are spread over at most this. */
const MAX_FIRST_PAUSE: Milliseconds = 1000;
const MIN_TIMEOUT: Milliseconds = 30_000;

/**
 * Lets every watcher look at its network again and again: one request per network and kind, however many listen. A slow
 * look is not overlapped and delays no other watcher; the looks that it takes the place of are left out, not made up for.
 */
export function startSchedule(options: ScheduleOptions): Schedule {
  const { networks, clock = systemClock, random = Math.random, log } = options;
  const stopped = new AbortController();
  const loops = networks.flatMap(({ api, watchers }) =>
    watchers.map((watcher) => {
      const limitMillis = options.lookMillis ?? Math.max(MIN_TIMEOUT, 3 * watcher.every);
      const lookout = new WatchLoop(watcher, api, { ...options, clock, timeoutMillis: limitMillis });
      return runLoop(watcher.every, lookout, clock, random, stopped.signal).catch((error: unknown) => {
        if (!stopped.signal.aborted) log.error({ err: error, watcher: watcher.name }, "a watcher ended");
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

async function runLoop(
  every: Milliseconds,
  lookout: WatchLoop,
  clock: Clock,
  random: () => number,
  signal: AbortSignal,
): Promise<void> {
  // Looks are due on a grid of whole milliseconds; the jitter moves each of them, not the grid. A look counts as of the
  // first moment at which it may come, so that chance does not decide at which of them a duration is reached.
  const first = Math.floor((JITTER / 2) * every);
  let due = Math.ceil(clock.monotonicMillis() + random() * Math.min(every, MAX_FIRST_PAUSE));
  let pause = due - clock.monotonicMillis();
  while (!signal.aborted) {
    await clock.sleep(Math.max(0, pause), signal);
    const began = clock.monotonicMillis();
    // What was held up, by a computer that slept, counts as of when it began.
    await lookout.observeOnce(signal, began - due <= JITTER * every ? due - first : Math.floor(began));
    const now = clock.monotonicMillis();
    due += every * Math.max(1, Math.ceil((now - due) / every));
    pause = due + (random() - 0.5) * JITTER * every - now;
  }
}
