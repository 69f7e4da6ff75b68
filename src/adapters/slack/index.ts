// The Slack adapter: starts and stops its connection, its sender and its handlers.
// Next: served.ts (the clients of each installation), transport/transport.ts (Socket Mode, or HTTP), respond/respond.ts (answers to requests), send/send.ts (alerts),
// render/render.ts (a reply as a message), home/home.ts (the home tab). limits.ts holds every limit of Slack's.

import { setTimeout as sleep } from "node:timers/promises";

import { type Delivery, type Receipt, SendError, type SharedToken } from "../../alerts/sender.ts";
import type { Bot } from "../../bot/bot.ts";
import { BotStopping } from "../../errors.ts";
import type { Log } from "../../log.ts";
import type { Reply } from "../../reply/reply.ts";
import type { AdapterHealth, Payloads, SendingAdapter } from "../adapter.ts";
import { BUTTON_LIFETIME_MILLIS } from "../chat/press.ts";
import type { Webhook } from "../webhook.ts";
import type { HomeData } from "../chat/home-data.ts";
import { ACKNOWLEDGE_TIMEOUT_MILLIS } from "./limits.ts";
import { createBoltApp } from "./respond/bolt-app.ts";
import { notifyNotInChannel } from "./respond/respond.ts";
import { ANSWER_RETRY_POLICY, AnswerRetrier, LOST_NOTICE_RETRY_POLICY } from "./respond/retry-answer.ts";
import type { SlackSender } from "./send/send.ts";
import { ServedInstallations, type SharedContext } from "./served-installations.ts";
import { SlackEndpoint } from "./transport/endpoint.ts";
import type { Installations } from "./transport/installations.ts";
import { EVENTS_PATH } from "./transport/signature.ts";
import type { IsFirst } from "./transport/intake.ts";
import { Connection } from "./transport/transport.ts";
import type { Sleep } from "./transport/web-api.ts";

export interface SlackAdapterOptions {
  /** `xoxb-…` of one workspace, or the installations in many. */
  readonly botToken: string | Installations;
  /** How requests come: over Socket Mode with an app token (`xapp-…`, connections:write), or signed over HTTP. */
  readonly source: { readonly appToken: string } | { readonly signingSecret: string };
  /** The root command: `/bell`. */
  readonly command: string;
  /** Redirects all of Slack's Web API, for tests: ends in `/api/`. */
  readonly apiUrl?: string | undefined;
  readonly payloads: Payloads;
  /** Left out: this process has the token to itself. */
  readonly shared?: SharedToken | undefined;
  /** Which of the processes that share the app meets a request first; left out: this one is given all of them. */
  readonly isFirst?: IsFirst | undefined;
  readonly log: Log;
  /** Unix milliseconds; the wall clock unless a test says otherwise. */
  readonly now?: (() => number) | undefined;
  /** The parties that a person has saved, for the home tab. */
  readonly savedParties?: HomeData["savedParties"] | undefined;
  /** How the networks stand and what is open, for the home tab. */
  readonly standing?: HomeData["standing"] | undefined;
  /** A person's subscriptions, for the home tab; left out where nobody can subscribe. */
  readonly subscriptionsOf?: HomeData["subscriptionsOf"] | undefined;
  /** The ids of the only people who may change a channel's alerts. Left out or empty, every full member may. */
  readonly mayManage?: readonly string[] | undefined;
  readonly timing?: SlackTiming | undefined;
  /** Replaces sleeping in tests with virtual time. */
  readonly sleep?: Sleep | undefined;
}

/** Timing in milliseconds; shortened by tests. */
export interface SlackTiming {
  readonly progressAtMillis?: readonly number[];
  readonly suggestMillis?: number;
  readonly backoffMillis?: number;
  readonly failedMillis?: number;
  readonly greetMillis?: number;
  readonly countMillis?: number;
  readonly checkMillis?: number;
  readonly againMillis?: number;
  readonly channelMillis?: number;
  readonly callMillis?: number;
  readonly lookupMillis?: number;
  readonly progressEveryMillis?: number;
  readonly stallMillis?: number;
  readonly triggerMillis?: number;
  readonly editMillis?: number;
}

const STOP_MILLIS = 3000;
/** Part of that, for notifying people whose answer is lost. */
const STOPPING_NOTICE_MILLIS = 2000;
/** The interval of progress updates; Slack allows about 50 edits a minute. */
const PROGRESS_EVERY_MILLIS = 10_000;
/** Three uses of a response_url: soon, and then only for long work. */
const PROGRESS_AT_MILLIS = [1500, 12_000, 60_000];

/** The Slack adapter. A failure of Slack never reaches the rest of the process. */
export function createSlackAdapter(options: SlackAdapterOptions): SendingAdapter {
  return new SlackAdapter(options);
}

class SlackAdapter implements SendingAdapter {
  readonly platform = "slack";
  readonly webhooks: readonly Webhook[];
  readonly #options: SlackAdapterOptions;
  readonly #stopping = new AbortController();
  /** Aborted when nothing more can be sent. */
  readonly #closed = new AbortController();
  readonly #served: ServedInstallations;
  readonly #connection: Connection | SlackEndpoint;
  readonly #sleep: Sleep;
  readonly #working = new Set<Promise<void>>();

