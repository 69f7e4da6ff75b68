import type { RESTJSONErrorCodes } from "discord-api-types/v10";
import { DiscordAPIError, HTTPError } from "discord.js";

import { messageOf } from "../../errors.ts";

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
