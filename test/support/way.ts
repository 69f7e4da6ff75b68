import inspector from "node:inspector/promises";
import path from "node:path";
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { commands } from "../../commands/index.ts";
import { OpenAnswers } from "../../src/adapters/chat/open-answers.ts";
import { createDiscordAdapter } from "../../src/adapters/discord/index.ts";
import { DiscordSender } from "../../src/adapters/discord/send/send.ts";
import { closeRest, createRest } from "../../src/adapters/discord/transport/rest.ts";
import { runAsk } from "../../src/adapters/terminal/index.ts";
import { localRunner } from "../../src/adapters/terminal/line-runner.ts";
import { parseAlertsConfig } from "../../src/alerts/alerts-config.ts";
import { createDispatcher } from "../../src/alerts/deliver/dispatch/dispatch.ts";
import { createAlertEngine } from "../../src/alerts/engine/engine.ts";
import { describe } from "../../src/alerts/words/words.ts";
import { createApiClient } from "../../src/api/client/client.ts";
import { systemClock } from "../../src/api/clock.ts";
import { openAudienceSettings } from "../../src/bot/audience-settings.ts";
import { type Bot, createBot } from "../../src/bot/bot.ts";
import { silentLog } from "../../src/log.ts";
import { notesOf } from "../../src/main/platforms/platforms.ts";
import { createStore } from "../../src/store/create-store.ts";
import { startSchedule } from "../../src/watchers/schedule.ts";
import { sourcesWatcher } from "../../src/watchers/sources/sources.ts";
import { alertService } from "./alert-service.ts";
import { exportJobsOn } from "./export-jobs.ts";
import { FakeDiscord } from "./fake-discord/fake-discord.ts";
import { until } from "./fake-discord/until.ts";
import { loopbackNode } from "./loopback-node.ts";
import { cases } from "./node-bodies.ts";
import { PLATFORMS } from "./platforms.ts";
import { scratchDatabase } from "./scratch-database.ts";

// A script: prints, as JSON, the modules of the program of which a function ran on one way. Declarations alone do not
// count, nor does what has started before.
//
// - `alert`: from the watcher's start to the message on Discord about a network that stands still, and to its stored
//   receipt.
// - `discord`: from the arrival of `/market show` on Discord, over the gateway, to its answer.
// - `terminal`: from the arguments of `ask "market show …"` to the last written line.

const log = silentLog();
const clock = systemClock;
const network = "mainnet";
const scratch = await scratchDatabase();
const store = createStore({ url: `file:${scratch.file}`, log });

/** Runs what is on the way, all else being started. */
type Follow = (run: () => Promise<void>) => Promise<void>;

async function alert(follow: Follow): Promise<void> {
  const timestamp = String(clock.wallClock() - 600_000_000_000n);
  await using node = await loopbackNode(({ path: asked }) =>
    asked.endsWith("/time") ? { body: { timestamp } } : undefined,
  );
  const posted = Promise.withResolvers<void>();
  await using discord = await loopbackNode(({ method }) => {
    if (method === "POST") posted.resolve();
    return { body: { id: "1", channel_id: "1000" } };
  });
  const rest = createRest({ token: "way", apiUrl: `${discord.url}/api` });
  const payloads = { put: () => Promise.resolve("key"), get: () => Promise.resolve(undefined) };
  const stop = new AbortController();
  const receipt = Promise.withResolvers<void>();
  const config = parseAlertsConfig('{"stalled":{"for":"1ms"},"poll":{"time":"100ms"}}');
  const dispatcher = createDispatcher({
    random: Math.random,
    store,
    clock,
    log,
    senders: [new DiscordSender(rest, { payloads, log, ttlMillis: 1000 })],
    describe: (message, context) => describe(message, context, PLATFORMS),
    onOutcome: () => receipt.resolve(),
  });
  const simulated = new Set<string>();
  const engine = createAlertEngine({ store, config, clock, log, simulated, onOwed: () => dispatcher.wake() });
  const running = dispatcher.run(stop.signal);
  await engine.putSubscriptions(
    [
      {
        id: "s1",
        destination: { platform: "discord", channel: "1000" },
        network,
        kinds: ["network.stalled"],
        subjects: [],
        parameters: {},
        floor: "info",
        style: "live",
        events: "usual",
        state: "active",
        created: 0,
        by: { id: "u1", name: "one" },
      },
    ],
    "one",
  );
  const api = createApiClient({ network, simulated: false, nodes: [{ url: node.url }], log });
  await sleep(100);
  let schedule: ReturnType<typeof startSchedule> | undefined;
  await follow(async () => {
    schedule = startSchedule({
      random: Math.random,
      clock,
      api,
      watchers: [sourcesWatcher({ network, config, clock })],
      load: () => Promise.resolve(undefined),
      subjects: () => [],
      sink: async (observation) => void (await engine.processObservation(observation)),
      log,
    });
    await posted.promise;
    await receipt.promise;
  });
  await schedule?.stop();
  stop.abort();
  await running;
  await api.close();
  closeRest(rest);
}

