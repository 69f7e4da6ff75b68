// The Slack adapter: starts and stops its connection, its sender and its handlers.
// Next: served-installations.ts (the clients of each installation), transport/transport.ts (Socket Mode, or HTTP), respond/respond.ts (answers to requests), send/send.ts (alerts),
// render/render.ts (a reply as a message), home/home.ts (the home tab). limits.ts holds every limit of Slack's.

import { setTimeout as wait } from "node:timers/promises";

import { OWN_TOKEN, SendError, type SharedToken } from "../../alerts/sender.ts";
import { BotStopping } from "../../errors.ts";
import type { Milliseconds } from "../../units/time.ts";
import type { SendingAdapter } from "../adapter.ts";
import { BUTTON_LIFETIME_MILLIS } from "../chat/press.ts";
import type { PlatformDependencies } from "../chat/chat.ts";
import { type SlackTiming, TIMING } from "./context.ts";
import { renewHome } from "./home/home.ts";
import { HomeViewers } from "./home/viewers.ts";
import { createBoltApp } from "./respond/bolt-app.ts";
import { closeLeft } from "./respond/left-answers.ts";
import { notifyNotInChannel } from "./respond/respond.ts";
import { ANSWER_RETRY_POLICY, answerRetrier, LOST_NOTICE_RETRY_POLICY } from "./respond/retry-answer.ts";
import type { SlackSender } from "./send/send.ts";
import { ServedInstallations, type SharedContext } from "./served-installations.ts";
import { slackEndpoint } from "./transport/endpoint.ts";
import type { Installations } from "./transport/installations.ts";
import { EVENTS_PATH } from "./transport/signature.ts";
import { Connection } from "./transport/transport.ts";
import type { Sleep } from "./transport/web-api.ts";

export interface SlackAdapterOptions extends Omit<PlatformDependencies, "shared" | "installations" | "legacy"> {
  /** `xoxb-…` of one workspace, or the installations in many. */
  readonly botToken: string | Installations;
  /** How requests come: over Socket Mode with an app token (`xapp-…`, connections:write), or signed over HTTP. */
  readonly source: { readonly appToken: string } | { readonly signingSecret: string };
  /** The root command: `/bell`. */
  readonly command: string;
  /** Redirects all of Slack's Web API, for tests: ends in `/api/`. */
  readonly apiUrl?: string | undefined;
  /** Left out: this process has the token to itself. */
  readonly shared?: SharedToken | undefined;
  /** Unix milliseconds; the wall clock unless a test says otherwise. */
  readonly now?: (() => number) | undefined;
  /** The ids of the only people who may change a channel's alerts. Left out or empty, every full member may. */
  readonly mayManage?: readonly string[] | undefined;
  readonly timing?: Partial<SlackTiming> | undefined;
  /** Replaces sleeping in tests with virtual time. */
  readonly sleep?: Sleep | undefined;
}

