import type { Bot } from "../../bot/bot.ts";
import type { Log } from "../../log.ts";
import type { ButtonPayloadDependencies } from "../button-payloads.ts";
import type { HomeData } from "./home/home-data.ts";
import type { ChannelManagers, LastManagementRequests } from "./respond/channel-managers.ts";
import type { AnswerRetrier } from "./respond/retry-answer.ts";
import type { WebApiAccess } from "./transport/web-api.ts";

/** What every handler of a request shares. Its `signal` aborts a little after `stopping`, so that people can still be told. */
export interface SlackContext extends ButtonPayloadDependencies, WebApiAccess {
  readonly bot: Bot;
  readonly log: Log;
  /** The root command, with its slash. */
  readonly command: string;
  /** The bot's name, as people type it behind an @. */
  botName(): string;
  /** Unix milliseconds. */
  now(): number;
  /** When progress is shown at a response_url, in milliseconds from the request on: each time costs one of its uses. */
  readonly progressAtMillis: readonly number[];
  /** Between two progress updates elsewhere, and after those moments. */
  readonly progressEveryMillis: number;
  /** After this long, completion answers without suggestions. */
  readonly suggestMillis: number;
  /** Timeout of a call to Slack; left out, each kind of call has its own. */
  readonly callMillis?: number | undefined;
  /** How long a form may take to open; left out, Slack's own limit. */
  readonly triggerMillis?: number | undefined;
  /** After this long without a byte moved, an upload fails. */
  readonly stallMillis?: number | undefined;
  readonly managers: ChannelManagers;
  readonly lastManagementRequests: LastManagementRequests;
  /** Saved parties and subscriptions, for the home tab. */
  readonly homeData: HomeData;
  /** Retries answers that Slack does not take. */
  readonly answerRetrier: AnswerRetrier;
  /** Retries the notice about an answer that was lost. */
  readonly lostNoticeRetrier: AnswerRetrier;
  /** Aborted when the adapter stops: work ends without waiting for anything. */
  readonly stopping: AbortSignal;
}
