// The whole bot: joins store, networks, alerts, commands and platforms, and starts and stops them in order. Read
// `assemble-bot.ts`, `networks.ts`, `alerting/` and `platforms/` next; `cli/` holds the other subcommands, `holder/`
// answers `ask` of other processes, `metrics/` and `health/` describe the process.
import type { Adapter } from "../adapters/adapter.ts";
import { consoleSender } from "../adapters/web/alerts/console-sender.ts";
import type { WebAdapter } from "../adapters/web/index.ts";
import type { AlertsConfig } from "../alerts/alerts-config.ts";
import { systemClock } from "../api/clock.ts";
import { openAudienceSettings } from "../bot/audience-settings.ts";
import type { PlatformRecord } from "../adapters/record.ts";
import { loadConfig } from "../config.ts";
import { UserError } from "../errors.ts";
import { createLog, type Log } from "../log.ts";
import { createStore, type StoreFile } from "../store/create-store.ts";
import { writeHolderRecord } from "../store/file/holder-record.ts";
import type { Milliseconds } from "../units/duration.ts";
import { fromMillis } from "../units/nanoseconds.ts";
import { readAlertsConfig } from "./alerting/alerting-settings.ts";
import { createDuties } from "./alerting/duties.ts";
import { openAlerting, type StartHooks } from "./alerting/open-alerting.ts";
import { assembleBot } from "./assemble-bot.ts";
import { packageVersion } from "./cli/cli.ts";
import { watchDatabase } from "./health/database-watch.ts";
import { startDeadManSwitch } from "./health/dead-man-switch.ts";
import { healthProblem } from "./health/health.ts";
import { checkReadiness } from "./health/readiness.ts";
import { claimDatabase, requiredOrigin } from "./holder/claim-database.ts";
import { logDestination } from "./log-destination.ts";
import { readAlertSnapshot } from "./metrics/alert-metrics.ts";
import { createMetrics } from "./metrics/metrics.ts";
import { exportFolders, exportNotice, exportSlotsOf, openExportJobs } from "./export-jobs.ts";
import { openNetworks } from "./networks.ts";
import { PLATFORM_RECORDS } from "./platforms/list.ts";
import { watchPlatformLimits } from "./platforms/platform-limits.ts";
import { type Config, configuredChats, openPlatforms, platformsOf } from "./platforms/platforms.ts";
import { createShutdown, handleProcessEvents, type Shutdown } from "./cli/shutdown.ts";
import { collectGarbageOnce, unlimitYoungGeneration } from "./v8-memory.ts";

/** Of several processes: how long a session that ended in one may last in another. */
const SIGN_OUTS_EVERY: Milliseconds = 5000;
/** The first questions are answered before anything else is loaded. */
const WATCH_AFTER: Milliseconds = 500;

