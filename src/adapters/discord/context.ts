import type { REST } from "discord.js";

import type { Bot } from "../../bot/bot.ts";
import type { Log } from "../../log.ts";
import type { ButtonPayloadDependencies } from "../store-button-payloads.ts";

export interface DiscordContext extends ButtonPayloadDependencies {
  readonly bot: Bot;
  /** For answers to interactions, which carry their own token. */
  readonly rest: REST;
  /** Authorized with the bot's token: for direct messages. */
  readonly botRest: REST;
  readonly log: Log;
  /** Unix milliseconds. */
  now(): number;
  /** An answer that takes no longer is sent without "… is thinking"; 0: none is. */
  readonly deferAfterMillis: number;
  readonly progressEveryMillis: number;
  /** After this long, the message announces that the answer will be a direct message. */
  readonly lateAfterMillis: number;
  /** After this long, autocompletion answers with an empty list. */
  readonly autocompleteMillis: number;
  /** Aborted when the adapter stops. */
  readonly signal: AbortSignal;
}
