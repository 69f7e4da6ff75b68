import type { Clock } from "../../api/clock.ts";
import { messageOf } from "../../errors.ts";
import type { Log } from "../../log.ts";
import type { Milliseconds } from "../../units/duration.ts";

interface DeadManSwitchOptions {
  /** A secret: whoever knows it can say that all is well. */
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Why not all is well, as a clause; undefined where all is. May reject. */
  readonly trouble: () => Promise<string | undefined>;
  /** How long one try may take. Default 10 s. */
  readonly pingMillis?: Milliseconds;
}

export interface DeadManSwitch {
  stop(): Promise<void>;
}

const FIRST_PING_AFTER: Milliseconds = 10_000;
const PING_INTERVAL: Milliseconds = 60_000;
/** Before the second try and the third; after that the next minute's turn comes. */
const RETRY_DELAYS: readonly Milliseconds[] = [2000, 5000];
/** Whoever cannot say in this time whether all is well, is not. */
const HEALTH_TIMEOUT: Milliseconds = 10_000;

/**
 * Pings an address about once a minute while all is well, so that a service elsewhere notices when this process, its
 * machine or its network is gone, or when it runs and does nothing.
 */
export function startDeadManSwitch({ url, clock, log, trouble, pingMillis }: DeadManSwitchOptions): DeadManSwitch {
  const stopped = new AbortController();
  const { signal } = stopped;
  let silentFor: string | undefined;

  async function whyNot(): Promise<string | undefined> {
    const over = new AbortController();
    const late = clock.sleep(HEALTH_TIMEOUT, AbortSignal.any([over.signal, signal])).then(
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
    for (const pause of RETRY_DELAYS) {
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
    let pause = FIRST_PING_AFTER;
    for (;;) {
      await clock.sleep(pause, signal);
      const began = clock.monotonicMillis();
      const why = await whyNot();
      signal.throwIfAborted();
      if (why === undefined) tell(await ping(), "the dead man's switch cannot be pinged");
      else tell(why, "the dead man's switch is not pinged: not all is well");
      pause = Math.max(0, PING_INTERVAL - (clock.monotonicMillis() - began));
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

/** One try. */
const PING_TIMEOUT_MILLIS: Milliseconds = 10_000;

/**
 * Asks an address once and reads nothing of the answer. Gives a clause for people where it did not take the ping, without
 * the address: that is a secret. Does not follow redirects: they could lead the ping to somebody else. Never rejects.
 */
export async function pingOnce(
  url: string,
  signal: AbortSignal,
  limitMillis = PING_TIMEOUT_MILLIS,
): Promise<string | undefined> {
  const late = AbortSignal.timeout(limitMillis);
  try {
    const response = await fetch(withoutCredentials(url), {
      headers: { "User-Agent": "Bellwether", ...authorizationOf(url) },
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

function authorizationOf(url: string): Record<string, string> {
  const { username, password } = new URL(url);
  if (username === "" && password === "") return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { Authorization: `Basic ${Buffer.from(credentials).toString("base64")}` };
}