/** The bot with a node that knows one market, X. */
async function withBot(use: (bot: Bot) => Promise<void>): Promise<void> {
  const bodies = new Map(cases.map(({ path: asked, body }) => [asked, body]));
  const now = String(clock.wallClock());
  const headers = { "x-block-height": "5", "x-block-timestamp": now };
  await using node = await loopbackNode(({ path: asked }) => {
    const body = asked.endsWith("/time") ? { timestamp: now } : bodies.get(asked);
    return body === undefined ? undefined : { body, headers };
  });
  const api = createApiClient({ network, simulated: false, nodes: [{ url: node.url }], log });
  const exports = exportJobsOn(store, scratch.folder, { log });
  const { seen, parties } = store;
  const chosen = await openAudienceSettings(store.answers);
  await use(
    createBot({
      platforms: PLATFORMS,
      commands,
      clients: [api],
      seen,
      parties,
      alerts: alertService(store),
      chosen,
      exports,
      log,
    }),
  );
  await api.close();
}

async function discord(follow: Follow): Promise<void> {
  await withBot(async (bot) => {
    const fake = await FakeDiscord.start();
    const { token } = fake.state;
    // The longer one of two ways: the answer is deferred.
    const timing = { deferAfterMillis: 0 };
    const { payloads } = store;
    const own = { payloads, openAnswers: new OpenAnswers(), ...notesOf("discord", store, log) };
    const adapter = createDiscordAdapter({ token, apiUrl: fake.apiUrl, ...own, log, timing });
    await adapter.start(bot);
    await until(() => adapter.health.state === "up" && fake.state.commands.size > 0, "the adapter");
    await sleep(100);
    const [mia, channel] = [fake.person("Mia"), fake.channel()];
    await follow(async () => void (await mia.run(channel, "market show", { market: "X" })));
    await adapter.stop();
    await fake.stop();
  });
}

async function terminal(follow: Follow): Promise<void> {
  await withBot(async (bot) => {
    const screen = { stream: new PassThrough().resume(), isTty: false, columns: () => undefined };
    await follow(async () => {
      const code = await runAsk({
        argv: ["market show X"],
        terminal: {
          input: new PassThrough(),
          inputIsTty: false,
          out: screen,
          err: screen,
          preferences: {},
          onInterrupt: () => () => undefined,
        },
        open: () => Promise.resolve(localRunner(bot)),
        historyFile: undefined,
        version: () => "",
        log,
        now: () => clock.wallClock(),
      });
      if (code !== 0) throw new Error(`it ended with ${code}`);
    });
  });
}

const WAYS: Readonly<Record<string, (follow: Follow) => Promise<void>>> = { alert, discord, terminal };
const way = WAYS[process.argv[2] ?? ""];
if (way === undefined) throw new Error(`one of: ${Object.keys(WAYS).join(", ")}`);
const root = path.join(import.meta.dirname, "../..");
const session = new inspector.Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
await way(async (run) => {
  await session.post("Profiler.takePreciseCoverage");
  await run();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const ran = result
    .filter(({ functions }) =>
      functions.some(({ functionName, ranges: [range] }) => functionName !== "" && (range?.count ?? 0) > 0),
    )
    .filter(({ url }) => url.startsWith("file:"))
    .map(({ url }) => path.relative(root, fileURLToPath(url)).replaceAll("\\", "/"))
    .filter((file) => /^(?:src|commands)\//u.test(file));
  console.log(JSON.stringify(ran.toSorted()));
});
await store.close();
await scratch.remove();
