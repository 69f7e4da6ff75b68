import type { Bot } from "../../bot/bot.ts";
import type { Log } from "../../log.ts";
import type { KeepParts } from "../keep-presses.ts";
import type { Talk } from "./after-limit.ts";
import type { Insist } from "./insist.ts";
import type { LastManaged } from "./last-managed.ts";
import type { Managers } from "./managers.ts";
import type { Kept } from "./person.ts";

/** What answering people takes. Its `signal` aborts a little after `stopping`, so that people can be told. */
export interface Desk extends KeepParts, Talk {
  readonly bot: Bot;
  readonly log: Log;
  /** The root command, with its slash. */
  readonly command: string;
  /** The bot's name, as people type it behind an @. */
  botName(): string;
  /** Unix milliseconds. */
  now(): number;
  /** When progress is shown, in milliseconds from the question on, where each time uses up one of a response_url's uses. */
  readonly progressAtMillis: readonly number[];
  /** Elsewhere, and after those moments: so often. */
  readonly progressEveryMillis: number;
  /** For how long completion may look before it answers with nothing. */
  readonly suggestMillis: number;
  /** For how long Slack may say nothing until something is tried otherwise; left out, what is usual for each kind of call. */
  readonly callMillis?: number | undefined;
  /** For how long a form may be opened; Slack's own time where left out. */
  readonly triggerMillis?: number | undefined;
  /** For how long nothing of a file may move. */
  readonly stallMillis?: number | undefined;
  readonly managers: Managers;
  readonly lastManaged: LastManaged;
  /** What is kept for people. */
  readonly kept: Kept;
  /** For answers. */
  readonly insist: Insist;
  /** For a word about an answer that was given up. */
  readonly insistLonger: Insist;
  /** Aborted when the adapter stops: work ends, and nothing is waited for. */
  readonly stopping: AbortSignal;
}
