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
  readonly runner: Pick<JobRunner, "live" | "stop">;
}

/** The other processes that share the database. */
interface JobSync {
  /** Cancels a job of another process, which stops it as soon as it hears of it. */
  cancel(row: ExportJobRow): Promise<{ readonly job: ExportJob; readonly stopped: boolean }>;
  /** Stops the jobs of this process that another one has cancelled, or taken for dead. */
  stopEnded(): Promise<void>;
}

export function createJobSync({ store, clock, runner }: JobSyncDependencies): JobSync {
  const { self } = store.processes;

  /** Undefined where it has ended already. */
  function end(code: string, state: "cancelled" | "interrupted"): Promise<ExportJobRow | undefined> {
    return store.transaction(async ({ exports }) => {
      const row = await exports.get(code);
      if (row === undefined || (row.state !== "queued" && row.state !== "running")) return undefined;
      // Its export is whole: its person is about to have it.
      if (state === "cancelled" && row.ended_at !== null) return undefined;
      const at = toMillis(clock.wallClock());
      const ended = { state, ended_at: at, expires_at: at + KEPT_FOR };
      await exports.update(code, ended);
      return { ...row, ...ended };
    });
  }

  return {
    async cancel(row) {
      const cancelled = await end(row.code, "cancelled");
      if (cancelled !== undefined) store.processes.announce();
      return {
        job: jobOf(cancelled ?? (await store.exports.get(row.code)) ?? row),
        stopped: cancelled !== undefined,
      };
    },

    async stopEnded() {
      const known = new Set(runner.live.keys());
      const open = await store.exports.open(self);
      for (const { code, process } of open) {
        // Its end did not reach the database: the others still see it in line.
        if (process === self && !known.has(code) && !runner.live.has(code)) await end(code, "interrupted");
      }
      for (const job of runner.live.values()) {
        if (job.finishing || open.some(({ code }) => code === job.code)) continue;
        const state = (await store.exports.get(job.code))?.state;
        if (state === "cancelled") await runner.stop(job, new ExportCancelled());
        // The others have told the person.
        if (state === "interrupted") await runner.stop(job, new BotStopping());
      }
    },
  };
}
