import type { Bot } from "../../bot/bot.ts";
import type { Log } from "../../log.ts";
import type { PressStorage } from "../chat/press.ts";
import type { HomeData } from "../chat/home-data.ts";
import type { ChannelManagers, LastManagementRequests } from "./respond/channel-managers.ts";
import type { AnswerRetrier } from "./respond/retry-answer.ts";
import type { WebApiAccess } from "./transport/web-api.ts";

/** Dependencies of all request handlers. `signal` aborts a little after `stopping`, to allow last notices. */
export interface SlackContext extends PressStorage, WebApiAccess {
  readonly bot: Bot;
  readonly log: Log;
  /** The root command, with its slash. */
  readonly command: string;
  /** The bot's name, as people type it behind an @. */
  botName(): string;
  /** The bot's user id, as it stands in mentions; undefined until Slack has named it. */
  botUser(): string | undefined;
  /**
   * The installation that is served, where there are many: the place of whatever is asked there, whoever asks. Left out,
   * it is the workspace that the request names.
   */
  readonly workspace?: string;
  /** Unix milliseconds. */
  now(): number;
  /** Moments of progress at a response_url, in milliseconds since the request; each costs one use. */
  readonly progressAtMillis: readonly number[];
  /** The interval of progress updates elsewhere, and after those moments. */
  readonly progressEveryMillis: number;
  /** Time limit of suggestions. */
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
  readonly answerRetrier: AnswerRetrier;
  readonly lostNoticeRetrier: AnswerRetrier;
  /** Aborted when the adapter stops: handlers end without waiting. */
  readonly stopping: AbortSignal;
}
