import type { REST } from "discord.js";

import type { Bot } from "../../bot/bot.ts";
import type { Log } from "../../log.ts";
import type { ComposeDependencies } from "./render/compose.ts";

export interface DiscordContext extends ComposeDependencies {
  readonly bot: Bot;
  /** For answers to interactions, which carry their own token. */
  readonly rest: REST;
  /** Authorized with the bot's token: for direct messages. */
  readonly botRest: REST;
  readonly log: Log;
  /** An answer that takes no longer is sent without "… is thinking"; with 0, each answer is preceded by it. */
  readonly deferAfterMillis: number;
  readonly progressEveryMillis: number;
  /** After this long, the message announces that the answer will be a direct message. */
  readonly lateAfterMillis: number;
  /** After this long, autocompletion answers with an empty list. */
  readonly autocompleteMillis: number;
  /** Aborted when the adapter stops. */
  readonly signal: AbortSignal;
}
