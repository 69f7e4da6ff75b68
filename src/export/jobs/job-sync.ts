import type { Clock } from "../../api/clock.ts";
import { BotStopping } from "../../errors.ts";
import type { ExportJobRow, Store } from "../../store/store.ts";
import { toMillis } from "../../units/nanoseconds.ts";
import { ExportCancelled } from "./failure.ts";
import { type ExportJob, jobOf } from "./job.ts";
import type { JobRunner } from "./job-runner.ts";
import { KEPT_FOR } from "./upkeep.ts";

interface JobSyncDependencies {
  readonly store: Pick<Store, "exports" | "transaction" | "processes">;
  readonly clock: Clock;
}

/** Ends a job in the store; undefined where it has ended already. */
function end(
  { store, clock }: JobSyncDependencies,
  code: string,
  state: "cancelled" | "interrupted",
): Promise<ExportJobRow | undefined> {
  return store.transaction(async ({ exports }) => {
    const row = await exports.get(code);
    if (row === undefined || (row.state !== "queued" && row.state !== "running")) return undefined;
    // Its export is whole, and is about to be delivered.
    if (state === "cancelled" && row.ended_at !== null) return undefined;
    const at = toMillis(clock.wallClock());
    const ended = { state, ended_at: at, expires_at: at + KEPT_FOR };
    await exports.update(code, ended);
    return { ...row, ...ended };
  });
}

/** Cancels a job of another process, which stops the job at its next `stopEnded`. */
export async function cancelElsewhere(
  dependencies: JobSyncDependencies,
  row: ExportJobRow,
): Promise<{ readonly job: ExportJob; readonly stopped: boolean }> {
  const { exports, processes } = dependencies.store;
  const cancelled = await end(dependencies, row.code, "cancelled");
  if (cancelled !== undefined) processes.announce();
  return { job: jobOf(cancelled ?? (await exports.get(row.code)) ?? row), stopped: cancelled !== undefined };
}

/**
 * Stops the jobs of this process that another one has cancelled, or has interrupted because it took this process for
 * dead.
 */
export async function stopEnded(
  dependencies: JobSyncDependencies,
  runner: Pick<JobRunner, "live" | "stop">,
): Promise<void> {
  const { exports, processes } = dependencies.store;
  const known = new Set(runner.live.keys());
  const open = await exports.open(processes.self);
  for (const { code, process } of open) {
    // The job has ended here, which did not reach the database: for other processes it is still in the line.
    if (process === processes.self && !known.has(code) && !runner.live.has(code))
      await end(dependencies, code, "interrupted");
  }
  for (const job of runner.live.values()) {
    if (job.finishing || open.some(({ code }) => code === job.code)) continue;
    const state = (await exports.get(job.code))?.state;
    if (state === "cancelled") await runner.stop(job, new ExportCancelled());
    // The process that interrupted it has sent the message about it.
    if (state === "interrupted") await runner.stop(job, new BotStopping());
  }
}
