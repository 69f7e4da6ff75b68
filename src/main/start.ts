// The whole bot: joins store, networks, alerts, commands and platforms, and starts and stops them in order. Read
// `assemble-bot.ts`, `networks.ts`, `alerting/` and `platforms/` next; `cli/` holds the other subcommands, `holder/`
// answers `ask` of other processes, `metrics/` and `health/` describe the process.
import type { Adapter } from "../adapters/adapter.ts";
import type { PlatformRecord } from "../adapters/chat/chat.ts";
import { consoleSender } from "../adapters/web/alerts/console-sender.ts";
import type { WebAdapter } from "../adapters/web/index.ts";
import { type AlertsConfig, catchUpMillis } from "../alerts/alerts-config.ts";
import { type Clock, systemClock } from "../api/clock.ts";
import { openAudienceSettings } from "../bot/audience-settings.ts";
import type { Bot } from "../bot/bot.ts";
import type { Draw } from "../chart/png.ts";
import { loadConfig } from "../config.ts";
import { messageOf, UserError } from "../errors.ts";
import { createLog, type Log } from "../log.ts";
import { createStore, type DatabaseStore, type StoreFile } from "../store/create-store.ts";
import { writeHolderRecord } from "../store/file/holder-record.ts";
import { fromMillis, type Milliseconds } from "../units/time.ts";
import { readAlertsConfig } from "./alerting/alerting-settings.ts";
import { createDuties } from "./alerting/duties.ts";
import { openAlerting, type StartHooks } from "./alerting/open-alerting.ts";
import { assembleBot } from "./assemble-bot.ts";
import { createChangeSignal } from "./change-signal.ts";
import { packageVersion } from "./cli/cli.ts";
import { createShutdown, handleProcessEvents, type Shutdown } from "./cli/shutdown.ts";
import { exportSettings, exportSlotsOf, openExportJobs } from "./export-jobs.ts";
import { watchDatabase } from "./health/database-watch.ts";
import { startDeadManSwitch } from "./health/dead-man-switch.ts";
import { healthProblem } from "./health/health.ts";
import { checkReadiness } from "./health/readiness.ts";
import { claimDatabase, requiredOrigin } from "./holder/claim-database.ts";
import { logDestination } from "./log-destination.ts";
import { readAlertSnapshot } from "./metrics/alert-metrics.ts";
import { createMetrics } from "./metrics/metrics.ts";
import { openNetworks } from "./networks.ts";
import { PLATFORM_RECORDS } from "./platforms/list.ts";
import { watchPlatformLimits } from "./platforms/platform-limits.ts";
import { type Config, configuredChats, openPlatforms, type OpenPlatforms, platformsOf } from "./platforms/platforms.ts";
import { collectGarbageOnce, limitYoungGeneration } from "./v8-memory.ts";

/** The pause before watching begins: the first questions are answered before more modules are loaded. */
const WATCH_AFTER: Milliseconds = 500;

/** Where several processes serve a console: how long a session that ended in one may last in another. */
const SIGN_OUTS_EVERY: Milliseconds = 5000;

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
  if (configuredChats(config).length > 0) limitYoungGeneration();
  const alertsConfig = readAlertsConfig(config.alerting.configFile);
  const destination = logDestination();
  const log = createLog(config.logLevel ?? "info", destination);
  for (const why of config.hints) log.warn({ why }, "configuration hint");
  const shutdown = createShutdown(log);
  handleProcessEvents(shutdown, log);
  try {
    const catchUp = catchUpMillis(alertsConfig);
    const store = createStore({ url: config.databaseUrl, log, catchUp });
    await Promise.race([
      runBot({ config, alertsConfig, store, log, lostLogLines: () => destination.lost, shutdown, hooks }),
      shutdown.ended,
    ]);
  } catch (thrown) {
    // An interrupted start may fail in any way; its failures are no errors.
    if (shutdown.signal.aborted) return shutdown.ended;
    // The parts that have begun stop before the error is shown.
    await shutdown.begin(0);
    throw thrown;
  }
  return shutdown.ended;
}

/** What a process runs with. */
export interface BotProcess {
  readonly config: Config;
  readonly alertsConfig: AlertsConfig;
  readonly store: DatabaseStore;
  readonly log: Log;
  readonly lostLogLines: () => number;
  readonly shutdown: Shutdown;
  readonly hooks: StartHooks;
  /** Times the heartbeats among processes; default: the system's clock. */
  readonly clock?: Clock;
}

/**
 * Starts every part, each after the parts that it needs; they stop in the opposite order. The chat platforms come last,
 * since they may be slow.
 */
