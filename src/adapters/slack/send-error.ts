import { SendError } from "../../alerts/sender.ts";
import { QueueFull } from "./channel-queue.ts";
import { codeOf, faultWords, httpStatusOf, isUnsent, retryAfterMillis } from "./slack-fault.ts";

// Error codes: https://docs.slack.dev/reference/methods/chat.postMessage#errors.

/** The destination is lost: no later attempt can succeed by itself. */
const GONE = new Set([
  "channel_not_found",
  "not_in_channel",
  "is_archived",
  "account_inactive",
  "token_revoked",
  "user_not_found",
  "user_disabled",
  "users_not_found",
  "cannot_dm_bot",
  "messages_tab_disabled",
  "restricted_action",
  "restricted_action_read_only_channel",
  "restricted_action_thread_only_channel",
  "team_access_not_granted",
]);
/** Of the token, which a person mends without a restart; no channel is lost by it. */
const TOKEN = new Set(["invalid_auth", "not_authed", "missing_scope", "token_expired", "not_allowed_token_type"]);
/** Slack failed, and does not say whether before or after posting. */
const UNCERTAIN = new Set(["internal_error", "fatal_error", "request_timeout", "service_unavailable", "accesslimited"]);
/** Not posted, and another time it may be. */
const LATER = new Set(["ratelimited", "rate_limited", "message_limit_exceeded", "team_added_to_org"]);
const TOKEN_MILLIS = 60_000;

/** What became of a call that failed, by what to do next. `begun` tells whether it left the queue. */
export function sendErrorOf(thrown: unknown, begun: boolean): SendError {
  if (thrown instanceof SendError) return thrown;
  const words = faultWords(thrown);
  const wait = retryAfterMillis(thrown);
  if (wait !== undefined) return new SendError("retry", words, { retryAfterMillis: wait, cause: thrown });
  const code = codeOf(thrown);
  if (code !== undefined) {
    if (GONE.has(code)) return new SendError("gone", words, { cause: thrown });
    if (TOKEN.has(code)) return new SendError("retry", words, { retryAfterMillis: TOKEN_MILLIS, cause: thrown });
    if (UNCERTAIN.has(code)) return new SendError("maybe-sent", words, { cause: thrown });
    return new SendError(LATER.has(code) ? "retry" : "unhealable", words, { cause: thrown });
  }
  if (!begun || thrown instanceof QueueFull || isUnsent(thrown)) {
    return new SendError("retry", words, { cause: thrown });
  }
  return new SendError(httpStatusOf(thrown) === 503 ? "retry" : "maybe-sent", words, { cause: thrown });
}
