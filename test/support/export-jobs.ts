import { systemClock } from "../../src/api/clock.ts";
import { createExportJobs, type ExportJobs, type ExportJobsDependencies } from "../../src/export/jobs/jobs.ts";
import { LedgerExports } from "../../src/export/ledger-exports.ts";
import { silentLog } from "../../src/log.ts";
import type { Store } from "../../src/store/store.ts";

/** What of an export is not known at its beginning. */
export const NEW_EXPORT = {
  channel: null,
  invocation: null,
  started_at: null,
  ended_at: null,
  node: null,
  row_count: null,
  byte_count: null,
  failure: null,
  result: null,
  account: null,
  process: null,
  expires_at: null,
};

type ExportJobsOptions = Partial<Omit<ExportJobsDependencies, "exports" | "store">>;

/** The real jobs, with their files in a folder of the test. */
export function exportJobsOn(
  store: Pick<Store, "exports" | "transaction" | "processes">,
  directory: string,
  { clock = systemClock, log = silentLog(), ...more }: ExportJobsOptions = {},
): ExportJobs {
  const exports = new LedgerExports({ directory, log, now: () => clock.wallClock() });
  return createExportJobs({ exports, store, clock, log, owe: async () => undefined, kept: { directory }, ...more });
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
  fetch: notAskedFor,
  ended: notAskedFor,
  verify: notAskedFor,
  linked: notAskedFor,
  interruptAbandoned: async () => undefined,
  syncJobs: async () => undefined,
  start: async () => undefined,
  close: async () => undefined,
};
