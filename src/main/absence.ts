import { type AlertsConfig, watcherNames } from "../alerts/alerts-config.ts";
import { createDowntimeReport, type DowntimeReportDependencies } from "../alerts/service/downtime-report.ts";
import { messageOf } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Milliseconds } from "../units/duration.ts";
import type { Observation } from "../watchers/watch-loop.ts";

export interface AbsenceParts extends Omit<DowntimeReportDependencies, "watcher"> {
  /** The alerts' settings. */
  readonly config: AlertsConfig;
  readonly log: Log;
}

/** Reports after a restart that the bot was away. */
export interface Absence {
  /** Before the first look. Never rejects. */
  begin(): Promise<void>;
  /** Told of each look, once it is kept; one that failed has found out nothing. */
  onLook(observation: Pick<Observation, "network" | "watcher" | "failure">): void;
}

/** The watcher of the network's time, which looks most often. */
const WATCHER = "sources";
/** A watcher that has seen nothing by then is not waited for. */
const LONGEST: Milliseconds = 120_000;

/** Tells of an absence as soon as every watcher has seen its network once, or after two minutes what is known by then. */
export function reportAbsence(parts: AbsenceParts): Absence {
  const { clock, config, networks, log } = parts;
  const report = createDowntimeReport({ ...parts, watcher: WATCHER });
  const names = watcherNames(config).map(({ name }) => name);
  const looked = new Set<string>();
  let since: Milliseconds | undefined;
  let under = false;

  const unseen = (): string[] => networks.filter((network) => !names.every((name) => looked.has(`${network} ${name}`)));

  async function finish(): Promise<void> {
    try {
      await report.finish(unseen());
      since = undefined;
    } catch (thrown) {
      log.warn({ why: messageOf(thrown) }, "that the bot was away could not be kept to be told; trying again");
    } finally {
      under = false;
    }
  }

  return {
    async begin() {
      try {
        if (await report.begin()) since = clock.monotonicMillis();
      } catch (thrown) {
        log.warn({ why: messageOf(thrown) }, "whether the bot was away cannot be found out");
      }
    },
    onLook({ network, watcher, failure }) {
      if (since === undefined || under) return;
      if (failure === undefined) looked.add(`${network} ${watcher.name}`);
      if (unseen().length > 0 && clock.monotonicMillis() - since < LONGEST) return;
      under = true;
      void finish();
    },
  };
}