  constructor(options: SlackAdapterOptions) {
    this.#options = options;
    this.#sleep = options.sleep ?? ((millis, signal) => sleep(millis, undefined, { signal, ref: false }));
    const { apiUrl, log, now = Date.now, source, timing = {} } = options;
    this.#served = new ServedInstallations({
      ...options,
      ttlMillis: BUTTON_LIFETIME_MILLIS,
      sleep: this.#sleep,
      timing,
      onNotInChannel: (slack, channel) => this.#track(notifyNotInChannel(slack, channel)),
    });
    if ("appToken" in source) {
      const { isFirst, shared } = options;
      const processes = shared === undefined ? undefined : () => shared.live;
      this.#connection = new Connection({ appToken: source.appToken, apiUrl, log, isFirst, processes, ...timing });
      this.webhooks = [];
    } else {
      const { signingSecret } = source;
      const { identity } = this.#served;
      const endpoint = new SlackEndpoint({
        signingSecret,
        ...(identity === undefined ? {} : { identity }),
        log,
        isFirst: options.isFirst,
        now: () => now(),
      });
      this.#connection = endpoint;
      this.webhooks = [{ path: EVENTS_PATH, handle: (request) => endpoint.handle(request) }];
    }
  }

  get health(): AdapterHealth {
    const bot = this.#served.identity?.health;
    return bot?.state === "failed" ? bot : this.#connection.health;
  }

  async start(bot: Bot): Promise<void> {
    const { log, now = Date.now, payloads, savedParties, standing, subscriptionsOf, timing = {} } = this.#options;
    const sleep = this.#sleep;
    const slack: SharedContext = {
      bot,
      payloads,
      log,
      command: this.#options.command,
      ttlMillis: BUTTON_LIFETIME_MILLIS,
      now,
      sleep,
      answerRetrier: new AnswerRetrier({
        log,
        now,
        sleep,
        stopping: this.#stopping.signal,
        policy: ANSWER_RETRY_POLICY,
      }),
      lostNoticeRetrier: new AnswerRetrier({
        log,
        now,
        sleep,
        stopping: this.#stopping.signal,
        policy: LOST_NOTICE_RETRY_POLICY,
      }),
      progressAtMillis: timing.progressAtMillis ?? PROGRESS_AT_MILLIS,
      progressEveryMillis: timing.progressEveryMillis ?? PROGRESS_EVERY_MILLIS,
      callMillis: timing.callMillis,
      stallMillis: timing.stallMillis,
      triggerMillis: timing.triggerMillis,
      suggestMillis: timing.suggestMillis ?? ACKNOWLEDGE_TIMEOUT_MILLIS - 1000,
      homeData: {
        savedParties: (person) => savedParties?.(person) ?? Promise.resolve([]),
        ...(standing === undefined ? {} : { standing }),
        ...(subscriptionsOf === undefined ? {} : { subscriptionsOf }),
      },
      signal: this.#closed.signal,
      stopping: this.#stopping.signal,
    };
    createBoltApp({
      receiver: this.#connection,
      apiUrl: this.#options.apiUrl,
      served: this.#served,
      slack,
      track: (work) => this.#track(work),
    });
    this.#served.start(slack);
    await this.#connection.start();
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new BotStopping());
    const noticeDeadline = setTimeout(() => this.#closed.abort(this.#stopping.signal.reason), STOPPING_NOTICE_MILLIS);
    const work = Promise.allSettled([...this.#working, this.#connection.stop(), this.#served.stop()]);
    await Promise.race([work, sleep(STOP_MILLIS, undefined, { ref: false })]);
    clearTimeout(noticeDeadline);
    this.#closed.abort(this.#stopping.signal.reason);
  }

  send(delivery: Delivery, reply: Reply, signal: AbortSignal): Promise<Receipt> {
    return this.#withSender(delivery.destination.workspace, (sender) =>
      sender.send(delivery, reply, AbortSignal.any([signal, this.#stopping.signal])),
    );
  }

  update(receipt: Receipt, reply: Reply, signal: AbortSignal, plain?: true): Promise<void> {
    return this.#withSender(receipt.workspace, (sender) =>
      sender.update(receipt, reply, AbortSignal.any([signal, this.#stopping.signal]), plain),
    );
  }

  async checkToken(signal: AbortSignal, workspace?: string): Promise<void> {
    // Of many tokens, those are asked about that were refused.
    if (workspace === undefined && this.#served.installations.many) return;
    const sender = await this.#served.senderFor(workspace);
    await sender.checkToken(AbortSignal.any([signal, this.#stopping.signal]));
  }

  async #withSender<T>(workspace: string | undefined, work: (sender: SlackSender) => Promise<T>): Promise<T> {
    const sender = await this.#served.senderFor(workspace);
    try {
      return await work(sender);
    } catch (error) {
      // A refusal without a workspace holds back the whole platform, and this token is of one workspace among many.
      const isOfOne = workspace === undefined && this.#served.installations.many;
      if (!isOfOne || !(error instanceof SendError) || error.kind !== "refused") throw error;
      throw new SendError("gone", error.message, { cause: error });
    }
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#working.delete(tracked));
    this.#working.add(tracked);
  }
}
