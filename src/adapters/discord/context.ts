import type { REST } from "discord.js";

import type { Bot } from "../../bot/bot.ts";
import type { Log } from "../../log.ts";
import type { OpenAnswers } from "../chat/open-answers.ts";
import { ACKNOWLEDGE_TIMEOUT_MILLIS, TOKEN_LIFETIME_MILLIS } from "./limits.ts";
import type { ComposeDependencies } from "./render/compose.ts";

/** Waits in milliseconds; tests shorten them. */
export const TIMING = {
  /** An answer that takes no longer is sent without "… is thinking"; with 0, each answer is preceded by it. */
  deferAfterMillis: 300,
  progressEveryMillis: 2500,
  /** After this long, the message announces that the answer will be a direct message. */
  lateAfterMillis: TOKEN_LIFETIME_MILLIS - 60_000,
  /** After this long, autocompletion answers with an empty list. */
  autocompleteMillis: ACKNOWLEDGE_TIMEOUT_MILLIS - 1000,
  /** The first wait before a new connection, or a new check of the token; it doubles up to a minute. */
  backoffMillis: 1000,
  /** The wait after a failure that only the operator can mend. */
  failedMillis: 600_000,
  /** After this long without a session on the gateway, a new connection is made. */
  stuckMillis: 120_000,
  /** Between two notes of the gateway's sessions, from which a process that takes it over goes on. */
  keepMillis: 5000,
  /** Between two checks of the token while all is well. */
  checkMillis: 300_000,
  /** The first wait before a registration of the commands is repeated; it doubles up to an hour. */
  registerAgainMillis: 15_000,
};
export type DiscordTiming = Readonly<typeof TIMING>;

export interface DiscordContext extends ComposeDependencies {
  readonly bot: Bot;
  /** For answers to interactions, which carry their own token. */
  readonly rest: REST;
  /** Authorized with the bot's token: for direct messages. */
  readonly botRest: REST;
  readonly openAnswers: OpenAnswers;
  readonly log: Log;
  readonly timing: DiscordTiming;
  /** Aborted when the adapter stops. */
  readonly signal: AbortSignal;
}
