import inspector from "node:inspector/promises";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { DiscordSender } from "../../src/adapters/discord/send/send.ts";
import { closeRest, createRest } from "../../src/adapters/discord/transport/rest.ts";
import { parseAlertsConfig } from "../../src/alerts/alerts-config.ts";
import { createDispatcher } from "../../src/alerts/deliver/dispatch/dispatch.ts";
import { createAlertEngine } from "../../src/alerts/engine/engine.ts";
import { describe } from "../../src/alerts/words/words.ts";
import { createApiClient } from "../../src/api/client/client.ts";
import { systemClock } from "../../src/api/clock.ts";
import { silentLog } from "../../src/log.ts";
import { createStore } from "../../src/store/create-store.ts";
import { startSchedule } from "../../src/watchers/schedule.ts";
import { sourcesWatcher } from "../../src/watchers/sources/sources.ts";
import { loopbackNode } from "./loopback-node.ts";
import { PLATFORMS } from "./platforms.ts";

// A script: prints, as JSON, the modules below src of which a function ran from the watcher's start to the message on
// Discord about a network that stands still, and to its stored receipt. Declarations alone do not count.

const folder = await mkdtemp(path.join(os.tmpdir(), "bellwether-way-"));
const log = silentLog();
const clock = systemClock;
const network = "mainnet";

const timestamp = String(clock.wallClock() - 600_000_000_000n);
const node = await loopbackNode(({ path: asked }) => (asked.endsWith("/time") ? { body: { timestamp } } : undefined));
const posted = Promise.withResolvers<void>();
const discord = await loopbackNode(({ method }) => {
  if (method === "POST") posted.resolve();
  return { body: { id: "1", channel_id: "1000" } };
});

const store = createStore({ url: `file:${folder}/way.db`, log });
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
const engine = createAlertEngine({
  store,
  config,
  clock,
  log,
  simulated: new Set<string>(),
  onOwed: () => dispatcher.wake(),
});
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
// What the start of the dispatcher does is not part of the way.
await sleep(100);

const session = new inspector.Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
await session.post("Profiler.takePreciseCoverage");
const schedule = startSchedule({
  random: Math.random,
  clock: systemClock,
  networks: [{ api, watchers: [sourcesWatcher({ network, config, clock: systemClock })] }],
  load: () => Promise.resolve(undefined),
  subjects: () => [],
  sink: async (observation) => void (await engine.processObservation(observation)),
  log,
});
await posted.promise;
await receipt.promise;
const { result } = await session.post("Profiler.takePreciseCoverage");

const root = path.join(import.meta.dirname, "../../src");
const ran = result
  .filter(({ functions }) =>
    functions.some(({ functionName, ranges: [range] }) => functionName !== "" && (range?.count ?? 0) > 0),
  )
  .filter(({ url }) => url.startsWith("file:"))
  .map(({ url }) => path.relative(root, fileURLToPath(url)).replaceAll("\\", "/"))
  .filter((file) => !file.startsWith(".."));
console.log(JSON.stringify(ran.toSorted()));

await schedule.stop();
stop.abort();
await running;
await Promise.all([api.close(), store.close(), node.close(), discord.close()]);
closeRest(rest);
await rm(folder, { recursive: true });
