import { WebAPIHTTPError } from "@slack/web-api";

import { SendError } from "../../../alerts/sender.ts";
import { isUnsent } from "../../chat/is-unsent.ts";
import { describeError, errorCodeOf, REFUSED_CODES, retryAfterMillis, REVOKED_CODES } from "../transport/api-error.ts";
import { QueueFull } from "./channel-queue.ts";

// Error codes: https://docs.slack.dev/reference/methods/chat.postMessage#errors.

/** The destination is gone for good. */
const GONE_CODES = new Set([
  "channel_not_found",
  "not_in_channel",
  "is_archived",
  "user_not_found",
  "user_disabled",
  "user_not_visible",
  "users_not_found",
  "cannot_dm_bot",
  "messages_tab_disabled",
  "restricted_action",
  "restricted_action_read_only_channel",
  "restricted_action_thread_only_channel",
  "team_access_not_granted",
  "team_not_found",
]);
/** Missing scopes or workspace rules, which a person fixes without a restart; the channel still exists. */
const OPERATOR_CODES = new Set([
  "missing_scope",
  "not_allowed_token_type",
  "no_permission",
  "access_denied",
  "accesslimited",
  "app_access_restricted",
  "ekm_access_denied",
  "enterprise_is_restricted",
  "org_login_required",
  "two_factor_setup_required",
]);
/** Slack failed, perhaps after posting. */
const UNCERTAIN_CODES = new Set(["internal_error", "fatal_error", "service_unavailable"]);
/** Not posted; a later attempt may succeed. */
const RETRY_CODES = new Set([
  "ratelimited",
  "rate_limited",
  "message_limit_exceeded",
  "request_timeout",
  "team_added_to_org",
]);
/** The thread takes no messages; its channel does. */
const THREAD_CLOSED_CODES = new Set([
  "cannot_reply_to_message",
  "invalid_thread_ts",
  "restricted_action_non_threadable_channel",
  "restricted_action_thread_locked",
]);
/** A message, or the one that begins a thread, is deleted; its channel is not. */
const DELETED_CODES = new Set(["message_not_found", "thread_not_found"]);
/** About what a message holds, not about its place. */
const CONTENT_CODES =
  /^(?:invalid_blocks|invalid_attachments|invalid_arg|invalid_metadata|metadata_too|msg_|no_text|too_many|markdown_|attachment_payload|block_mismatch|slack_connect_\w+_blocked)/u;

/** Whether a message was refused because of its thread. */
export function isThreadClosed(thrown: unknown): boolean {
  return THREAD_CLOSED_CODES.has(errorCodeOf(thrown) ?? "") || isDeleted(thrown);
}

/** Whether the message that a call names is deleted. */
export function isDeleted(thrown: unknown): boolean {
  return DELETED_CODES.has(errorCodeOf(thrown) ?? "");
}

/** Whether an error code refuses what a message holds: in a simpler form it may pass. */
export function isContentRefused(code: string | undefined): boolean {
  return CONTENT_CODES.test(code ?? "");
}

/**
 * Classifies a failed call as a SendError. `begun` = a message may have been posted; with the bot's name, the text
 * explains how to invite it.
 */
export function toSendError(thrown: unknown, begun: boolean, botName?: string): SendError {
  if (thrown instanceof SendError) return thrown;
  const words = `${describeError(thrown)}${howToInvite(errorCodeOf(thrown), botName)}`;
  const wait = retryAfterMillis(thrown);
  if (wait !== undefined) return new SendError("retry", words, { retryAfterMillis: wait, cause: thrown });
  const code = errorCodeOf(thrown);
  if (code !== undefined) {
    if (REFUSED_CODES.has(code)) return new SendError("refused", words, { cause: thrown });
    if (REVOKED_CODES.has(code)) return new SendError("refused", words, { revoked: true, cause: thrown });
    if (GONE_CODES.has(code)) return new SendError("gone", words, { cause: thrown });
    if (OPERATOR_CODES.has(code)) return new SendError("gone", words, { operator: true, cause: thrown });
    if (UNCERTAIN_CODES.has(code)) return new SendError(begun ? "maybe-sent" : "retry", words, { cause: thrown });
    const kind = isContentRefused(code) ? "content" : RETRY_CODES.has(code) ? "retry" : "permanent";
    return new SendError(kind, words, { cause: thrown });
  }
  if (!begun || thrown instanceof QueueFull || isUnsent(thrown)) {
    return new SendError("retry", words, { cause: thrown });
  }
  const status = thrown instanceof WebAPIHTTPError ? thrown.statusCode : 0;
  // With such a status nothing was posted, except perhaps with 408.
  const certain = status === 503 || (status >= 400 && status < 500 && status !== 408);
  return new SendError(certain ? "retry" : "maybe-sent", words, { cause: thrown });
}

/** For a private channel without the bot, Slack says `channel_not_found`. */
export function isNotInChannel(code: string | undefined): boolean {
  return code === "not_in_channel" || code === "channel_not_found";
}

function howToInvite(code: string | undefined, botName: string | undefined): string {
  if (botName === undefined || !isNotInChannel(code)) return "";
  return `: type \`/invite @${botName}\` in the channel`;
}
