import { awayReport, type AwayReportParts } from "../alerts/away-report.ts";
import type { AlertsConfig } from "../alerts/alerts-config.ts";
import { watcherNames } from "../alerts/watcher-names.ts";
import { messageOf } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Milliseconds } from "../units/duration.ts";
import type { Observation } from "../watchers/observation.ts";

export interface AbsenceParts extends Omit<AwayReportParts, "watcher"> {
  /** The alerts' settings. */
  readonly config: AlertsConfig;
  readonly log: Log;
}

/** Reports after a restart that the bot was away. */
export interface Absence {
  /** Before the first look. Never rejects. */
  begin(): Promise<void>;
  /** Told of each look, once it is kept. */
  onLook(observation: Pick<Observation, "network" | "watcher">): void;
}

/** The watcher of the network's time, which looks most often. */
const WATCHER = "sources";
/** A watcher that has not looked by then is not waited for. */
const LONGEST: Milliseconds = 120_000;

/** Tells of an absence as soon as every watcher has looked once, or after two minutes. */
export function reportAbsence(parts: AbsenceParts): Absence {
  const { clock, config, networks, log } = parts;
  const report = awayReport({ ...parts, watcher: WATCHER });
  const expected = networks.length * watcherNames(config).length;
  const looked = new Set<string>();
  let since: Milliseconds | undefined;
  let under = false;

  async function finish(): Promise<void> {
    try {
      await report.finish();
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
    onLook({ network, watcher }) {
      if (since === undefined || under) return;
      looked.add(`${network} ${watcher.name}`);
      if (looked.size < expected && clock.monotonicMillis() - since < LONGEST) return;
      under = true;
      void finish();
    },
  };
}
