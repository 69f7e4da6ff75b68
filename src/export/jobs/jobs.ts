// A ledger export is a job in the store: it waits for its turn, runs, and ends in the answer to its command or, where that
// takes too long, by itself. job.ts declares a job, job-runner.ts runs it, turns.ts gives it its turn (export-line.ts says
// whose that is), job-sync.ts takes note of what other processes did to it.

import type { Clock } from "../../api/clock.ts";
import { BotStopping, messageOf } from "../../errors.ts";
import type { Attachment, FileLimits } from "../../reply/attachment.ts";
import type { NewExportJob } from "../../store/store.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { toMillis } from "../../units/nanoseconds.ts";
import type { LedgerExports } from "../ledger-exports.ts";
import type { Stored } from "../split-file.ts";
import { type TemporaryFiles, temporaryFiles } from "../temporary-file.ts";
import { normalizeCode, randomCode } from "./code.ts";
import { ExportCancelled } from "./failure.ts";
import type { EndedJob, Into } from "./deliver.ts";
import { checkBounds } from "./export-line.ts";
import { KeptFiles, type KeptFilesOptions } from "./kept-files.ts";
import { JobRunner, type LiveJob } from "./job-runner.ts";
import { KeptExports } from "./kept-exports.ts";
import {
  type ExportAsker,
  type ExportJob,
  type ExportOutcome,
  type ExportRequest,
  type ExportStanding,
  isOwn,
  jobOf,
  ownerOf,
} from "./job.ts";
import { cancelElsewhere, stopEnded } from "./job-sync.ts";
import { interruptLeftovers, sweepRegularly, type UpkeepDependencies } from "./upkeep.ts";
import { type GivenLedger, type VerifiedFile, verifyFile } from "./verify-file.ts";

/** Ledger exports as jobs. */
export interface ExportJobs {
  /**
   * Resolves once the export is whole, cancelled, or takes longer than its command can be answered. Rejects with
   * UserError (too many wait), ApiError, StorageError or the signal's reason.
   */
  run(request: ExportRequest): Promise<ExportOutcome>;
  /** The jobs that have not expired, newest first: the asker's own, or everybody's for an operator. */
  list(asker: ExportAsker): Promise<readonly ExportJob[]>;
  /** How far a waiting or running job is. */
  standing(code: string): ExportStanding | undefined;
  /** Stops a job at once; undefined where the asker has no such job. Resolves once its files and node are free. */
  cancel(asker: ExportAsker, code: string): Promise<{ readonly job: ExportJob; readonly stopped: boolean } | undefined>;
  /** An own job and what is kept of it, for a message; undefined where the asker has no such job. */
  fetch(asker: ExportAsker, code: string, into: Into, signal: AbortSignal): Promise<EndedJob | undefined>;
  /** The same for the direct message about its end. */
  ended(code: string, limitsOn: (platform: string) => FileLimits | undefined): Promise<EndedJob | undefined>;
  /** The kept file behind the secret of a link, as long as it is kept; `elsewhere`: this process cannot read it. */
  linked(secret: string): Promise<(Attachment & Stored) | "elsewhere" | undefined>;
  /**
   * Which export a file, or a hash, is of: among the asker's own and, byte for byte, those of their workspace; an operator's
   * among all. Rejects with the reader's error.
   */
  verify(asker: ExportAsker, given: GivenLedger): Promise<VerifiedFile>;
  /** Interrupts the jobs that an earlier process left, and from then on removes what expires. Never rejects. */
  start(): Promise<void>;
  /** Jobs of processes that died, or ended in order, are interrupted: their people are told, and choose. Never rejects. */
  interruptAbandoned(): Promise<void>;
  /**
   * Another process may have changed something: begins what may begin now, and stops the jobs of this process that were
   * cancelled in another one. Never rejects.
   */
  syncJobs(): Promise<void>;
  /** Stops all jobs; their rows stay as they are. */
  close(): Promise<void>;
}

export interface ExportJobsDependencies extends Omit<UpkeepDependencies, "files" | "owe" | "onOwed"> {
  readonly exports: Pick<LedgerExports, "export">;
  /** Where archives are made; default: where the system has its temporary files. */
  readonly temporary?: TemporaryFiles;
  /** Where kept files can be downloaded; left out = nowhere. */
  readonly publicUrl?: string;
  readonly kept: KeptFilesOptions;
  /** Default 8 GiB. */
  readonly maxKeptBytes?: number;
  /** Default: nobody is told. */
  readonly owe?: UpkeepDependencies["owe"];
  readonly onOwed?: () => void;
  /** Default: random. */
  readonly newCode?: () => string;
}