export async function runBot(bot: BotProcess): Promise<void> {
  const { config, store, log, shutdown } = bot;
  shutdown.add("store", () => store.close());
  const { begunAnew } = await claimDatabase(store, config, log);
  const services = await openServices(bot);
  const surfaces = await openSurfaces(bot, services);
  const { web, chats, begin } = surfaces;
  if (web !== undefined) await begin(web);
  await answerAsk(bot, services.bot, web?.url);
  if (!shutdown.signal.aborted) console.log(greeting(config, web?.url, services.networks.simulated));
  const begun = Promise.all(chats.adapters.map(begin));
  watchHealth(bot, services);
  setTimeout(() => void startAlerts(bot, services, surfaces, begunAnew), WATCH_AFTER).unref();
  await begun;
}

/** All that answers and alerts, whatever the platform. */
type Services = Awaited<ReturnType<typeof openServices>>;

async function openServices({ config, store, log, shutdown, clock = systemClock, ...more }: BotProcess) {
  const chats = configuredChats(config);
  const platforms = platformsOf(config);
  const metrics = createMetrics({
    version: packageVersion(),
    lostLogLines: more.lostLogLines,
    chats: chats.map(({ platform }) => platform.id),
  });
  const endLimits = watchPlatformLimits(chats, metrics.onPlatformLimit);
  shutdown.add("platform limits", async () => endLimits());
  const duties = createDuties({ store, clock, log });
  shutdown.add("processes", () => duties.leave());
  // From here on other processes know this process, and do not take over its work.
  await duties.start();
  const networks = await openNetworks(config, {
    log,
    onRequest: metrics.onNodeRequest,
    processes: () => duties.live,
    ...exportSlotsOf(store),
  });
  shutdown.add("networks", () => networks.close());
  const owed = createChangeSignal();
  const exports = await openExportJobs({
    store,
    log,
    ...exportSettings(config),
    publicUrl: config.web.port === 0 ? undefined : config.web.publicUrl,
    onOwed: owed.notify,
    platforms,
  });
  shutdown.add("exports", () => exports.close());
  // Exports that other processes left before this moment are found when the exports start.
  duties.onFewer(() => void exports.interruptAbandoned());
  const { alertsConfig, hooks } = more;
  const version = packageVersion();
  const draw = drawWhenAsked(log);
  const alerts = openAlerting({
    draw,
    config,
    alertsConfig,
    version,
    store,
    duties,
    networks,
    metrics,
    exports,
    owed,
    hooks,
    log,
  });
  // Another process, too, may delete the settings of a workspace that has removed the app.
  const shared = store.embedded === undefined || platforms.chats.some((one) => one.destinationsPerWorkspace === true);
  // Only servers and workspaces of a chat platform have audience settings.
  const chosen = chats.length === 0 ? undefined : await openAudienceSettings(store.answers, { shared });
  const bot = await assembleBot({
    draw,
    networks,
    store,
    platforms,
    alerts: alerts.alerting.service,
    exports,
    chosen,
    log,
    onOutcome: metrics.onOutcome,
  });
  /** By the same clock as what is stored. */
  const startedAt = alerts.now();
  return { startedAt, metrics, duties, platforms, networks, exports, alerts, bot };
}

/** Loads what draws with the first picture: most processes draw none. The process that draws ends with this one. */
function drawWhenAsked(log: Log): Draw {
  let loaded: Promise<Draw> | undefined;
  return async (scene, alt) => {
    loaded ??= import("../chart/png.ts").then(({ createPictures }) => createPictures({ log }).draw);
    return (await loaded)(scene, alt);
  };
}

/** Where people reach the bot. */
type Surfaces = Awaited<ReturnType<typeof openSurfaces>>;

async function openSurfaces(self: BotProcess, services: Services) {
  const { config, store, log, shutdown } = self;
  const { duties, alerts, bot, networks } = services;
  if (configuredChats(config).length > 0) {
    const cancel = collectGarbageOnce();
    shutdown.add("garbage collection", async () => cancel());
  }
  const chats = await openPlatforms(config, {
    shared: duties,
    onFewer: (listener) => duties.onFewer(listener),
    commands: bot.commands,
    log,
    alerts: alerts.alerting.service,
    simulated: networks.simulated,
    store,
  });
  const web = await openConsole(self, services, chats);
  return {
    chats,
    web,
    begin: async (adapter: Adapter): Promise<void> => {
      shutdown.add(adapter.platform, () => adapter.stop());
      await adapter.start(bot);
    },
  };
}

