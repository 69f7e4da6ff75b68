import type { RESTJSONErrorCodes } from "discord-api-types/v10";
import { DiscordAPIError, HTTPError, REST, type RESTOptions } from "discord.js";

import { messageOf } from "../../../errors.ts";

interface RestClientOptions {
  readonly token: string;
  /** The interface's base without version; left out = Discord's own. */
  readonly apiUrl?: string | undefined;
  readonly timeoutMillis?: number;
  /** Further tries after a 5xx, a time-out or a reset connection. */
  readonly retries?: number;
  /** Left out = 50, which Discord allows a bot; what paces itself, or stands outside of that limit, sets it to infinity. */
  readonly globalRequestsPerSecond?: number;
  readonly rejectOnRateLimit?: RESTOptions["rejectOnRateLimit"];
}

/**
 * Discord's REST interface. Requests go through the built-in fetch: the process-wide dispatcher that undici 8 sets
 * (and with it Slack's library) breaks every multipart upload that discord.js would send through its own undici 6.
 */
export function createRest(parts: RestClientOptions): REST {
  const options: Partial<RESTOptions> = {
    version: "10",
    makeRequest: fetch as unknown as RESTOptions["makeRequest"],
    timeout: parts.timeoutMillis ?? 15_000,
    retries: parts.retries ?? 2,
    userAgentAppendix: "Bellwether",
    // Each interaction has a token of its own, and with it a bucket that nobody asks for again.
    handlerSweepInterval: 60_000,
    ...(parts.apiUrl === undefined ? {} : { api: parts.apiUrl.replace(/\/+$/u, "") }),
    globalRequestsPerSecond: parts.globalRequestsPerSecond ?? 50,
    ...(parts.rejectOnRateLimit === undefined ? {} : { rejectOnRateLimit: parts.rejectOnRateLimit }),
  };
  return new TokenKeepingRest(options).setToken(parts.token);
}

/** Keeps its token: discord.js forgets one that was refused once, and would then fail without asking for ever. */
class TokenKeepingRest extends REST {
  override setToken(token: string | null): this {
    return token === null ? this : super.setToken(token);
  }
}

/** Stops the timers of an interface that is no longer needed. */
export function closeRest(rest: REST): void {
  rest.clearHashSweeper();
  rest.clearHandlerSweeper();
}

/** What a log may know of a failed request. The error itself holds its address, and with it the interaction's token. */
export function errorForLog(thrown: unknown): Record<string, unknown> {
  if (thrown instanceof DiscordAPIError) return { why: thrown.message, status: thrown.status, code: thrown.code };
  if (thrown instanceof HTTPError) return { why: thrown.message, status: thrown.status };
  return { why: messageOf(thrown), err: thrown };
}

/** Whether Discord answered with this error code: https://docs.discord.com/developers/topics/opcodes-and-status-codes#json. */
export function hasErrorCode(thrown: unknown, ...codes: readonly RESTJSONErrorCodes[]): boolean {
  return thrown instanceof DiscordAPIError && codes.some((code) => code === thrown.code);
}

/** True when the same request may succeed in a moment: a 5xx, a connection that broke, no answer in time. */
export function isTransient(thrown: unknown): boolean {
  return !(thrown instanceof DiscordAPIError) && thrown instanceof Error;
}