const MAX_KEPT_BYTES = 8 * 1024 ** 3;
/** How many jobs a list holds at most. */
const MAX_LISTED = 100;

export function createExportJobs(dependencies: ExportJobsDependencies): ExportJobs {
  const { store, clock, log, newCode = randomCode, owe = owesNothing, onOwed = noop } = dependencies;
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

  async function run(request: ExportRequest): Promise<ExportOutcome> {
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
  }

  return {
    run,

    async list(asker) {
      const rows = await store.exports.list(asker.isOperator ? undefined : ownerOf(asker), at(), MAX_LISTED);
      return rows.map(jobOf);
    },

    standing: (code) => live.get(code)?.standing,

    async cancel(asker, typed) {
      const code = normalizeCode(typed);
      const row = await store.exports.get(code);
      if (row === undefined || !(asker.isOperator || isOwn(asker, row))) return undefined;
      const job = live.get(code);
      if (job === undefined) return cancelElsewhere({ store, clock }, row);
      if (job.finishing) return { job: jobOf(row), stopped: false };
      await runner.stop(job, new ExportCancelled());
      return { job: jobOf((await store.exports.get(code)) ?? row), stopped: true };
    },

    async fetch(asker, typed, into, signal) {
      const row = await store.exports.get(normalizeCode(typed));
      return row === undefined || !isOwn(asker, row) ? undefined : kept.ended(row, into, signal);
    },

    async ended(code, limitsOn) {
      const row = await store.exports.get(code);
      return row === undefined
        ? undefined
        : kept.ended(row, { limits: limitsOn(row.platform), number: 1 }, closing.signal);
    },

    linked: (secret) => kept.linked(secret, at()),

    verify: (asker, given) => verifyFile(store.exports, asker, given),

    interruptAbandoned,

    syncJobs: oneAfterAnother(syncOnce),

    async start() {
      await interruptAbandoned();
      sweeping = sweepRegularly(upkeep, closing.signal);
    },

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

/** Of a job that the nodes refuse until `pausedUntil`. */
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

/** Runs once after the run under way, however often it is asked for. */
function oneAfterAnother(work: () => Promise<void>): () => Promise<void> {
  let running = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= running.then(() => {
      next = undefined;
      running = work();
      return running;
    });
    return next;
  };
}

/** Resolves with how it ends, or once it takes longer than its command can be answered. */
async function waitFor(job: LiveJob, clock: Clock, runner: JobRunner): Promise<ExportOutcome> {
  const { code, asker, signal, answerWithin } = job;
  const over = new AbortController();
  const { promise: gone, resolve: leave } = Promise.withResolvers<"gone">();
  const abort = (): void => leave("gone");
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) leave("gone");
  const late =
    answerWithin === undefined
      ? gone
      : clock.sleep(answerWithin, over.signal).then(
          () => "late" as const,
          () => gone,
        );
  try {
    const first = await Promise.race([job.ended.promise, late, gone]);
    if (typeof first === "object") return first;
    if (first === "late" && job.finishing) return await job.ended.promise;
    if (first === "late") {
      job.awaited = false;
      return { kind: "later", code };
    }
    // The asker gets a message about its end, or can fetch it later; even where it ends at this very moment.
    const goesOn = asker.takesDirectMessages || answerWithin !== undefined;
    if (goesOn) job.awaited = false;
    if (!goesOn || job.finishing) await abandon(job, signal.reason, runner);
    throw signal.reason;
  } finally {
    over.abort();
    signal.removeEventListener("abort", abort);
  }
}

/** Nobody is there for the answer, and it can be sent to nobody. */
async function abandon(job: LiveJob, reason: unknown, runner: JobRunner): Promise<void> {
  await runner.stop(job, reason instanceof BotStopping ? reason : new ExportCancelled());
  const outcome = await job.ended.promise.catch(() => undefined);
  if (outcome?.kind === "whole") await Promise.all(outcome.delivery.attachments.map((file) => file.dispose()));
}

async function owesNothing(): Promise<void> {}

function noop(): void {}
