import type { LRUCache } from "lru-cache";

import type { Bot } from "../../bot/bot.ts";
import type { Log } from "../../log.ts";
import type { PressStorage } from "../chat/press.ts";
import type { HomeData } from "../chat/home-data.ts";
import type { OpenAnswers } from "../chat/open-answers.ts";
import type { ChannelManagers } from "./respond/channel-managers.ts";
import type { RequestContext } from "./respond/request-context.ts";
import type { UserGroups } from "./respond/user-groups.ts";
import type { AnswerRetrier } from "./respond/retry-answer.ts";
import type { WebApiAccess } from "./transport/web-api.ts";

/** Timing in milliseconds; shortened by tests. */
export interface SlackTiming {
  /** Moments of progress at a response_url, since the request; each costs one use. */
  readonly progressAtMillis?: readonly number[];
  /** The interval of progress updates elsewhere, and after those moments. */
  readonly progressEveryMillis?: number;
  /** Time limit of suggestions. */
  readonly suggestMillis?: number;
  readonly backoffMillis?: number;
  readonly failedMillis?: number;
  readonly greetMillis?: number;
  readonly countMillis?: number;
  readonly checkMillis?: number;
  readonly againMillis?: number;
  readonly channelMillis?: number;
  /** Timeout of a call to Slack; left out, each kind of call has its own. */
  readonly callMillis?: number;
  readonly lookupMillis?: number;
  /** After this long without a byte moved, an upload fails. */
  readonly stallMillis?: number;
  /** How long a form may take to open; left out, Slack's own limit. */
  readonly triggerMillis?: number;
  readonly editMillis?: number;
}

/** Dependencies of all request handlers. `signal` aborts a little after `stopping`, to allow last notices. */
export interface SlackContext extends PressStorage, WebApiAccess, SlackTiming {
  readonly bot: Bot;
  readonly log: Log;
  /** The root command, with its slash. */
  readonly command: string;
  /** The bot's name, as people type it behind an @. */
  botName(): string;
  /** The bot's user id, as it stands in mentions; undefined until Slack has named it. */
  botUser(): string | undefined;
  /**
   * The installation that is served, where there are many: requests made there belong to it, whoever makes them. Left
   * out, it is the workspace that the request names.
   */
  readonly workspace?: string;
  /** Unix milliseconds. */
  now(): number;
  readonly progressAtMillis: readonly number[];
  readonly progressEveryMillis: number;
  readonly suggestMillis: number;
  readonly managers: ChannelManagers;
  readonly userGroups: UserGroups;
  /**
   * By channel, the last request that changed its alerts. A slash command also works where the bot is no member, but the
   * bot cannot post there: whoever asked must be notified.
   */
  readonly lastManagementRequests: LRUCache<string, RequestContext>;
  readonly homeData: HomeData;
  readonly openAnswers: OpenAnswers;
  readonly answerRetrier: AnswerRetrier;
  readonly lostNoticeRetrier: AnswerRetrier;
  /** Aborted when the adapter stops: handlers end without waiting. */
  readonly stopping: AbortSignal;
}
