import type { RESTJSONErrorCodes } from "discord-api-types/v10";
import { DiscordAPIError, HTTPError, REST, type RESTOptions } from "discord.js";

import { messageOf } from "../../../errors.ts";
import { fetchUpload } from "./upload.ts";

interface RestClientOptions extends Partial<RESTOptions> {
  readonly token: string;
  /** The interface's base without version; left out = Discord's own. */
  readonly apiUrl?: string | undefined;
}

/**
 * Creates a client of Discord's REST interface. Requests go through the built-in fetch: the process-wide dispatcher that
 * undici 8 sets (and with it Slack's library) breaks every multipart upload that discord.js would send through its own
 * undici 6.
 */
export function createRest({ token, apiUrl, ...more }: RestClientOptions): REST {
  const restOptions: Partial<RESTOptions> = {
    version: "10",
    makeRequest: fetchUpload as unknown as RESTOptions["makeRequest"],
    timeout: 15_000,
    retries: 2,
    userAgentAppendix: "Bellwether",
    // Each interaction has a token of its own, and with it a rate-limit bucket that is used no more afterwards.
    handlerSweepInterval: 60_000,
    globalRequestsPerSecond: 50,
    ...(apiUrl === undefined ? {} : { api: apiUrl.replace(/\/+$/u, "") }),
    ...more,
  };
  return new TokenKeepingRest(restOptions).setToken(token);
}

/** Keeps its token: discord.js forgets a token after one 401, and would then fail every request unsent. */
class TokenKeepingRest extends REST {
  override setToken(token: string | null): this {
    return token === null ? this : super.setToken(token);
  }
}

/** Whether Discord refuses the bot's own token; it does not say whether that was reset, mistyped or revoked. */
export function isTokenRefused(thrown: unknown): boolean {
  return thrown instanceof DiscordAPIError && thrown.status === 401;
}

/** The health of a bot whose token Discord refuses, in words for the operator. */
export const TOKEN_REFUSED =
  "Discord refuses the token: reset it on the page Bot of your app, set DISCORD_TOKEN and start again";

/** Stops the timers of a client. */
export function closeRest(rest: REST): void {
  rest.clearHashSweeper();
  rest.clearHandlerSweeper();
}

/** The log fields of a failed request, without its address, which holds the interaction's token. */
export function errorForLog(thrown: unknown): Record<string, unknown> {
  if (thrown instanceof DiscordAPIError) return { why: thrown.message, status: thrown.status, code: thrown.code };
  if (thrown instanceof HTTPError) return { why: thrown.message, status: thrown.status };
  return { why: messageOf(thrown), err: thrown };
}

/** Whether Discord answered with this error code: https://docs.discord.com/developers/topics/opcodes-and-status-codes#json. */
export function hasErrorCode(thrown: unknown, ...codes: readonly RESTJSONErrorCodes[]): boolean {
  return thrown instanceof DiscordAPIError && codes.some((code) => code === thrown.code);
}

/** Whether the same request may succeed soon: after a 5xx, a broken connection or a time-out. */
export function isTransient(thrown: unknown): boolean {
  return !(thrown instanceof DiscordAPIError) && thrown instanceof Error;
}
