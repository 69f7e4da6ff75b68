import { CannotSendMessagesToThisUserErrorCodes, RESTJSONErrorCodes } from "discord-api-types/v10";
import { DiscordAPIError, HTTPError, RateLimitError } from "discord.js";

import { SendError } from "../../../alerts/sender.ts";
import { messageOf } from "../../../errors.ts";
import { isUnsent } from "../../chat/is-unsent.ts";
import { hasErrorCode, isTokenRefused } from "../transport/rest.ts";

/** Discord's error codes for a destination that is gone. */
const DESTINATION_GONE_CODES = [
  RESTJSONErrorCodes.UnknownChannel,
  RESTJSONErrorCodes.UnknownGuild,
  RESTJSONErrorCodes.UnknownUser,
  RESTJSONErrorCodes.MissingAccess,
  RESTJSONErrorCodes.MissingPermissions,
  RESTJSONErrorCodes.InvalidRecipients,
  ...CannotSendMessagesToThisUserErrorCodes,
] as const;

/** Classifies a failed request by what to do next. `maybeSent`: whether it left the queue. */
export function toSendError(thrown: unknown, maybeSent: boolean): SendError {
  if (thrown instanceof SendError) return thrown;
  const words = `Discord: ${messageOf(thrown)}`;
  if (thrown instanceof RateLimitError) {
    return new SendError("retry", words, { retryAfterMillis: Math.max(0, thrown.retryAfter), cause: thrown });
  }
  if (thrown instanceof DiscordAPIError) {
    if (isTokenRefused(thrown)) return new SendError("refused", `Discord says ${thrown.message}`, { cause: thrown });
    if (hasErrorCode(thrown, ...DESTINATION_GONE_CODES)) return new SendError("gone", words, { cause: thrown });
    // A ban of the bot itself, for instance: the operator must mend it.
    if (thrown.status === 403) return new SendError("gone", words, { operator: true, cause: thrown });
    const aboutContent = thrown.status === 400 || thrown.status === 413;
    return new SendError(aboutContent ? "content" : "permanent", words, { cause: thrown });
  }
  if (thrown instanceof HTTPError) {
    return new SendError(thrown.status === 503 ? "retry" : "maybe-sent", words, { cause: thrown });
  }
  if (!maybeSent || isUnsent(thrown)) return new SendError("retry", words, { cause: thrown });
  return new SendError("maybe-sent", words, { cause: thrown });
}
