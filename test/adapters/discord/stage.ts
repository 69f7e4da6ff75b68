import { expect } from "vitest";

import { commands } from "../../../commands/index.ts";
import type { Payloads, SendingAdapter } from "../../../src/adapters/adapter.ts";
import type { DiscordTiming } from "../../../src/adapters/discord/context.ts";
import { createDiscordAdapter, type DiscordAdapterOptions } from "../../../src/adapters/discord/index.ts";
import { INTERACTIONS_PATH } from "../../../src/adapters/discord/transport/signature.ts";
import type { SharedToken } from "../../../src/alerts/sender.ts";
import type { AlertEngine } from "../../../src/alerts/engine/engine.ts";
import { createApiClient } from "../../../src/api/client/client.ts";
import { openAudienceSettings } from "../../../src/bot/audience-settings.ts";
import { createBot } from "../../../src/bot/bot.ts";
import type { AnyCommand } from "../../../src/bot/command.ts";
import type { Draw } from "../../../src/chart/png.ts";
import { type Log, silentLog } from "../../../src/log.ts";
import { type Simulator, startSimulator } from "../../../src/simulator/simulator.ts";
import { notesOf } from "../../../src/main/platforms/platforms.ts";
import { createStore } from "../../../src/store/create-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { alertsOn } from "../../support/alert-service.ts";
import { FakeDiscord } from "../../support/fake-discord/fake-discord.ts";
import { until } from "../../support/fake-discord/until.ts";
import { openAnswersOf } from "../../support/open-answers.ts";
import { scratchDatabase } from "../../support/scratch-database.ts";
import { exportJobsOn } from "../../support/export-jobs.ts";
import { echoBot, type Harness, startConsole } from "../web/harness.ts";
import { PLATFORMS } from "../../support/platforms.ts";

export interface StageOptions {
  /** Commands beside the real ones, for tests. */
  readonly extra?: readonly AnyCommand[];
  /** What draws pictures; left out, nothing does. */
  readonly draw?: Draw;
  readonly timing?: Partial<DiscordTiming>;
  readonly guildId?: string;
  /** The bot's token, right unless a test says otherwise. */
  readonly token?: string;
  readonly log?: Log;
  /** Wraps the store's payloads, to make them fail. */
  readonly payloads?: (own: Payloads) => Payloads;
  /** The close code that the gateway answers an Identify with. */
  readonly closeOnIdentify?: number;
  /** Whether replies say SIMULATED, as they do in truth. Default true. */
  readonly simulated?: boolean;
  /** Answers that take longer are remembered; left out: none is. Each start is a process of its own, and earlier ones are dead. */
  readonly rememberedAfter?: number;
  /** The keys of each start, in turn; left out, always the same. */
  readonly secretKeys?: readonly Uint8Array[];
  /** Starts the adapter and waits until it is connected and registered. Default true. */
  readonly connect?: boolean;
  /** Interactions over HTTP in place of the gateway. */
  readonly http?: boolean;
  /** The application's public key, right unless a test says otherwise. */
  readonly publicKey?: string;
  /** Where the operator says that this process is reached. */
  readonly publicUrl?: string;
  /** What this process shares with others; default: nothing. */
  readonly shared?: SharedToken;
  /** Alerts are delivered by the test: `alerts add` waits for its first message. */
  readonly delivers?: true;
}

/** End to end: a simulated network, the real bot and store, the adapter, and a fake Discord with users. */
export interface Stage {
  readonly fake: FakeDiscord;
  readonly simulator: Simulator;
  readonly adapter: SendingAdapter;
  readonly channel: string;
  /** The file of the store. */
  readonly database: string;
  readonly store: Store;
  /** The alert engine, to which a test may report observations. */
  readonly engine: AlertEngine;
  /** What serves the interactions over HTTP, after each start; empty over the gateway. */
  readonly consoles: readonly Harness[];
  /** Ends the adapter as a crash would and starts another on the same store. */
  restart(): Promise<void>;
  /** Starts another adapter beside it, as a second process with the same token would; with `shared`, of the same database. */
  twin(shared?: SharedToken): Promise<SendingAdapter>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function stage(options: StageOptions = {}): Promise<Stage> {
  const log = options.log ?? silentLog();
  const scratch = await scratchDatabase();
  const [fake, simulator] = await Promise.all([FakeDiscord.start(), startSimulator({ log })]);
  fake.gateway.closeOnIdentify = options.closeOnIdentify;
  const client = createApiClient({
    network: "mainnet",
    simulated: options.simulated ?? true,
    log,
    nodes: simulator.networks.mainnet.map((node) => ({ ...node, coreUrl: simulator.coreUrls.mainnet })),
  });
  const database = scratch.file;
  const store = createStore({ url: `file:${database}`, log });
  const { service, engine } = alertsOn(store, options.delivers === true ? { platforms: ["discord"] } : {});
  const create = async () =>
    createBot({
      platforms: PLATFORMS,
      commands: [...commands, ...(options.extra ?? [])],
      draw: options.draw,
      clients: [client],
      seen: store.seen,
      parties: store.parties,
      chosen: await openAudienceSettings(store.answers),
      alerts: service,
      exports: exportJobsOn(store, scratch.folder, { log }),
      log,
    });
  const consoles: Harness[] = [];
  const openAnswers = openAnswersOf({ ...options, platform: "discord", store, log, now: () => fake.state.now() });
  const start = async (shared = options.shared, more: Partial<DiscordAdapterOptions> = {}): Promise<SendingAdapter> => {
    const http = options.http === true ? { publicKey: options.publicKey ?? fake.endpoint.publicKey } : {};
    const adapter = createDiscordAdapter({
      ...http,
      publicUrl: options.publicUrl,
      shared,
      token: options.token ?? fake.state.token,
      guildId: options.guildId,
      apiUrl: fake.apiUrl,
      payloads: options.payloads?.(store.payloads) ?? store.payloads,
      openAnswers: openAnswers(),
      ...notesOf("discord", store, log),
      ...more,
      log,
      now: () => fake.state.now(),
      // Each answer is deferred, so that a test knows which request fails.
      timing: { deferAfterMillis: 0, progressEveryMillis: 20, backoffMillis: 20, ...options.timing },
    });
    // A restart finds the stored choices.
    await adapter.start(await create());
    if (options.http === true) {
      const served = await startConsole(echoBot(), { webhooks: adapter.webhooks ?? [], log });
      consoles.push(served);
      if (options.connect !== false) await fake.endpoint.save(served.url + INTERACTIONS_PATH);
    }
    if (options.connect !== false) {
      await until(() => adapter.health.state === "up" && fake.state.commands.size > 0, "the adapter");
    }
    return adapter;
  };
  let adapter = await start();
  const twins: SendingAdapter[] = [];
  return {
    fake,
    simulator,
    store,
    engine,
    consoles,
    get adapter() {
      return adapter;
    },
    channel: fake.channel(),
    database,
    async restart() {
      await adapter.stop();
      adapter = await start();
    },
    async twin(shared) {
      // One of a database of its own finds nothing that the other left.
      const alone = { legacy: { get: async () => undefined, put: async () => undefined } };
      const twin = await start(shared, shared === undefined ? alone : {});
      twins.push(twin);
      return twin;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([adapter, ...twins].map((one) => one.stop()));
      await Promise.all(consoles.map((one) => one[Symbol.asyncDispose]()));
      await client.close();
      await Promise.all([fake.stop(), simulator.close(), store.close()]);
      await scratch.remove();
      expect(fake.complaints()).toEqual([]);
    },
  };
}