/** Runs the bot until a signal comes. */
export async function start(
  args: readonly string[],
  hooks: StartHooks = {},
  records: readonly PlatformRecord[] = PLATFORM_RECORDS,
): Promise<number> {
  if (args.length > 0) {
    throw new UserError("npm start takes no arguments.", {
      remedy: "Settings come from the environment; see .env.example.",
    });
  }
  const config = loadConfig(records);
  if (configuredChats(config).length === 0) unlimitYoungGeneration();
  const alertsConfig = readAlertsConfig(config.alerting.configFile);
  const destination = logDestination();
  const log = createLog(config.logLevel ?? "info", destination);
  for (const why of config.hints) log.warn({ why }, "configuration hint");
  const shutdown = createShutdown(log);
  handleProcessEvents(shutdown, log);
  try {
    await Promise.race([
      run({ config, alertsConfig, log, lostLogLines: () => destination.lost, shutdown, hooks }),
      shutdown.ended,
    ]);
  } catch (thrown) {
    // A start that is interrupted fails in many ways, none of which is an error.
    if (shutdown.signal.aborted) return shutdown.ended;
    // Stop the parts that have begun before the error is shown.
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

/** Starts every part; they stop in the opposite order. The chat platforms come last, since they may be slow. */
async function run({ config, alertsConfig, log, lostLogLines, shutdown, hooks }: RunOptions): Promise<void> {
  const store = createStore({ url: config.databaseUrl, log });
  shutdown.add("store", () => store.close());
  const { begunAnew } = await claimDatabase(store, config, log);

  const words = platformsOf(config);
  const startedAt = Date.now();
  const running: Adapter[] = [];
  let opened: Awaited<ReturnType<typeof openPlatforms>> | undefined;
  const metrics = createMetrics({
    version: packageVersion(),
    lostLogLines,
    platforms: () => running,
    installations: async () => opened?.installations() ?? [],
    alerts: () =>
      readAlertSnapshot({ alerting, store, networks: networks.clients.map(({ network }) => network), now: Date.now }),
  });
  const endLimits = watchPlatformLimits(configuredChats(config), metrics.onPlatformLimit);
  shutdown.add("platform limits", async () => endLimits());
  const duties = createDuties({
    store,
    clock: systemClock,
    log,
    onFewer: () => void exports.interruptAbandoned(),
  });
  shutdown.add("processes", () => duties.leave());
  // From here on other processes know of this one, and leave alone what it has.
  await duties.start();
  const networks = await openNetworks(config, {
    log,
    onRequest: metrics.onNodeRequest,
    processes: () => duties.live,
    ...exportSlotsOf(store),
  });
  shutdown.add("networks", () => networks.close());
  const {
    alerting,
    console: shown,
    notifyOfDatabase,
  } = openAlerting({
    config,
    alertsConfig,
    store,
    duties,
    networks,
    metrics,
    hooks,
    log,
    onOthers: () => void exports.heedOthers(),
    word: (message) => exportNotice(exports, message, { platforms: words, now: () => fromMillis(Date.now()) }),
  });
  // Only servers of chat platforms have audience settings: without one, nothing is read before the first answer.
  const chats = configuredChats(config).length > 0;
  const exports = await openExportJobs({
    store,
    log,
    ...exportFolders(config),
    publicUrl: config.web.port === 0 ? undefined : config.web.publicUrl,
    onOwed: () => alerting.wake(),
    platforms: words,
  });
  const bot = await assembleBot({
    networks,
    store,
    platforms: words,
    alerts: alerting.service,
    exports,
    chosen: chats
      ? await openAudienceSettings(store.answers, {
          // Those of a workspace that has removed the app are deleted behind its back, too.
          shared: store.embedded === undefined || words.chats.some((one) => one.destinationsPerWorkspace === true),
        })
      : undefined,
    log,
    onOutcome: metrics.onOutcome,
  });

  shutdown.add("exports", () => exports.close());
  if (chats) {
    const cancel = collectGarbageOnce();
    shutdown.add("garbage collection", async () => cancel());
  }
  const platforms = await openPlatforms(config, {
    shared: duties,
    commands: bot.commands,
    log,
    payloads: store.payloads,
    alerts: alerting.service,
    store,
  });
  opened = platforms;
  let web: WebAdapter | undefined;
  const adapters = () => (web === undefined ? platforms.adapters : [web, ...platforms.adapters]);
  if (config.web.port !== 0) {
    const { createWebAdapter } = await import("../adapters/web/index.ts");
    web = createWebAdapter({
      ...config.web,
      previews: platforms.previews,
      linkedFiles: (secret) => exports.linked(secret),
      webhooks: platforms.webhooks,
      signOuts: store.signOuts,
      signOutsMillis: store.embedded === undefined ? SIGN_OUTS_EVERY : undefined,
      ...shown,
      simulated: networks.simulated,
      log,
      now: () => fromMillis(Date.now()),
      ready: () =>
        checkReadiness({
          store,
          platforms: words,
          clients: networks.clients,
          adapters: adapters(),
          alerting,
          startedAt,
        }),
      metrics: () => metrics.render(),
      onRequest: metrics.onHttpRequest,
    });
  }
  const begin = async (adapter: Adapter): Promise<void> => {
    shutdown.add(adapter.platform, () => adapter.stop());
    running.push(adapter);
    await adapter.start(bot);
  };
  if (web !== undefined) await begin(web);

  const { embedded } = store;
  if (embedded !== undefined) {
    const [{ localRunner }, { serveHolder }] = await Promise.all([
      import("../adapters/terminal/line-runner.ts"),
      import("./holder/holder.ts"),
    ]);
    const holder = await serveHolder({ databaseFile: embedded.file, runner: localRunner(bot), log });
    shutdown.add("socket for ask", () => holder.close());
    if (holder.address !== undefined) {
      const shownAt = web?.url === undefined ? {} : { console: web.url };
      writeHolderRecord(embedded.file, { pid: process.pid, socket: holder.address, ...shownAt });
    }
  }

  if (!shutdown.signal.aborted) console.log(greeting(config, web?.url, networks.simulated));
  const begun = Promise.all(platforms.adapters.map(begin));
  // Stopped first: no delivery may be planned or sent while the platforms stop.
  shutdown.add("alerts", () => alerting.stop());
  if (config.alerting.deadmanUrl !== undefined) {
    const problem = () => healthProblem({ store, platforms: words, alerting, startedAt, now: Date.now });
    const deadManSwitch = startDeadManSwitch({ url: config.alerting.deadmanUrl, clock: systemClock, log, problem });
    shutdown.add("dead man's switch", () => deadManSwitch.stop());
  }
  const watch = async (): Promise<void> => {
    // The next start reads the origin; watching reports a database that cannot be written.
    await store.markOrigin(requiredOrigin(config)).catch(() => undefined);
    if (begunAnew && embedded !== undefined) await notifyOfDatabase("begun anew", embedded.file).catch(() => undefined);
    await exports.start();
    if (!shutdown.signal.aborted) await alerting.start([web ?? consoleSender, ...platforms.adapters]);
  };
  if (embedded !== undefined) {
    const looking = new AbortController();
    const notify = (what: NonNullable<ReturnType<StoreFile["lost"]>>) => notifyOfDatabase(what, embedded.file);
    const watched = watchDatabase({ file: embedded, clock: systemClock, log, notify }, looking.signal);
    shutdown.add("database watch", async () => {
      looking.abort();
      await watched;
    });
  }
  // The first questions are answered first; watching and delivering begin soon after.
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
