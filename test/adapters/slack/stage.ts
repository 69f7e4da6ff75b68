import { expect } from "vitest";

import { commands } from "../../../commands/index.ts";
import type { Payloads, SendingAdapter } from "../../../src/adapters/adapter.ts";
import type { HomeData } from "../../../src/adapters/chat/home-data.ts";
import type { SlackTiming } from "../../../src/adapters/slack/context.ts";
import { createSlackAdapter, type SlackAdapterOptions } from "../../../src/adapters/slack/index.ts";
import { slackManifest } from "../../../src/adapters/slack/manifest.ts";
import { EVENTS_PATH } from "../../../src/adapters/slack/transport/signature.ts";
import { OWN_TOKEN } from "../../../src/alerts/sender.ts";
import type { AlertService } from "../../../src/alerts/service/service.ts";
import type { Platforms } from "../../../src/alerts/destination.ts";
import { createApiClient } from "../../../src/api/client/client.ts";
import { openAudienceSettings } from "../../../src/bot/audience-settings.ts";
import { createBot } from "../../../src/bot/bot.ts";
import type { AnyCommand } from "../../../src/bot/command.ts";
import type { Draw } from "../../../src/chart/png.ts";
import { type Log, silentLog } from "../../../src/log.ts";
import { notesOf, openHome } from "../../../src/main/platforms/platforms.ts";
import { type Simulator, startSimulator } from "../../../src/simulator/simulator.ts";
import { createStore } from "../../../src/store/create-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { alertService } from "../../support/alert-service.ts";
import { until } from "../../support/fake-discord/until.ts";
import { FakeSlack } from "../../support/fake-slack/fake-slack.ts";
import { openAnswersOf } from "../../support/open-answers.ts";
import { scratchDatabase } from "../../support/scratch-database.ts";
import type { VirtualWaits } from "./virtual-waits.ts";
import { exportJobsOn } from "../../support/export-jobs.ts";
import { echoBot, type Harness, startConsole } from "../web/harness.ts";
import { PLATFORMS } from "../../support/platforms.ts";

export interface StageOptions {
  /** Beside the real ones: commands that fail, wait or carry what a test needs. */
  readonly extra?: readonly AnyCommand[];
  /** What draws pictures; left out, nothing does. */
  readonly draw?: Draw;
  readonly timing?: Partial<SlackTiming>;
  readonly botToken?: SlackAdapterOptions["botToken"];
  readonly appToken?: string;
  readonly log?: Log;
  readonly subscriptionsOf?: HomeData["subscriptionsOf"];
  readonly mayManage?: readonly string[];
  /** What the adapter is given for the store's buttons. */
  readonly payloads?: (own: Payloads) => Payloads;
  /** Waits between tries pass when the test says so. */
  readonly waits?: VirtualWaits;
  /** Whether what is owed is said to be delivered; a test then runs a dispatcher. */
  readonly delivers?: true;
  /** Answers that take longer are remembered; left out: none is. Each start is a process of its own, and earlier ones are dead. */
  readonly rememberedAfter?: number;
  /** The keys of each start, in turn; left out, always the same. */
  readonly secretKeys?: readonly Uint8Array[];
  /** Waits until the adapter is connected. Default true. */
  readonly connect?: boolean;
  /** The platforms as they are served; left out, each with one token. */
  readonly platforms?: Platforms;
  /** Requests over HTTP in place of Socket Mode. */
  readonly http?: boolean;
  /** How many processes share the app; a function, where that changes. Left out: one, which is given all requests. */
  readonly live?: () => number;
}

