import type { WebClient } from "@slack/web-api";

import type { Bot } from "../../bot/bot.ts";
import type { Log } from "../../log.ts";
import type { ComposeParts } from "./compose.ts";
import type { Managers } from "./managers.ts";
import type { Kept } from "./person.ts";

/** What answering people takes. */
export interface Desk extends ComposeParts {
  readonly bot: Bot;
  readonly web: WebClient;
  readonly log: Log;
  /** The root command, with its slash. */
  readonly command: string;
  /** The bot's name, as people type it behind an @. */
  botName(): string;
  /** Unix milliseconds. */
  now(): number;
  /** When progress is shown, in milliseconds from the question on; each time uses up one of a response_url's uses. */
  readonly progressAtMillis: readonly number[];
  /** For how long completion may look before it answers with nothing. */
  readonly suggestMillis: number;
  readonly managers: Managers;
  /** What is kept for people. */
  readonly kept: Kept;
  /** Aborted when the adapter stops. */
  readonly signal: AbortSignal;
}
