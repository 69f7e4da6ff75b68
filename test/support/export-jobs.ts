import { type Clock, systemClock } from "../../src/api/clock.ts";
import { createExportJobs, type ExportJobs } from "../../src/export/jobs/jobs.ts";
import { createLedgerExports } from "../../src/export/ledger-exports.ts";
import { type Log, silentLog } from "../../src/log.ts";
import type { Store } from "../../src/store/store.ts";

interface ExportJobsOptions {
  readonly clock?: Clock;
  readonly log?: Log;
  readonly newCode?: () => string;
}

/** The real jobs, with their files in a folder of the test. */
export function exportJobsOn(
  store: Pick<Store, "exports">,
  directory: string,
  { clock = systemClock, log = silentLog(), ...more }: ExportJobsOptions = {},
): ExportJobs {
  const exports = createLedgerExports({ directory, log, now: () => clock.wallClock() });
  return createExportJobs({ exports, store, clock, log, ...more });
}

const notAskedFor = async (): Promise<never> => {
  throw new Error("not asked for here");
};

/** For a bot that is asked for no export. */
export const NO_EXPORTS: ExportJobs = {
  run: notAskedFor,
  list: notAskedFor,
  standing: () => undefined,
  cancel: notAskedFor,
  close: async () => undefined,
};
