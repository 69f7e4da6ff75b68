import type { LRUCache } from "lru-cache";

import type { Bot } from "../../bot/bot.ts";
import type { Log } from "../../log.ts";
import type { PressStorage } from "../chat/press.ts";
import type { HomeData } from "../chat/home-data.ts";
import type { OpenAnswers } from "../chat/open-answers.ts";
import type { HomeViewers } from "./home/viewers.ts";
import type { ChannelManagers, UserGroups } from "./respond/channel-managers.ts";
import type { RequestContext } from "./respond/request-context.ts";
import type { SendAnswer } from "./respond/retry-answer.ts";
import type { WebApiAccess } from "./transport/web-api.ts";
import { ACKNOWLEDGE_TIMEOUT_MILLIS, CHANNEL_INTERVAL_MILLIS, TRIGGER_LIFETIME_MILLIS } from "./limits.ts";

/** Waits in milliseconds; tests shorten them. */
export const TIMING = {
  /** Moments of progress at a response_url, since the request: soon, and then only for long work. Each costs one use. */
  progressAtMillis: [1500, 12_000, 60_000] as readonly number[],
  /** Between two updates elsewhere, and after those moments; Slack allows about 50 edits a minute. */
  progressEveryMillis: 10_000,
  /** The time limit of suggestions. */
  suggestMillis: ACKNOWLEDGE_TIMEOUT_MILLIS - 1000,
  /** How long a form waits for its command, to name at its fields what that refuses. */
  formMillis: ACKNOWLEDGE_TIMEOUT_MILLIS - 1000,
  /** How long a form may take to open. */
  triggerMillis: TRIGGER_LIFETIME_MILLIS,
  /** The time limit of a look-up: a form must be acknowledged within three seconds. */
  lookupMillis: 1500,
  /** That of user groups. It comes after the look-up of the person: both together leave time to acknowledge. */
  groupsMillis: 600,
  /** Initial backoff of a socket; doubles up to a minute. */
  backoffMillis: 1000,
  /** The wait after an error that only a person can fix. */
  failedMillis: 600_000,
  /** How long a socket may take until Slack's hello. */
  greetMillis: 15_000,
  /** How often the processes are counted that share the sockets. */
  countMillis: 1000,
  /** Between two checks of the token while all is well, and while something is wrong. */
  checkMillis: 300_000,
  againMillis: 15_000,
  /** Between two messages in a channel; 5 ms more than Slack's, since timers may fire early, and messages overtake each other. */
  channelMillis: CHANNEL_INTERVAL_MILLIS + 5,
  /** Between two edits of one message: Slack takes about 50 a minute of a workspace (https://docs.slack.dev/reference/methods/chat.update). */
  editMillis: 3000,
  /** How often the state is read while somebody has looked at the home tab within the day. */
  homeCheckMillis: 2000,
  /** Between two times that one tab is renewed because the state has changed. */
  homeRenewMillis: 10_000,
  /** After this long without a byte moved, an upload fails. */
  stallMillis: 60_000,
};

export interface SlackTiming extends Readonly<typeof TIMING> {
  /** Timeout of a call to Slack; left out, each kind of call has its own. */
  readonly callMillis?: number;
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
  readonly managers: ChannelManagers;
  readonly userGroups: UserGroups;
  /**
   * By channel, the last request that changed its alerts. A slash command also works where the bot is no member, but the
   * bot cannot post there: whoever asked must be notified.
   */
  readonly lastManagementRequests: LRUCache<string, RequestContext>;
  readonly homeData: HomeData;
  readonly homes: HomeViewers;
  readonly openAnswers: OpenAnswers;
  readonly sendAnswer: SendAnswer;
  readonly sendLostNotice: SendAnswer;
  /** Aborted when the adapter stops: handlers end without waiting. */
  readonly stopping: AbortSignal;
}
