import { LogLevel, WebClient, type Logger, type WebClientOptions } from "@slack/web-api";

import type { Log } from "../../log.ts";

export interface WebClientSettings {
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