/** Answers `ask` of other processes, where this process holds the database. */
async function answerAsk({ store, log, shutdown }: BotProcess, bot: Bot, shownAt: string | undefined): Promise<void> {
  if (store.embedded === undefined) return;
  const { file } = store.embedded;
  const [{ localRunner }, { serveHolder }] = await Promise.all([
    import("../adapters/terminal/line-runner.ts"),
    import("./holder/holder.ts"),
  ]);
  const holder = await serveHolder({ databaseFile: file, runner: localRunner(bot), log });
  shutdown.add("socket for ask", () => holder.close());
  if (holder.address === undefined) return;
  const console = shownAt === undefined ? {} : { console: shownAt };
  writeHolderRecord(file, { pid: process.pid, socket: holder.address, ...console });
}

/** Pings the dead man's switch, and watches the file of the database. */
function watchHealth({ config, store, log, shutdown }: BotProcess, { alerts, platforms, startedAt }: Services): void {
  const { alerting, notifyOfDatabase, now } = alerts;
  // The alerts stop first: no delivery may be planned or sent while the platforms stop.
  shutdown.add("alerts", () => alerting.stop());
  if (config.alerting.deadmanUrl !== undefined) {
    const problem = () => healthProblem({ store, platforms, alerting, startedAt, now });
    const deadManSwitch = startDeadManSwitch({ url: config.alerting.deadmanUrl, clock: systemClock, log, problem });
    shutdown.add("dead man's switch", () => deadManSwitch.stop());
  }
  const { embedded } = store;
  store.onGoneBack((lost, server) => {
    const notify = () => notifyOfDatabase("gone back", server, lost);
    notify().catch((thrown: unknown) => log.error({ why: messageOf(thrown) }, "database unusable"));
  });
  if (embedded === undefined) return;
  const looking = new AbortController();
  const notify = (what: NonNullable<ReturnType<StoreFile["lost"]>>) => notifyOfDatabase(what, embedded.file);
  const watched = watchDatabase({ file: embedded, clock: systemClock, log, notify }, looking.signal);
  shutdown.add("database watch", async () => {
    looking.abort();
    await watched;
  });
}

/** Begins to watch and to deliver. */
async function startAlerts(
  { config, store, shutdown }: BotProcess,
  { exports, alerts }: Services,
  { web, chats }: Surfaces,
  begunAnew: boolean,
): Promise<void> {
  const { alerting, notifyOfDatabase } = alerts;
  // The next start reads the origin; watching reports a database that cannot be written.
  await store.markOrigin(requiredOrigin(config)).catch(() => undefined);
  if (begunAnew && store.embedded !== undefined) {
    await notifyOfDatabase("begun anew", store.embedded.file).catch(() => undefined);
  }
  await exports.start();
  if (!shutdown.signal.aborted) await alerting.start([web ?? consoleSender, ...chats.adapters]);
}

function greeting(config: Config, url: string | undefined, simulated: boolean): string {
  const where =
    url === undefined
      ? "Bellwether runs, without a web page (WEB_PORT=0)."
      : `Bellwether runs: ${url} (process ${process.pid}).`;
  const what = simulated
    ? "The network is SIMULATED; set MAINNET_URLS or TESTNET_URLS to ask a real one (see .env.example)."
    : `It asks ${config.networks.map(({ name }) => name).join(" and ")}.`;
  return `${where} ${what}`;
}

/** The web console; undefined where WEB_PORT is 0. */
async function openConsole(
  { config, store, log }: BotProcess,
  { networks, exports, platforms, metrics, startedAt, alerts: opened }: Services,
  chats: OpenPlatforms,
): Promise<WebAdapter | undefined> {
  const { alerting, console, now } = opened;
  const { clients, simulated } = networks;
  if (config.web.port === 0) return undefined;
  const alerts = () => readAlertSnapshot({ alerting, store, networks: clients.map(({ network }) => network), now });
  const { createWebAdapter } = await import("../adapters/web/index.ts");
  return createWebAdapter({
    ...config.web,
    ...console,
    previews: chats.previews,
    linkedFiles: (secret) => exports.linked(secret),
    webhooks: chats.webhooks,
    signOuts: store.signOuts,
    signOutsMillis: store.embedded === undefined ? SIGN_OUTS_EVERY : undefined,
    simulated,
    log,
    now: () => fromMillis(Date.now()),
    ready: (self) =>
      checkReadiness({ store, platforms, clients, adapters: [self, ...chats.adapters], alerting, startedAt, now }),
    metrics: (self) =>
      metrics.render({
        platforms: [self, ...chats.adapters],
        installations: chats.installations,
        alerts,
      }),
    onRequest: metrics.onHttpRequest,
  });
}
