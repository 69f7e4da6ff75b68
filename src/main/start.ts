import { readFileSync } from "node:fs";

import type { Adapter } from "../adapters/adapter.ts";
import type { WebAdapter } from "../adapters/web/index.ts";
import { loadConfig, type Config } from "../config.ts";
import { UserError } from "../errors.ts";
import { createLog, type Log } from "../log.ts";
import { createStore, type EmbeddedStore } from "../store/create-store.ts";
import { writeHolderRecord } from "../store/holder-record.ts";
import { fromMillis } from "../units/nanoseconds.ts";
import { readingDesk } from "./alert-desk.ts";
import { botOf } from "./bot-of.ts";
import { logDestination } from "./log-destination.ts";
import { createMeasurements } from "./metrics.ts";
import { openNetworks } from "./networks.ts";
import { openPlatforms } from "./platforms.ts";
import { obeyProcessEvents } from "./process-events.ts";
import { checkReadiness } from "./readiness.ts";
import { createShutdown, type Shutdown } from "./shutdown.ts";

/** Runs the bot until a signal comes. */
export async function start(args: readonly string[]): Promise<number> {
  if (args.length > 0) {
    throw new UserError("npm start takes no arguments.", {
      remedy: "Settings come from the environment; see .env.example.",
    });
  }
  const config = loadConfig();
  const log = createLog(config.logLevel ?? "info", logDestination());
  for (const hint of config.hints) log.warn(hint);
  const shutdown = createShutdown(log);
  obeyProcessEvents(shutdown, log);
  try {
    await Promise.race([run(config, log, shutdown), shutdown.ended]);
  } catch (thrown) {
    // Stopped in the middle of its start, it fails in many ways, none of which is a fault.
    if (shutdown.signal.aborted) return shutdown.ended;
    // What has begun already is stopped before the person is told.
    await shutdown.begin(0);
    throw thrown;
  }
  return shutdown.ended;
}

/** Starts every part, each stopped in the opposite order. The chat platforms come last: they may take their time. */
async function run(config: Config, log: Log, shutdown: Shutdown): Promise<void> {
  const store = createStore({ url: config.databaseUrl, log });
  shutdown.add("store", () => store.close());
  await store.claim();

  const running: Adapter[] = [];
  const measurements = createMeasurements({ version: packageVersion(), platforms: () => running });
  const networks = await openNetworks(config, { log, onRequest: measurements.onNodeRequest });
  shutdown.add("networks", () => networks.close());
  const bot = await botOf({
    networks,
    store,
    alerts: readingDesk(store, networks, log),
    log,
    onOutcome: measurements.onOutcome,
  });

  const platforms = await openPlatforms(config, { log, payloads: store.payloads, parties: store.parties });
  let web: WebAdapter | undefined;
  const adapters = () => (web === undefined ? platforms.adapters : [web, ...platforms.adapters]);
  if (config.web.port !== 0) {
    const { createWebAdapter } = await import("../adapters/web/index.ts");
    web = createWebAdapter({
      ...config.web,
      previews: platforms.previews,
      simulated: networks.simulated,
      log,
      now: () => fromMillis(Date.now()),
      ready: () => checkReadiness({ store, clients: networks.clients, adapters: adapters() }),
      metrics: () => measurements.render(),
      onRequest: measurements.onHttpRequest,
    });
  }
  const begin = async (adapter: Adapter): Promise<void> => {
    shutdown.add(adapter.platform, () => adapter.stop());
    running.push(adapter);
    await adapter.start(bot);
  };
  if (web !== undefined) await begin(web);

  const [{ localRunner }, { serveHolder }] = await Promise.all([
    import("../adapters/terminal/line-runner.ts"),
    import("./holder-server.ts"),
  ]);
  const holder = await serveHolder({ databaseFile: store.file, runner: localRunner(bot), log });
  shutdown.add("socket for ask", () => holder.close());
  if (holder.address !== undefined) writeHolderRecord(store.file, { pid: process.pid, socket: holder.address });

  if (!shutdown.signal.aborted) console.log(greeting(config, web?.url, networks.simulated));
  openLater(store, log);
  await Promise.all(platforms.adapters.map(begin));
}

/** The first questions go first; soon after, the database is made ready for those that need it. */
function openLater(store: EmbeddedStore, log: Log): void {
  const open = (): void => {
    store.ping().catch((thrown: unknown) => log.error({ err: thrown }, "the database cannot be used"));
  };
  setTimeout(open, 500).unref();
}

function greeting(config: Config, url: string | undefined, simulated: boolean): string {
  const where = url === undefined ? "Bellwether runs, without a web page (WEB_PORT=0)." : `Bellwether runs: ${url}`;
  const what = simulated
    ? "The network is SIMULATED; set MAINNET_URLS or TESTNET_URLS to ask a real one (see .env.example)."
    : `It asks ${config.networks.map(({ name }) => name).join(" and ")}.`;
  return `${where} ${what}`;
}

function packageVersion(): string {
  const file = new URL("../../package.json", import.meta.url);
  return String((JSON.parse(readFileSync(file, "utf8")) as { version: unknown }).version);
}
