import type { Bot } from "../../bot/bot.ts";
import type { Log } from "../../log.ts";
import type { ButtonPayloadDependencies } from "../button-payloads.ts";
import type { HomeData } from "./home/home-data.ts";
import type { ChannelManagers, LastManagementRequests } from "./respond/channel-managers.ts";
import type { AnswerRetrier } from "./respond/retry-answer.ts";
import type { WebApiAccess } from "./transport/web-api.ts";

/** What answering people takes. Its `signal` aborts a little after `stopping`, so that people can be told. */
export interface SlackContext extends ButtonPayloadDependencies, WebApiAccess {
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
  readonly managers: ChannelManagers;
  readonly lastManagementRequests: LastManagementRequests;
  /** What is kept for people. */
  readonly homeData: HomeData;
  /** For answers. */
  readonly answerRetrier: AnswerRetrier;
  /** For a word about an answer that was given up. */
  readonly lostNoticeRetrier: AnswerRetrier;
  /** Aborted when the adapter stops: work ends, and nothing is waited for. */
  readonly stopping: AbortSignal;
}
