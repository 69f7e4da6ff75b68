import { type Logger, LogLevel, WebClient, type WebClientOptions } from "@slack/web-api";

import type { Log } from "../../../log.ts";
import { redactAnswers } from "../../../units/redact.ts";
import { retryAfterMillis } from "./api-error.ts";

interface WebClientSettings {
  /** Redirects all calls, for tests. */
  readonly apiUrl?: string | undefined;
  readonly log: Log;
  readonly timeoutMillis?: number | undefined;
}

const CALL_TIMEOUT_MILLIS = 20_000;

/**
 * Options for one client; a new object for each call, since Slack's libraries modify it. The library's retries are
 * disabled: one channel's rate limit must not delay the calls of all others.
 */
export function webClientOptions({ apiUrl, log, timeoutMillis }: WebClientSettings): WebClientOptions {
  return {
    ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
    fetch: redactAnswers(fetch),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: timeoutMillis ?? CALL_TIMEOUT_MILLIS,
    // Higher than the concurrency limit of alerts, so that hanging calls block no other.
    maxRequestConcurrency: 2000,
    allowAbsoluteUrls: false,
    logger: libraryLogger(log),
  };
}

export function createWebClient(token: string | undefined, settings: WebClientSettings): WebClient {
  return new WebClient(token, webClientOptions(settings));
}

/** The log of Slack's libraries. At their level `debug` they print whole messages: that is dropped. */
export function libraryLogger(log: Log): Logger {
  const say =
    (level: "debug" | "warn") =>
    (...parts: unknown[]): void =>
      log[level]({ platform: "slack", text: parts.map(String).join(" ") }, "library message");
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

/** Waits; rejects with the signal's reason when that aborts first. */
export type Sleep = (millis: number, signal: AbortSignal) => Promise<void>;

/** Dependencies of a Web API call that waits for rate limits. */
export interface WebApiAccess {
  readonly web: WebClient;
  readonly sleep: Sleep;
  /** Aborted when nothing more can be sent. */
  readonly signal: AbortSignal;
}

/** The longest wait for a rate limit; later, nobody expects the answer any more. */
export const LONGEST_RATE_LIMIT_WAIT_MILLIS = 30_000;
const RATE_LIMIT_TRIES = 4;

/** Makes a call, with or without retries. */
export type CallPolicy = <T>(call: () => Promise<T>) => Promise<T>;

/**
 * For messages that must arrive. Retries a rate-limited call once the limit is over; a rate-limited call had no effect.
 * Rejects with any other error, or with the signal's reason.
 */
export function retryRateLimited({ signal, sleep }: Omit<WebApiAccess, "web">): CallPolicy {
  return async (call) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await call();
      } catch (error) {
        const wait = retryAfterMillis(error);
        if (wait === undefined || wait > LONGEST_RATE_LIMIT_WAIT_MILLIS || tries >= RATE_LIMIT_TRIES) throw error;
        await sleep(wait, signal);
      }
    }
  };
}

/** For messages that are of no use later. */
export const withoutRetry: CallPolicy = (call) => call();

/** The channel of the app's direct messages with somebody. */
export async function openDirectChannel(web: WebClient, user: string): Promise<string> {
  const { channel } = await web.conversations.open({ users: user });
  if (channel?.id === undefined) throw new Error("Slack opened no direct messages");
  return channel.id;
}
