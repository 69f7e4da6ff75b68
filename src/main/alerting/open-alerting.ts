import { CONSOLE } from "../../adapters/web/platform.ts";
import { type AlertsConfig, watcherNames } from "../../alerts/alerts-config.ts";
import { planNotice } from "../../alerts/deliver/outbox/batch.ts";
import { enqueue } from "../../alerts/deliver/outbox/outbox.ts";
import { nowMillis, type OnStep, randomId } from "../../alerts/dependencies.ts";
import type { DatabaseFault } from "../../alerts/message/notice.ts";
import { createDowntimeReport, type DowntimeReportDependencies } from "../../alerts/service/downtime-report.ts";
import { createAlertFeed } from "../../alerts/service/feed.ts";
import { systemClock } from "../../api/clock.ts";
import type { Draw } from "../../chart/png.ts";
import type { Config } from "../../config.ts";
import { messageOf } from "../../errors.ts";
import type { ExportJobs } from "../../export/jobs/jobs.ts";
import type { Log } from "../../log.ts";
import type { Store } from "../../store/store.ts";
import { fromMillis, type Milliseconds } from "../../units/time.ts";
import type { Observation } from "../../watchers/schedule.ts";
import { type ChangeSignal, createChangeSignal } from "../change-signal.ts";
import { exportNotice } from "../export-jobs.ts";
import type { MetricsRecorder } from "../metrics/metrics.ts";
import type { Networks } from "../networks.ts";
import { createPast } from "../past.ts";
import { type ChatConfig, configuredChats, platformsOf } from "../platforms/platforms.ts";
import { reachableOperators } from "./alerting-settings.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import { createAlerting } from "./alerting.ts";
import { consoleLooks } from "./console-looks.ts";
import { consoleWatch } from "./console-watch.ts";
import { type Duties, sharedClock } from "./duties.ts";
import { guidedIncident } from "./guided-incident.ts";

/** For tests that run the whole bot: a campaign ends the process at a step. */
export interface StartHooks {
  readonly onStep?: OnStep;
}

interface OpenAlertingDependencies {
  readonly config: Pick<Config, "web" | "alerting" | "looks"> & ChatConfig;
  readonly alertsConfig: AlertsConfig;
  /** Of the program. */
  readonly version: string;
  readonly store: Store;
  readonly duties: Pick<Duties, "add" | "end">;
  readonly networks: Networks;
  readonly metrics: Pick<MetricsRecorder, "onDelivery" | "onObservation">;
  readonly hooks: StartHooks;
  readonly exports: Pick<ExportJobs, "ended" | "syncJobs">;
  /** Draws pictures for chats. */
  readonly draw?: Draw | undefined;
  /** A delivery may be due. */
  readonly owed: ChangeSignal;
  readonly log: Log;
}

interface DowntimeReporterDependencies extends Omit<DowntimeReportDependencies, "watcher"> {
  /** The alerts' settings. */
  readonly config: AlertsConfig;
  readonly log: Log;
}

/** The most frequent watcher: its last observation dates the downtime. */
const DOWNTIME_WATCHER = "sources";
/** How long the report waits for every watcher's first observation. */
const MAX_WAIT: Milliseconds = 120_000;

