import type { Clock } from "../api/clock.ts";
import { messageOf } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Milliseconds } from "../units/duration.ts";
import { pingOnce } from "./ping-once.ts";

export interface DeadmanParts {
  /** A secret: whoever knows it can say that all is well. */
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Why not all is well, as a clause; undefined where all is. May reject. */
  readonly trouble: () => Promise<string | undefined>;
  /** How long one try may take. Default 10 s. */
  readonly pingMillis?: Milliseconds;
}

export interface Deadman {
  stop(): Promise<void>;
}

const FIRST: Milliseconds = 10_000;
const EVERY: Milliseconds = 60_000;
/** Before the second try and the third; after that the next minute's turn comes. */
const PAUSES: readonly Milliseconds[] = [2000, 5000];
/** Whoever cannot say in this time whether all is well, is not. */
const ANSWER: Milliseconds = 10_000;

/**
 * Pings an address about once a minute while all is well, so that a service elsewhere notices when this process, its
 * machine or its network is gone, or when it runs and does nothing.
 */
export function startDeadman({ url, clock, log, trouble, pingMillis }: DeadmanParts): Deadman {
  const stopped = new AbortController();
  const { signal } = stopped;
  let silentFor: string | undefined;

  async function whyNot(): Promise<string | undefined> {
    const over = new AbortController();
    const late = clock.sleep(ANSWER, AbortSignal.any([over.signal, signal])).then(
      () => "it cannot be found out whether all is well",
      () => undefined,
    );
    try {
      return await Promise.race([trouble(), late]);
    } catch (thrown) {
      return messageOf(thrown);
    } finally {
      over.abort();
    }
  }

  async function ping(): Promise<string | undefined> {
    let why = await pingOnce(url, signal, pingMillis);
    for (const pause of PAUSES) {
      if (why === undefined) return undefined;
      await clock.sleep(pause, signal);
      why = await pingOnce(url, signal, pingMillis);
    }
    return why;
  }

  /** Tells of a change only: a night of trouble is two lines. */
  function tell(why: string | undefined, words: string): void {
    if (why === undefined && silentFor !== undefined) log.info("the dead man's switch is pinged again");
    if (why !== undefined && silentFor === undefined) log.warn({ why }, words);
    silentFor = why;
  }

  async function run(): Promise<void> {
    let pause = FIRST;
    for (;;) {
      await clock.sleep(pause, signal);
      const began = clock.monotonicMillis();
      const why = await whyNot();
      signal.throwIfAborted();
      if (why === undefined) tell(await ping(), "the dead man's switch cannot be pinged");
      else tell(why, "the dead man's switch is not pinged: not all is well");
      pause = Math.max(0, EVERY - (clock.monotonicMillis() - began));
    }
  }

  const running = run().catch((thrown: unknown) => {
    if (!signal.aborted) log.error({ err: thrown }, "the dead man's switch ended");
  });
  return {
    async stop() {
      stopped.abort(new DOMException("Bellwether is stopping.", "AbortError"));
      await running;
    },
  };
}
