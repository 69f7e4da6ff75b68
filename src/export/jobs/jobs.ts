// A ledger export is a job in the store: it waits for its turn and runs. Its file is in the answer to its command or,
// where the export takes too long for that, is kept. job.ts declares a job, job-runner.ts runs it, turns.ts begins it
// in its turn (export-line.ts computes the order), and this module stops jobs that another process has ended.

import type { Clock } from "../../api/clock.ts";
import { BotStopping, messageOf } from "../../errors.ts";
import type { FileLimits } from "../../reply/reply.ts";
import type { ExportJobRow, NewExportJob } from "../../store/store.ts";
import { inTime, type Milliseconds, toMillis } from "../../units/time.ts";
import type { LedgerExports } from "../ledger-exports.ts";
import { type TemporaryFiles, temporaryFiles } from "../temporary-file.ts";
import type { EndedJob, Into } from "./deliver.ts";
import { checkBounds } from "./export-line.ts";
import { ExportCancelled } from "./failure.ts";
import { JobRunner, type LiveJob } from "./job-runner.ts";
import {
  type ExportAsker,
  type ExportJob,
  type ExportOutcome,
  type ExportRequest,
  type ExportStanding,
  isOwn,
  jobOf,
  normalizeCode,
  ownerOf,
  randomCode,
} from "./job.ts";
import { KeptExports, KeptFiles, type KeptFilesOptions } from "./kept-files.ts";
import { oneAfterAnother } from "./turns.ts";
import { interruptLeftovers, KEPT_FOR, sweepRegularly, type UpkeepDependencies } from "./upkeep.ts";
import { type GivenLedger, type TablesOf, verifyFile } from "./verify-file.ts";

/** Ledger exports as jobs. */
export type ExportJobs = ReturnType<typeof createExportJobs>;

export interface ExportJobsDependencies extends Omit<UpkeepDependencies, "files" | "onOwed"> {
  readonly exports: Pick<LedgerExports, "export">;
  /** Where archives are made; default: the system's folder for temporary files. */
  readonly temporary?: TemporaryFiles;
  /** Where kept files can be downloaded; left out = nowhere. */
  readonly publicUrl?: string;
  readonly kept: KeptFilesOptions;
  /** Default 8 GiB. */
  readonly maxKeptBytes?: number;
  readonly onOwed?: () => void;
  /** Default: random. */
  readonly newCode?: () => string;
}

const MAX_KEPT_BYTES = 8 * 1024 ** 3;
/** How many jobs a list holds at most. */
const MAX_LISTED = 100;

