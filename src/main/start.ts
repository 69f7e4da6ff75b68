import type { Adapter } from "../adapters/adapter.ts";
import { consoleSender } from "../adapters/web/alerts/console-sender.ts";
import type { WebAdapter } from "../adapters/web/index.ts";
import type { AlertsConfig } from "../alerts/alerts-config.ts";
import { systemClock } from "../api/clock.ts";
import { openAudienceSettings } from "../bot/audience-settings.ts";
import { type Config, loadConfig } from "../config/config.ts";
import { UserError } from "../errors.ts";
import { createLog, type Log } from "../log.ts";
import { createStore } from "../store/create-store.ts";
import { writeHolderRecord } from "../store/file/holder.ts";
import type { Milliseconds } from "../units/duration.ts";
import { fromMillis } from "../units/nanoseconds.ts";
import { readAlertsConfig } from "./alerting/alerting-settings.ts";
import { openAlerting, type StartHooks } from "./alerting/open-alerting.ts";
import { assembleBot } from "./assemble-bot.ts";
import { packageVersion } from "./cli/subcommand.ts";
import { startDeadManSwitch } from "./health/dead-man-switch.ts";
import { healthProblem } from "./health/health.ts";
import { checkReadiness } from "./health/readiness.ts";
import { claimDatabase, requiredOrigin } from "./holder/claim-database.ts";
import { logDestination } from "./log-destination.ts";
import { readAlertSnapshot } from "./metrics/alert-metrics.ts";
import { createMetrics } from "./metrics/metrics.ts";
import { openNetworks } from "./networks.ts";
import { platformUrls, watchPlatformLimits } from "./platforms/platform-limits.ts";
import { openPlatforms, withListedManagers } from "./platforms/platforms.ts";
import { createShutdown, handleProcessEvents, type Shutdown } from "./shutdown.ts";
import { collectGarbageOnce, unlimitYoungGeneration } from "./v8-memory.ts";

/** The first questions are answered before anything else is loaded. */
const WATCH_AFTER: Milliseconds = 500;

/** Runs the bot until a signal comes. */
export async function start(args: readonly string[], hooks: StartHooks = {}): Promise<number> {
  if (args.length > 0) {
    throw new UserError("npm start takes no arguments.", {
      remedy: "Settings come from the environment; see .env.example.",
    });
  }
  const config = loadConfig();
  if (config.discord === undefined && config.slack === undefined) unlimitYoungGeneration();
  const alertsConfig = readAlertsConfig(config.alerting.configFile);
  const destination = logDestination();
  const log = createLog(config.logLevel ?? "info", destination);
  for (const hint of config.hints) log.warn(hint);
  const shutdown = createShutdown(log);
  handleProcessEvents(shutdown, log);
  try {
    await Promise.race([
      run({ config, alertsConfig, log, lostLogLines: () => destination.lost, shutdown, hooks }),
      shutdown.ended,
    ]);
  } catch (thrown) {
    // Stopped in the middle of its start, it fails in many ways, none of which is a fault.
    if (shutdown.signal.aborted) return shutdown.ended;
    // What has begun already is stopped before the person is told.
    await shutdown.begin(0);
    throw thrown;
  }
  return shutdown.ended;
}

interface RunOptions {
  readonly config: Config;
  readonly alertsConfig: AlertsConfig;
  readonly log: Log;
  readonly lostLogLines: () => number;
  readonly shutdown: Shutdown;
  readonly hooks: StartHooks;
}

