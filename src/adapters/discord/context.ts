import type { REST } from "discord.js";

import type { Bot } from "../../bot/bot.ts";
import type { Log } from "../../log.ts";
import type { ButtonPayloadDependencies } from "../button-payloads.ts";

/** What answering interactions takes. */
export interface DiscordContext extends ButtonPayloadDependencies {
  readonly bot: Bot;
  /** For answers to interactions, which carry their own token. */
  readonly rest: REST;
  /** In the bot's own name: for direct messages. */
  readonly botRest: REST;
  readonly log: Log;
  /** Unix milliseconds. */
  now(): number;
  /** Between two edits that show progress. */
  readonly progressEveryMillis: number;
  /** After this long, people are told that the answer will be a direct message. */
  readonly lateAfterMillis: number;
  /** For how long completion may look before it answers with nothing. */
  readonly autocompleteMillis: number;
  /** Aborted when the adapter stops. */
  readonly signal: AbortSignal;
}
