import { type Logger, LogLevel, WebClient, type WebClientOptions } from "@slack/web-api";

import type { Log } from "../../../log.ts";
import { retryAfterMillis } from "./api-error.ts";

interface WebClientSettings {
  /** Redirects all calls, for tests. */
  readonly apiUrl?: string | undefined;
  readonly log: Log;
  readonly timeoutMillis?: number | undefined;
}

const CALL_TIMEOUT_MILLIS = 20_000;

/**
 * Options for one client, a new object at each call: Slack's libraries write into what they are given. No call is
 * repeated by the library, and one channel's limit must not hold up the calls of all others.
 */
export function webClientOptions({ apiUrl, log, timeoutMillis }: WebClientSettings): WebClientOptions {
  return {
    ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: timeoutMillis ?? CALL_TIMEOUT_MILLIS,
    // Above what alerts may have under way at once: calls that hang hold up no other.
    maxRequestConcurrency: 2000,
    allowAbsoluteUrls: false,
    logger: libraryLogger(log),
  };
}

export function createWebClient(token: string, parts: WebClientSettings): WebClient {
  return new WebClient(token, webClientOptions(parts));
}

/** What Slack's libraries say, in our log. At their level `debug` they print whole messages: that is not passed on. */
export function libraryLogger(log: Log): Logger {
  const say =
    (level: "debug" | "warn") =>
    (...parts: unknown[]): void =>
      log[level]({ platform: "slack" }, parts.map(String).join(" "));
  return {
    debug: () => undefined,
    info: say("debug"),
    warn: say("warn"),
    error: say("warn"),
    setLevel: () => undefined,
    getLevel: () => LogLevel.INFO,
    setName: () => undefined,
  };
}

/** How waiting is done: rejects with the signal's reason when that aborts first. */
export type Sleep = (millis: number, signal: AbortSignal) => Promise<void>;

/** What talking to somebody who waits takes. */
export interface WebApiAccess {
  readonly web: WebClient;
  readonly sleep: Sleep;
  /** Aborted when nothing more can be said. */
  readonly signal: AbortSignal;
}

/** Longer waits are no answer to somebody who sits there. */
const LONGEST_RATE_LIMIT_WAIT_MILLIS = 30_000;
const RATE_LIMIT_TRIES = 4;

/**
 * Does a call again once Slack's limit lets it, which has then done nothing yet; rejects with what else is wrong, or
 * with the signal's reason.
 */
export async function retryRateLimited<T>(
  { signal, sleep }: Omit<WebApiAccess, "web">,
  call: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      const wait = retryAfterMillis(error);
      if (wait === undefined || wait > LONGEST_RATE_LIMIT_WAIT_MILLIS || tries >= RATE_LIMIT_TRIES) throw error;
      await sleep(wait, signal);
    }
  }
}

/** Does a call: in what way it is patient is the caller's. */
export type CallPolicy = <T>(call: () => Promise<T>) => Promise<T>;

/** For what must be said. */
export function retryingRateLimited(talk: Omit<WebApiAccess, "web">): CallPolicy {
  return (call) => retryRateLimited(talk, call);
}

/** For what is of no use later. */
export const withoutRetry: CallPolicy = (call) => call();