/** Joins the alerts with metrics, the downtime report, the guided incident and the console. Starts nothing. */
export function openAlerting(dependencies: OpenAlertingDependencies) {
  const { config, alertsConfig, store, networks, metrics, hooks, exports, owed, log } = dependencies;
  const clock = sharedClock(systemClock, store.processes);
  const now = () => nowMillis(clock);
  const names = networks.clients.map(({ network }) => network);
  const operators = reachableOperators(config, log);
  const platforms = platformsOf(config);
  const hasConsole = config.web.port !== 0;
  const consoleSignal = createChangeSignal();
  const incident = networks.faults === undefined ? undefined : guidedIncident(networks.faults, store);
  const always = [...(hasConsole ? [CONSOLE] : []), ...(operators === undefined ? [] : [operators])];
  const downtime = createDowntimeReporter({
    store,
    clock,
    config: alertsConfig,
    networks: names,
    always,
    simulated: networks.simulated,
    log,
    onOwed: owed.notify,
  });
  const alerting = createAlerting({
    store,
    clock,
    duties: dependencies.duties,
    networks,
    config: alertsConfig,
    looks: config.looks,
    draw: dependencies.draw,
    version: dependencies.version,
    console: hasConsole,
    ...(hasConsole ? { publicUrl: config.web.publicUrl } : {}),
    platforms,
    senders: [CONSOLE.platform, ...configuredChats(config).map(({ platform }) => platform.id)],
    onOutcome: (outcome) => {
      metrics.onDelivery(outcome);
      if (outcome.platform !== CONSOLE.platform) return;
      consoleSignal.notify();
      store.processes.announce();
    },
    onRemoteChange: () => {
      consoleSignal.notify();
      void exports.syncJobs();
    },
    onObservation: (observation) => {
      metrics.onObservation(observation);
      downtime.onObservation(observation);
    },
    log,
    word: (message) => exportNotice(exports, message, { platforms, now: () => fromMillis(Date.now()) }),
    prepare: async () => {
      await incident?.resume();
      await downtime.begin();
    },
    ...(operators === undefined ? {} : { operators }),
    ...hooks,
  });
  owed.onChange(() => alerting.wake());
  return {
    alerting,
    /** By the clock of all that is due, in Unix milliseconds. */
    now,
    /** Owes a message about the database to the console and the operators. Rejects where the database fails. */
    notifyOfDatabase: async (what: DatabaseFault, file: string, lostMillis?: Milliseconds): Promise<void> => {
      const at = now();
      const notice = { about: "database", what, file, ...withoutUndefined({ lostMillis }) } as const;
      const deliveries = planNotice(always, notice, at, randomId);
      await store.transaction(({ alerts: tables }) => enqueue(tables, { deliveries }, at));
      alerting.wake();
    },
    console: {
      alerts: { feed: createAlertFeed(store, platforms), onChange: consoleSignal.onChange },
      looks: consoleLooks({
        store,
        config: alertsConfig,
        clients: networks.clients,
        simulated: networks.simulated,
        past: createPast(store),
        keeps: config.looks !== undefined,
        now,
      }),
      watch: consoleWatch({ store, config: alertsConfig, platforms, alerting, networks: names, incident }),
      incident,
    },
  };
}

export type DowntimeReporter = ReturnType<typeof createDowntimeReporter>;

/** Reports a downtime once every watcher has observed its network, after two minutes at the latest. */
export function createDowntimeReporter(dependencies: DowntimeReporterDependencies) {
  const { clock, config, networks, log } = dependencies;
  const report = createDowntimeReport({ ...dependencies, watcher: DOWNTIME_WATCHER });
  const names = watcherNames(config).map(({ name }) => name);
  const observed = new Set<string>();
  let since: Milliseconds | undefined;
  let finishing = false;

  const unobserved = (): string[] =>
    networks.filter((network) => !names.every((name) => observed.has(`${network} ${name}`)));

  async function finish(): Promise<void> {
    try {
      await report.finish(unobserved());
      since = undefined;
    } catch (thrown) {
      log.warn({ why: messageOf(thrown) }, "downtime not stored");
    } finally {
      finishing = false;
    }
  }

  return {
    /** Call before the first observation. Never rejects. */
    async begin() {
      try {
        if (await report.begin()) since = clock.monotonicMillis();
      } catch (thrown) {
        log.warn({ why: messageOf(thrown) }, "downtime unknown");
      }
    },
    /** Takes each observation, once it is stored; a failed one does not count. */
    onObservation({ network, watcher, failure }: Pick<Observation, "network" | "watcher" | "failure">): void {
      if (since === undefined || finishing) return;
      if (failure === undefined) observed.add(`${network} ${watcher.name}`);
      if (unobserved().length > 0 && clock.monotonicMillis() - since < MAX_WAIT) return;
      finishing = true;
      void finish();
    },
  };
}
