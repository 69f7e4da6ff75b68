import { systemClock } from "../api/clock.ts";
import type { ExportJobs } from "../export/jobs/jobs.ts";
import type { Log } from "../log.ts";
import type { Store } from "../store/store.ts";
import { fromMillis } from "../units/nanoseconds.ts";

interface ExportJobsOptions {
  readonly store: Pick<Store, "exports">;
  readonly log: Log;
}

/** The ledger exports of a process. */
export async function openExportJobs({ store, log }: ExportJobsOptions): Promise<ExportJobs> {
  const [{ createLedgerExports }, { createExportJobs }] = await Promise.all([
    import("../export/ledger-exports.ts"),
    import("../export/jobs/jobs.ts"),
  ]);
  const exports = createLedgerExports({ log, now: () => fromMillis(Date.now()) });
  return createExportJobs({ exports, store, clock: systemClock, log });
}
