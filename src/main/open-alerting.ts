import type { WebAdapterOptions } from "../adapters/web/index.ts";
import type { AlertsConfig } from "../alerts/alerts-config.ts";
import type { OnStep } from "../alerts/dependencies.ts";
import { createAlertFeed } from "../alerts/service/feed.ts";
import { CONSOLE_DESTINATION } from "../alerts/service/service.ts";
import { systemClock } from "../api/clock.ts";
import type { Config } from "../config/config.ts";
import type { Log } from "../log.ts";
import type { Store } from "../store/store.ts";
import { reportAbsence } from "./absence.ts";
import { type Alerting, createAlerting } from "./alerting.ts";
import { consoleWatch } from "./console-watch.ts";
import { guidedIncident } from "./guided-incident.ts";
import type { Measurements } from "./metrics.ts";
import type { Networks } from "./networks.ts";
import { createNews } from "./news.ts";
import { reachableOperators } from "./operators.ts";

/** For whoever runs the whole bot to break it: a campaign that ends the process at a step. */
export interface StartHooks {
  readonly onStep?: OnStep;
}

export interface OpenAlertingParts {
  readonly config: Pick<Config, "web" | "alerting" | "discord" | "slack">;
  readonly alertsConfig: AlertsConfig;
  readonly store: Store;
  readonly networks: Networks;
  readonly measurements: Pick<Measurements, "onDelivery" | "onLook">;
  readonly hooks: StartHooks;
  readonly log: Log;
}

/** The alerts of a process, and what its console shows of them. */
export interface OpenAlerting {
  readonly alerting: Alerting;
  readonly console: Required<Pick<WebAdapterOptions, "alerts" | "watch">> & Pick<WebAdapterOptions, "incident">;
}

/** Joins the alerts with figures, the report of an absence, the guided incident and the console. Starts nothing. */
export function openAlerting(parts: OpenAlertingParts): OpenAlerting {
  const { config, alertsConfig, store, networks, measurements, hooks, log } = parts;
  const names = networks.clients.map(({ network }) => network);
  const operators = reachableOperators(config, log);
  const hasConsole = config.web.port !== 0;
  const news = createNews();
  const incident = networks.faults === undefined ? undefined : guidedIncident(networks.faults, store);
  const absence = reportAbsence({
    store,
    clock: systemClock,
    config: alertsConfig,
    networks: names,
    always: [...(hasConsole ? [CONSOLE_DESTINATION] : []), ...(operators === undefined ? [] : [operators])],
    simulated: networks.simulated,
    log,
    onOwed: () => alerting.wake(),
  });
  const alerting = createAlerting({
    store,
    networks,
    config: alertsConfig,
    console: hasConsole,
    onOutcome: (outcome) => {
      measurements.onDelivery(outcome);
      if (outcome.platform === "web") news.ring();
    },
    onLook: (observation) => {
      measurements.onLook(observation);
      absence.onLook(observation);
    },
    log,
    prepare: async () => {
      await incident?.resume();
      await absence.begin();
    },
    ...(operators === undefined ? {} : { operators }),
    ...hooks,
  });
  return {
    alerting,
    console: {
      alerts: { feed: createAlertFeed(store, CONSOLE_DESTINATION), onChange: news.onNews },
      watch: consoleWatch({ store, config: alertsConfig, alerting, networks: names, incident }),
      incident,
    },
  };
}
