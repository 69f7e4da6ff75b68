import type { Clock } from "../../api/clock.ts";
import { parseBaseUrl } from "../../api/http/base-url.ts";
import { messageOf } from "../../errors.ts";
import type { Log } from "../../log.ts";
import { inTime, type Milliseconds } from "../../units/time.ts";

interface DeadManSwitchOptions {
  /** A secret: whoever knows it can ping. */
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The health problem, as a clause; undefined where there is none. May reject. */
  readonly problem: () => Promise<string | undefined>;
  /** Timeout of one ping. Default 10 s. */
  readonly pingMillis?: Milliseconds;
}

export type DeadManSwitch = ReturnType<typeof startDeadManSwitch>;

const FIRST_PING_AFTER: Milliseconds = 10_000;
const PING_INTERVAL: Milliseconds = 60_000;
/** The pauses before the second and the third attempt; after those the ping of the next minute follows. */
const RETRY_DELAYS: readonly Milliseconds[] = [2000, 5000];
/** A health check that takes longer counts as a problem. */
const HEALTH_TIMEOUT: Milliseconds = 10_000;

/**
 * Pings an address about once a minute while the bot is well, so that a service elsewhere notices when this process, its
 * machine or its network is gone, or when the process runs without watching or delivering.
 */
export function startDeadManSwitch({ url, clock, log, problem, pingMillis }: DeadManSwitchOptions) {
  const stopped = new AbortController();
  const { signal } = stopped;
  let silentFor: string | undefined;

  async function findProblem(): Promise<string | undefined> {
    try {
      return await inTime(
        problem(),
        { millis: HEALTH_TIMEOUT, clock, signal },
        () => "it cannot be found out whether all is well",
      );
    } catch (thrown) {
      return messageOf(thrown);
    }
  }

  async function ping(): Promise<string | undefined> {
    let why = await pingOnce(url, signal, pingMillis);
    for (const pause of RETRY_DELAYS) {
      if (why === undefined) return undefined;
      await clock.sleep(pause, signal);
      why = await pingOnce(url, signal, pingMillis);
    }
    return why;
  }

  /** Logs only changes: a night of failures makes two lines. */
  function logChange(why: string | undefined): void {
    if (why === undefined && silentFor !== undefined) log.info({}, "dead man's switch pinged again");
    if (why !== undefined && silentFor === undefined) log.warn({ why }, "dead man's switch not pinged");
    silentFor = why;
  }

  async function run(): Promise<void> {
    let pause = FIRST_PING_AFTER;
    for (;;) {
      await clock.sleep(pause, signal);
      const began = clock.monotonicMillis();
      const why = await findProblem();
      signal.throwIfAborted();
      logChange(why ?? (await ping()));
      pause = Math.max(0, PING_INTERVAL - (clock.monotonicMillis() - began));
    }
  }

  const running = run().catch((thrown: unknown) => {
    if (!signal.aborted) log.error({ err: thrown }, "dead man's switch ended");
  });
  return {
    async stop(): Promise<void> {
      stopped.abort(new DOMException("Bellwether is stopping.", "AbortError"));
      await running;
    },
  };
}

/** Timeout of one attempt. */
const PING_TIMEOUT_MILLIS: Milliseconds = 10_000;

/**
 * Requests an address once and ignores the body. Gives a clause for people where the ping failed, without the address,
 * which is a secret. Does not follow redirects, which could lead to another party. Never rejects.
 */
export async function pingOnce(
  url: string,
  signal: AbortSignal,
  limitMillis = PING_TIMEOUT_MILLIS,
): Promise<string | undefined> {
  const late = AbortSignal.timeout(limitMillis);
  const { authorization } = parseBaseUrl(url);
  try {
    const response = await fetch(withoutCredentials(url), {
      headers: { "User-Agent": "Bellwether", ...(authorization !== undefined && { Authorization: authorization }) },
      redirect: "manual",
      signal: AbortSignal.any([signal, late]),
    });
    await response.body?.cancel();
    if (response.ok) return undefined;
    const { status } = response;
    return status >= 300 && status < 400 ? `it redirects elsewhere (HTTP ${status})` : `it answers HTTP ${status}`;
  } catch {
    return late.aborted ? "it does not answer in time" : "it cannot be reached";
  }
}

/** The built-in fetch takes no address with a user name in it. */
function withoutCredentials(url: string): URL {
  const plain = new URL(url);
  plain.username = "";
  plain.password = "";
  return plain;
}
