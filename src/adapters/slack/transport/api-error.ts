import { WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from "@slack/web-api";

import { messageOf } from "../../../errors.ts";
import type { Log } from "../../../log.ts";
import type { Milliseconds } from "../../../units/time.ts";

/** Slack refuses the token itself, for any call: https://docs.slack.dev/reference/methods/auth.test#errors. */
export const REFUSED_CODES: ReadonlySet<string> = new Set([
  "invalid_auth",
  "not_authed",
  "token_expired",
  "user_removed_from_team",
  "team_disabled",
]);
/** The app was removed from its workspace, or the workspace is gone: retries are useless. */
export const REVOKED_CODES: ReadonlySet<string> = new Set(["account_inactive", "token_revoked"]);
/** The token is of another kind, or without a scope that it needs. */
const UNSUITABLE_CODES: ReadonlySet<string> = new Set(["not_allowed_token_type", "missing_scope"]);

/**
 * Slack's error code; undefined for any other failure. The library treats the body of any 200 as a code, even the page
 * of a proxy.
 */
export function errorCodeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof WebAPIPlatformError)) return undefined;
  const { error } = thrown.data;
  return /^[a-z][a-z0-9_]{2,80}$/u.test(error) ? error : undefined;
}

/** The scope that Slack names with `missing_scope`. */
export function neededScope(thrown: unknown): string | undefined {
  const needed = thrown instanceof WebAPIPlatformError ? (thrown.data as { needed?: unknown }).needed : undefined;
  return typeof needed === "string" && /^[a-z][a-z:._,-]{1,80}$/u.test(needed) ? needed : undefined;
}

export function isTokenRefused(thrown: unknown): boolean {
  const code = errorCodeOf(thrown) ?? "";
  return [REFUSED_CODES, REVOKED_CODES, UNSUITABLE_CODES].some((codes) => codes.has(code));
}

/** For a 429 without Retry-After. */
export const DEFAULT_RETRY_AFTER_MILLIS: Milliseconds = 5000;

/** How long Slack asks to wait; undefined where it does not. */
export function retryAfterMillis(thrown: unknown): number | undefined {
  if (thrown instanceof WebAPIRateLimitedError) return thrown.retryAfter * 1000;
  const code = errorCodeOf(thrown);
  // The same with a 200.
  if (thrown instanceof WebAPIPlatformError && (code === "ratelimited" || code === "rate_limited")) {
    const { retryAfter } = (thrown.data.response_metadata ?? {}) as { retryAfter?: unknown };
    return typeof retryAfter === "number" ? retryAfter * 1000 : DEFAULT_RETRY_AFTER_MILLIS;
  }
  // The library has no other name for a 429 without Retry-After.
  const withoutHeader = thrown instanceof Error && thrown.message.startsWith("Retry header did not contain");
  return withoutHeader ? DEFAULT_RETRY_AFTER_MILLIS : undefined;
}

/** One clause for the log. `invalid_blocks` explains itself only in the messages that come with it. */
export function describeError(thrown: unknown): string {
  if (!(thrown instanceof WebAPIPlatformError)) return messageOf(thrown);
  if (errorCodeOf(thrown) === undefined) return "Slack's answer cannot be understood";
  const { error, response_metadata: more } = thrown.data;
  const messages = Array.isArray(more?.messages) ? `: ${more.messages.map(String).join("; ")}` : "";
  return `Slack says ${error}${messages}`;
}

/** Whether no answer came: the connection failed, or timed out. */
export function isUnanswered(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  if (thrown instanceof WebAPIRequestError || thrown.name === "TimeoutError") return true;
  if ("code" in thrown && /^(?:E(?:CONN|PIPE|TIMEDOUT|HOST|NET|AI_)|UND_)/u.test(String(thrown.code))) return true;
  return isUnanswered(thrown.cause);
}

/** Awaits a handler; a failure is only logged. */
export async function logFailure(
  { log }: { readonly log: Log },
  what: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.error({ platform: "slack", what, err: error, why: describeError(error) }, "answer failed");
  }
}