/** The whole way: a simulated network, the real bot and store, the adapter, and a Slack with people in it. */
export interface Stage {
  readonly fake: FakeSlack;
  readonly simulator: Simulator;
  readonly adapter: SendingAdapter;
  readonly channel: string;
  /** The file of the store. */
  readonly database: string;
  readonly store: Store;
  readonly alerts: AlertService;
  /** What serves the requests over HTTP, after each start; empty over Socket Mode. */
  readonly consoles: readonly Harness[];
  /** Ends the adapter and starts another on the same store. */
  restart(): Promise<void>;
  /** Starts another adapter beside it, as a second process would. */
  twin(): Promise<SendingAdapter>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function stage(options: StageOptions = {}): Promise<Stage> {
  const log = options.log ?? silentLog();
  const scratch = await scratchDatabase();
  const [fake, simulator] = await Promise.all([FakeSlack.start(), startSimulator({ log })]);
  const clients = (["mainnet", "testnet"] as const).map((network) =>
    createApiClient({
      network,
      simulated: true,
      log,
      nodes: simulator.networks[network].map((node) => ({ ...node, coreUrl: simulator.coreUrls[network] })),
    }),
  );
  options.waits?.attach(fake);
  const database = scratch.file;
  const store = createStore({ url: `file:${database}`, log });
  const alerts = alertService(store, options.delivers === true ? { platforms: ["slack"] } : {});
  const { platforms = PLATFORMS } = options;
  const create = async () =>
    createBot({
      platforms,
      commands: [...commands, ...(options.extra ?? [])],
      draw: options.draw,
      clients,
      seen: store.seen,
      parties: store.parties,
      chosen: await openAudienceSettings(store.answers),
      alerts,
      exports: exportJobsOn(store, scratch.folder, { log }),
      log,
    });
  const { live } = options;
  const sharing: Partial<SlackAdapterOptions> =
    live === undefined
      ? {}
      : {
          shared: {
            ...OWN_TOKEN,
            get live() {
              return live();
            },
          },
        };
  const consoles: Harness[] = [];
  const openAnswers = openAnswersOf({ ...options, platform: "slack", store, log, now: () => fake.state.now() });
  const start = async (): Promise<SendingAdapter> => {
    const adapter = createSlackAdapter({
      botToken: options.botToken ?? fake.state.botToken,
      source:
        options.http === true
          ? { signingSecret: fake.state.signingSecret }
          : { appToken: options.appToken ?? fake.state.appToken },
      command: "/bell",
      apiUrl: fake.apiUrl,
      payloads: options.payloads?.(store.payloads) ?? store.payloads,
      openAnswers: openAnswers(),
      ...sharing,
      isFirst: notesOf("slack", store, log).isFirst,
      home: {
        ...openHome({ platform: "slack", platforms, alerts, parties: store.parties, simulated: false }),
        ...(options.subscriptionsOf === undefined ? {} : { subscriptionsOf: options.subscriptionsOf }),
      },
      mayManage: options.mayManage,
      sleep: options.waits?.sleep,
      log,
      now: () => fake.state.now(),
      timing: {
        backoffMillis: 20,
        countMillis: 20,
        channelMillis: 5,
        againMillis: 20,
        checkMillis: 20,
        ...options.timing,
      },
    });
    // What a restart finds is what was kept.
    await adapter.start(await create());
    if (options.http === true) {
      const served = await startConsole(echoBot(), { webhooks: adapter.webhooks ?? [], log });
      consoles.push(served);
      fake.state.manifest = slackManifest(commands, "/bell", { endpoint: served.url + EVENTS_PATH });
      await fake.endpoint.verify();
      if (options.connect !== false) await until(() => adapter.health.state === "up", "the adapter");
    } else if (options.connect !== false) await until(() => fake.sockets.listening >= 2, "the sockets");
    return adapter;
  };
  let adapter = await start();
  const twins: SendingAdapter[] = [];
  return {
    fake,
    simulator,
    get adapter() {
      return adapter;
    },
    channel: fake.channel(),
    database,
    store,
    alerts,
    consoles,
    async restart() {
      await adapter.stop();
      await until(() => fake.sockets.listening === 0, "the old sockets to close");
      adapter = await start();
    },
    async twin() {
      const twin = await start();
      twins.push(twin);
      return twin;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([adapter, ...twins].map((one) => one.stop()));
      await Promise.all(consoles.map((one) => one[Symbol.asyncDispose]()));
      await Promise.all(clients.map((client) => client.close()));
      await Promise.all([fake.stop(), simulator.close(), store.close()]);
      await scratch.remove();
      expect(fake.complaints()).toEqual([]);
    },
  };
}