/** Slack repeats a request for five minutes: https://docs.slack.dev/apis/events-api#retries. */
const REPEATED_FOR: Milliseconds = 600_000;
const STOP_MILLIS = 3000;
/** Part of that, for notifying people whose answer is lost. */
const STOPPING_NOTICE_MILLIS = 2000;
/** The Slack adapter. A failure of Slack never reaches the rest of the process. */
export function createSlackAdapter(options: SlackAdapterOptions): SendingAdapter {
  const { apiUrl, log, now = Date.now, shared = OWN_TOKEN, source } = options;
  const isFirst = (request: string): Promise<boolean> => options.isFirst(request, REPEATED_FOR);
  const timing = { ...TIMING, ...options.timing };
  const stopping = new AbortController();
  /** Aborted when nothing more can be sent. */
  const closed = new AbortController();
  const working = new Set<Promise<void>>();
  const track = (work: Promise<void>): void => {
    const tracked = work.finally(() => working.delete(tracked));
    working.add(tracked);
  };
  const sleep: Sleep = options.sleep ?? ((millis, signal) => wait(millis, undefined, { signal, ref: false }));
  const served = new ServedInstallations({
    ...options,
    now,
    shared,
    ttlMillis: BUTTON_LIFETIME_MILLIS,
    sleep,
    timing,
    onNotInChannel: (slack, channel) => track(notifyNotInChannel(slack, channel)),
  });
  const { identity, installations } = served;
  const connection =
    "appToken" in source
      ? new Connection({ ...source, apiUrl, log, isFirst, processes: () => shared.live, timing })
      : slackEndpoint({ ...source, identity, log, isFirst, now });
  const withSender = async <T>(
    workspace: string | undefined,
    signal: AbortSignal,
    work: (sender: SlackSender, signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const sender = await served.senderFor(workspace);
    try {
      return await work(sender, AbortSignal.any([signal, stopping.signal]));
    } catch (error) {
      // A refusal without a workspace holds back the whole platform, and this token is of one workspace among many.
      const isOfOne = workspace === undefined && installations.many;
      if (!isOfOne || !(error instanceof SendError) || error.kind !== "refused") throw error;
      throw new SendError("gone", error.message, { cause: error });
    }
  };
  return {
    platform: "slack",
    webhooks: "handle" in connection ? [{ path: EVENTS_PATH, handle: (request) => connection.handle(request) }] : [],
    get health() {
      const bot = identity?.health;
      return bot?.state === "failed" ? bot : connection.health;
    },
    async start(bot) {
      const homes = new HomeViewers({
        state: () => options.home.state(bot.networks),
        renew: async (person) => {
          const { workspace } = person;
          const found = await served.contextFor([{ team: workspace, enterprise: workspace }]);
          if (found === undefined) throw new SendError("gone", "the app is not installed there");
          await renewHome(found, person);
        },
        isFirst: async (tab, millis) => shared.live < 2 || options.isFirst(`home ${tab}`, millis),
        timing,
        now,
        sleep,
        stopping: stopping.signal,
        track,
        log,
      });
      const slack = sharedContext(options, {
        ...timing,
        bot,
        homes,
        sleep,
        now,
        stopping: stopping.signal,
        signal: closed.signal,
      });
      createBoltApp({ receiver: connection, apiUrl, served, slack, track });
      served.start(slack);
      track(options.openAnswers.closeLeft((left) => closeLeft(served, left), stopping.signal));
      await connection.start();
    },
    async stop() {
      stopping.abort(new BotStopping());
      const noticeDeadline = setTimeout(() => closed.abort(stopping.signal.reason), STOPPING_NOTICE_MILLIS);
      const work = Promise.allSettled([...working, connection.stop(), served.stop()]);
      await Promise.race([work, wait(STOP_MILLIS, undefined, { ref: false })]);
      clearTimeout(noticeDeadline);
      closed.abort(stopping.signal.reason);
    },
    send: (delivery, reply, signal) =>
      withSender(delivery.destination.workspace, signal, (sender, ending) => sender.send(delivery, reply, ending)),
    update: (receipt, reply, signal, edit) =>
      withSender(receipt.workspace, signal, (sender, ending) => sender.update(receipt, reply, ending, edit)),
    link: (receipt, signal) =>
      withSender(receipt.workspace, signal, (sender, ending) => sender.link(receipt, ending)).catch(() => undefined),
    async checkToken(signal, workspace) {
      // Of many tokens, those are asked about that were refused.
      if (workspace === undefined && installations.many) return;
      await withSender(workspace, signal, (sender, ending) => sender.checkToken(ending));
    },
  };
}

function sharedContext(
  { command, home, log, openAnswers, payloads }: SlackAdapterOptions,
  running: SlackTiming & Pick<SharedContext, "bot" | "homes" | "now" | "sleep" | "stopping" | "signal">,
): SharedContext {
  return {
    ...running,
    payloads,
    log,
    command,
    ttlMillis: BUTTON_LIFETIME_MILLIS,
    sendAnswer: answerRetrier({ ...running, log, policy: ANSWER_RETRY_POLICY }),
    sendLostNotice: answerRetrier({ ...running, log, policy: LOST_NOTICE_RETRY_POLICY }),
    homeData: home,
    openAnswers,
  };
}