export function createExportJobs(dependencies: ExportJobsDependencies) {
  const { store, clock, log, newCode = randomCode, owe, onOwed = () => undefined } = dependencies;
  const closing = new AbortController();
  const files = new KeptFiles(dependencies.kept);
  const upkeep = { store, clock, log, files, owe, onOwed };
  const maxKeptBytes = dependencies.maxKeptBytes ?? MAX_KEPT_BYTES;
  const { exports, temporary = temporaryFiles(), publicUrl } = dependencies;
  const isOneOfSeveral = store.processes.aliveFor !== undefined;
  const kept = new KeptExports({ store, log, files, temporary, publicUrl });
  const runner = new JobRunner({ ...upkeep, exports, kept, maxKeptBytes, closing: closing.signal });
  const { live } = runner;
  const at = (): Milliseconds => toMillis(clock.wallClock());
  let sweeping: Promise<void> | undefined;

  async function interruptAbandoned(): Promise<void> {
    try {
      await interruptLeftovers(upkeep);
      runner.turns.look();
    } catch (thrown) {
      log.warn({ why: messageOf(thrown) }, "interrupted exports unknown");
    }
  }

  async function syncOnce(): Promise<void> {
    runner.turns.look();
    try {
      await stopEnded({ store, clock }, runner);
    } catch (thrown) {
      log.warn({ why: messageOf(thrown) }, "export queue unknown");
    }
  }

  return {
    /**
     * Resolves once the export is whole, cancelled, or takes longer than its command can be answered. Rejects with
     * UserError (too many wait), ApiError, StorageError or the signal's reason.
     */
    async run(request: ExportRequest): Promise<ExportOutcome> {
      const { asker, signal } = request;
      signal.throwIfAborted();
      closing.signal.throwIfAborted();
      await files.checkSpace();
      const job = jobFor(request, newCode());
      // A job may reject when nobody waits for it any more.
      job.ended.promise.catch(() => undefined);
      await runner.enter(job, async () => {
        const row = rowOf(job, at(), runner.turns.pausedUntil(job.network), store.processes.self);
        await store.transaction(async (tables) => {
          checkBounds(await tables.exports.open(store.processes.self), asker);
          await tables.exports.add(row);
        });
        closing.signal.throwIfAborted();
      });
      return waitFor(job, clock, runner);
    },

    /** The jobs that have not expired, newest first: the asker's own, or everybody's for an operator. */
    async list(asker: ExportAsker): Promise<readonly ExportJob[]> {
      const rows = await store.exports.list(asker.isOperator ? undefined : ownerOf(asker), at(), MAX_LISTED);
      return rows.map(jobOf);
    },

    /** The progress of a job of this process that waits or runs. */
    standing: (code: string): ExportStanding | undefined => live.get(code)?.standing,

    /** Stops a job at once; undefined where the asker has no such job. Resolves once its files and node are free. */
    async cancel(
      asker: ExportAsker,
      typed: string,
    ): Promise<{ readonly job: ExportJob; readonly stopped: boolean } | undefined> {
      const code = normalizeCode(typed);
      const row = await store.exports.get(code);
      if (row === undefined || !(asker.isOperator || isOwn(asker, row))) return undefined;
      const job = live.get(code);
      if (job === undefined) return cancelElsewhere({ store, clock }, row);
      if (job.finishing) return { job: jobOf(row), stopped: false };
      await runner.stop(job, new ExportCancelled());
      return { job: jobOf((await store.exports.get(code)) ?? row), stopped: true };
    },

    /** An own job and its kept file, for a message; undefined where the asker has no such job. */
    async fetch(asker: ExportAsker, typed: string, into: Into, signal: AbortSignal): Promise<EndedJob | undefined> {
      const row = await store.exports.get(normalizeCode(typed));
      return row === undefined || !isOwn(asker, row) ? undefined : kept.ended(row, into, signal);
    },

    /** The same for the direct message about the end of a job. */
    async ended(code: string, limitsOn: (platform: string) => FileLimits | undefined): Promise<EndedJob | undefined> {
      const row = await store.exports.get(code);
      return row === undefined
        ? undefined
        : kept.ended(row, { limits: limitsOn(row.platform), number: 1 }, closing.signal);
    },

    /** The kept file behind the secret of a link, as long as it is kept; `elsewhere`: this process cannot read it. */
    linked: (secret: string) => kept.linked(secret, at()),

    /**
     * Which export a file, or a hash, is of: among the asker's own and, byte for byte, those of their workspace; an
     * operator's among all. `tablesOf`: the tables of an answer as files. Rejects with the reader's error.
     */
    verify: (asker: ExportAsker, given: GivenLedger, tablesOf: TablesOf) =>
      verifyFile(store.exports, asker, given, tablesOf),

    /** Interrupts the jobs of processes that died or ended, and messages whoever asked for them. Never rejects. */
    interruptAbandoned,

    /**
     * To be called where another process may have changed something: begins the jobs whose turn has come, and stops
     * those of this process that were cancelled in another one. Never rejects.
     */
    syncJobs: oneAfterAnother(syncOnce),

    /** Interrupts the jobs that an earlier process left, and from then on removes what expires. Never rejects. */
    async start() {
      await interruptAbandoned();
      sweeping = sweepRegularly(upkeep, closing.signal);
    },

    /** Stops all jobs; their rows stay as they are. */
    async close() {
      const reason = new BotStopping();
      closing.abort(reason);
      await Promise.all([...live.values()].map((job) => runner.stop(job, reason)));
      await sweeping;
      if (sweeping !== undefined && isOneOfSeveral) {
        await files.unmark(store.processes.self).catch((thrown: unknown) => {
          log.warn({ why: messageOf(thrown) }, "export files not swept");
        });
      }
    },
  };
}