/** Starts every part, each stopped in the opposite order. The chat platforms come last: they may take their time. */
async function run({ config, alertsConfig, log, lostLogLines, shutdown, hooks }: RunOptions): Promise<void> {
  const store = createStore({ url: config.databaseUrl, log });
  shutdown.add("store", () => store.close());
  await claimDatabase(store, config, log);

  const startedAt = Date.now();
  const running: Adapter[] = [];
  const measurements = createMetrics({
    version: packageVersion(),
    lostLogLines,
    platforms: () => running,
    alerts: () =>
      readAlertSnapshot({ alerting, store, networks: networks.clients.map(({ network }) => network), now: Date.now }),
  });
  const endLimits = watchPlatformLimits(platformUrls(config), measurements.onPlatformLimit);
  shutdown.add("platform limits", async () => endLimits());
  const networks = await openNetworks(config, { log, onRequest: measurements.onNodeRequest });
  shutdown.add("networks", () => networks.close());
  const { alerting, console: shown } = openAlerting({
    config,
    alertsConfig,
    store,
    networks,
    measurements,
    hooks,
    log,
  });
  // Only chat platforms have servers that choose: without any, nothing is read before the first answer.
  const chats = config.discord !== undefined || config.slack !== undefined;
  const bot = await assembleBot({
    networks,
    store,
    alerts: alerting.desk,
    chosen: chats ? await openAudienceSettings(store.answers) : undefined,
    log,
    onOutcome: measurements.onOutcome,
  });

  if (chats) {
    const cancel = collectGarbageOnce();
    shutdown.add("garbage collection", async () => cancel());
  }
  const platforms = await openPlatforms(config, {
    log,
    payloads: store.payloads,
    parties: store.parties,
    alerts: alerting.desk,
  });
  let web: WebAdapter | undefined;
  const adapters = () => (web === undefined ? platforms.adapters : [web, ...platforms.adapters]);
  if (config.web.port !== 0) {
    const { createWebAdapter } = await import("../adapters/web/index.ts");
    web = createWebAdapter({
      ...config.web,
      previews: platforms.previews,
      ...shown,
      simulated: networks.simulated,
      log,
      now: () => fromMillis(Date.now()),
      ready: () => checkReadiness({ store, clients: networks.clients, adapters: adapters(), alerting, startedAt }),
      metrics: () => measurements.render(),
      onRequest: measurements.onHttpRequest,
    });
  }
  const begin = async (adapter: Adapter): Promise<void> => {
    shutdown.add(adapter.platform, () => adapter.stop());
    running.push(adapter);
    await adapter.start(adapter.platform === "discord" ? withListedManagers(bot, config.alerting.managers) : bot);
  };
  if (web !== undefined) await begin(web);

  const [{ localRunner }, { serveHolder }] = await Promise.all([
    import("../adapters/terminal/line-runner.ts"),
    import("./holder/holder.ts"),
  ]);
  const holder = await serveHolder({ databaseFile: store.file, runner: localRunner(bot), log });
  shutdown.add("socket for ask", () => holder.close());
  if (holder.address !== undefined) {
    const shownAt = web?.url === undefined ? {} : { console: web.url };
    writeHolderRecord(store.file, { pid: process.pid, socket: holder.address, ...shownAt });
  }

  if (!shutdown.signal.aborted) console.log(greeting(config, web?.url, networks.simulated));
  const begun = Promise.all(platforms.adapters.map(begin));
  // Stopped first: nothing is to be owed or sent any more once the platforms go.
  shutdown.add("alerts", () => alerting.stop());
  if (config.alerting.deadmanUrl !== undefined) {
    const trouble = () => healthProblem(alerting, startedAt, Date.now);
    const deadman = startDeadManSwitch({ url: config.alerting.deadmanUrl, clock: systemClock, log, trouble });
    shutdown.add("dead man's switch", () => deadman.stop());
  }
  const watch = async (): Promise<void> => {
    // Whoever starts on it next must know; where it cannot be written to, watching says so, too.
    await store.markOrigin(requiredOrigin(config)).catch(() => undefined);
    if (!shutdown.signal.aborted) await alerting.start([web ?? consoleSender, ...platforms.adapters]);
  };
  // The first questions go first; soon after, the networks are watched and what is owed is delivered.
  setTimeout(() => void watch(), WATCH_AFTER).unref();
  await begun;
}

function greeting(config: Config, url: string | undefined, simulated: boolean): string {
  const where = url === undefined ? "Bellwether runs, without a web page (WEB_PORT=0)." : `Bellwether runs: ${url}`;
  const what = simulated
    ? "The network is SIMULATED; set MAINNET_URLS or TESTNET_URLS to ask a real one (see .env.example)."
    : `It asks ${config.networks.map(({ name }) => name).join(" and ")}.`;
  return `${where} ${what}`;
}
