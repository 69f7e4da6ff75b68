import { type AlertsConfig, watcherNames } from "../../alerts/alerts-config.ts";
import { createDowntimeReport, type DowntimeReportDependencies } from "../../alerts/service/downtime-report.ts";
import { messageOf } from "../../errors.ts";
import type { Log } from "../../log.ts";
import type { Milliseconds } from "../../units/duration.ts";
import type { Observation } from "../../watchers/schedule.ts";

export interface DowntimeReporterDependencies extends Omit<DowntimeReportDependencies, "watcher"> {
  /** The alerts' settings. */
  readonly config: AlertsConfig;
  readonly log: Log;
}

/** Reports after a restart that the bot was down. */
export interface DowntimeReporter {
  /** Call before the first observation. Never rejects. */
  begin(): Promise<void>;
  /** Takes each observation, once it is stored; a failed one does not count. */
  onObservation(observation: Pick<Observation, "network" | "watcher" | "failure">): void;
}

/** The most frequent watcher: its last observation dates the downtime. */
const DOWNTIME_WATCHER = "sources";
/** How long the report waits for every watcher's first observation. */
const MAX_WAIT: Milliseconds = 120_000;

/** Reports a downtime once every watcher has observed its network, after two minutes at the latest. */
export function createDowntimeReporter(dependencies: DowntimeReporterDependencies): DowntimeReporter {
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
    async begin() {
      try {
        if (await report.begin()) since = clock.monotonicMillis();
      } catch (thrown) {
        log.warn({ why: messageOf(thrown) }, "downtime unknown");
      }
    },
    onObservation({ network, watcher, failure }) {
      if (since === undefined || finishing) return;
      if (failure === undefined) observed.add(`${network} ${watcher.name}`);
      if (unobserved().length > 0 && clock.monotonicMillis() - since < MAX_WAIT) return;
      finishing = true;
      void finish();
    },
  };
}