function jobFor(request: ExportRequest, code: string): LiveJob {
  return {
    ...request,
    code,
    network: request.api.network,
    cancellation: new AbortController(),
    ended: Promise.withResolvers(),
    awaited: true,
    waits: false,
    finishing: false,
    refusals: 0,
    standing: { code: "", state: "queued", place: 1, of: 1 },
  };
}

/** The row of a new job; `pausedUntil`: when the nodes may be asked again. */
function rowOf(job: LiveJob, at: Milliseconds, pausedUntil: Milliseconds, process: string): NewExportJob {
  const { code, network, asker, ask } = job;
  return {
    code,
    platform: asker.platform,
    workspace: asker.place,
    channel: asker.channel ?? null,
    person: asker.person,
    network,
    state: "queued",
    invocation: JSON.stringify(ask),
    created_at: at,
    started_at: pausedUntil > at ? pausedUntil : null,
    process,
  };
}

/** Resolves with how it ends, or once it takes longer than its command can be answered. */
async function waitFor(job: LiveJob, clock: Clock, runner: JobRunner): Promise<ExportOutcome> {
  const { code, asker, signal, answerWithin } = job;
  const first = await inTime(job.ended.promise, { millis: answerWithin, clock, signal }, () =>
    signal.aborted ? "gone" : "late",
  );
  if (typeof first === "object") return first;
  if (first === "late" && job.finishing) return job.ended.promise;
  if (first === "late") {
    job.awaited = false;
    return { kind: "later", code };
  }
  // The asker gets a message about its end, or can fetch it later, even where it ends at the same time.
  const goesOn = asker.takesDirectMessages || answerWithin !== undefined;
  if (goesOn) job.awaited = false;
  if (!goesOn || job.finishing) await abandon(job, signal.reason, runner);
  throw signal.reason;
}

/** Stops a job whose answer nobody waits for and nobody can be sent. */
async function abandon(job: LiveJob, reason: unknown, runner: JobRunner): Promise<void> {
  await runner.stop(job, reason instanceof BotStopping ? reason : new ExportCancelled());
  const outcome = await job.ended.promise.catch(() => undefined);
  if (outcome?.kind === "whole") await Promise.all(outcome.delivery.attachments.map((file) => file.dispose()));
}

/** Ends a job in the store; undefined where it has ended already. */
function end(
  { store, clock }: Pick<UpkeepDependencies, "store" | "clock">,
  code: string,
  state: "cancelled" | "interrupted",
): Promise<ExportJobRow | undefined> {
  return store.transaction(async ({ exports }) => {
    const row = await exports.get(code);
    if (row === undefined || (row.state !== "queued" && row.state !== "running")) return undefined;
    // Its export is whole, and is about to be delivered.
    if (state === "cancelled" && row.state === "running" && row.ended_at !== null) return undefined;
    const at = toMillis(clock.wallClock());
    const ended = { state, ended_at: at, expires_at: at + KEPT_FOR };
    await exports.update(code, ended);
    return { ...row, ...ended };
  });
}

/** Cancels a job of another process, which stops the job at its next `stopEnded`. */
async function cancelElsewhere(
  dependencies: Pick<UpkeepDependencies, "store" | "clock">,
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
async function stopEnded(
  dependencies: Pick<UpkeepDependencies, "store" | "clock">,
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
