import { DiscordAPIError, HTTPError } from "@discordjs/rest";

import { messageOf } from "../../errors.ts";

/** Nothing reached Discord: the connection itself could not be made. */
const UNSENT_CODES = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** What a log may know of a failed request. The error itself holds its address, and with it the interaction's token. */
export function faultForLog(thrown: unknown): Record<string, unknown> {
  if (thrown instanceof DiscordAPIError) return { why: thrown.message, status: thrown.status, code: thrown.code };
  if (thrown instanceof HTTPError) return { why: thrown.message, status: thrown.status };
  return { why: messageOf(thrown), err: thrown };
}

/** True when the request certainly had no effect. */
export function wasUnsent(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  if ("code" in thrown && typeof thrown.code === "string" && UNSENT_CODES.has(thrown.code)) return true;
  return wasUnsent(thrown.cause);
}

/** True when the same request may succeed in a moment: a 5xx, a connection that broke, no answer in time. */
export function mayPass(thrown: unknown): boolean {
  return !(thrown instanceof DiscordAPIError) && thrown instanceof Error;
}
