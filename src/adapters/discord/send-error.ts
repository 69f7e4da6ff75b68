import { DiscordAPIError, HTTPError, RateLimitError } from "@discordjs/rest";

import { SendError } from "../../alerts/sender.ts";
import { messageOf } from "../../errors.ts";
import { wasUnsent } from "./rest-fault.ts";

/** Error codes: https://docs.discord.com/developers/topics/opcodes-and-status-codes#json. */
const GONE_CODES = new Set<number | string>([
  10_003, // unknown channel
  10_004, // unknown server
  10_013, // unknown user
  50_001, // missing access
  50_007, // this person takes no direct messages from the bot
  50_013, // missing permissions
]);
export function isRefusedToken(thrown: unknown): boolean {
  return thrown instanceof DiscordAPIError && thrown.status === 401;
}

/** What became of a request that failed, by what to do next. `begun` tells whether it left the queue. */
export function sendErrorOf(thrown: unknown, begun: boolean): SendError {
  if (thrown instanceof SendError) return thrown;
  const words = `Discord: ${messageOf(thrown)}`;
  if (thrown instanceof RateLimitError) {
    return new SendError("retry", words, { retryAfterMillis: Math.max(0, thrown.retryAfter), cause: thrown });
  }
  if (thrown instanceof DiscordAPIError) {
    if (GONE_CODES.has(thrown.code)) return new SendError("gone", words, { cause: thrown });
    // A refused token is the operator's to mend, and no channel is lost by it.
    if (thrown.status === 401 || thrown.status === 403) return new SendError("retry", words, { cause: thrown });
    return new SendError("unhealable", words, { cause: thrown });
  }
  if (thrown instanceof HTTPError) {
    return new SendError(thrown.status === 503 ? "retry" : "maybe-sent", words, { cause: thrown });
  }
  if (!begun || wasUnsent(thrown)) return new SendError("retry", words, { cause: thrown });
  return new SendError("maybe-sent", words, { cause: thrown });
}
