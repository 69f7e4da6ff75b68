import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError } from "@slack/web-api";

import { messageOf } from "../../errors.ts";

/** Error codes after which a token is of no use until a person acts: https://docs.slack.dev/reference/methods/auth.test#errors. */
const REFUSED_TOKEN = new Set([
  "invalid_auth",
  "not_authed",
  "account_inactive",
  "token_revoked",
  "token_expired",
  "not_allowed_token_type",
  "user_removed_from_team",
  "team_disabled",
  "missing_scope",
]);

/** The code by which Slack says what is wrong; undefined where something else failed. */
export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof WebAPIPlatformError ? thrown.data.error : undefined;
}

export function refusesToken(thrown: unknown): boolean {
  return REFUSED_TOKEN.has(codeOf(thrown) ?? "");
}

/** For how long Slack asks to wait; undefined where it does not. */
export function retryAfterMillis(thrown: unknown): number | undefined {
  return thrown instanceof WebAPIRateLimitedError ? thrown.retryAfter * 1000 : undefined;
}

export function httpStatusOf(thrown: unknown): number | undefined {
  return thrown instanceof WebAPIHTTPError ? thrown.statusCode : undefined;
}

/** One clause for the log. `invalid_blocks` explains itself only in the messages that come with it. */
export function faultWords(thrown: unknown): string {
  if (!(thrown instanceof WebAPIPlatformError)) return messageOf(thrown);
  const { error, response_metadata: more } = thrown.data as {
    error: string;
    response_metadata?: { messages?: unknown };
  };
  const messages = Array.isArray(more?.messages) ? `: ${more.messages.map(String).join("; ")}` : "";
  return `Slack says ${error}${messages}`;
}
