import { randomBytes } from "node:crypto";

import { ApiError } from "../../api/api-error.ts";
import { BotStopping, messageOf } from "../../errors.ts";
import type { Attachment } from "../../reply/attachment.ts";
import type { ExportChanges, ExportFileRow, ExportState } from "../../store/store.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { toMillis } from "../../units/nanoseconds.ts";
import type { LedgerExports } from "../ledger-exports.ts";
import type { Delivery, Into } from "./deliver.ts";
import { ExportCancelled, failureWords, withExportProgress } from "./failure.ts";
import type { ExportOutcome, ExportRequest, ExportStanding } from "./job.ts";
import { toStoredJson } from "./stored-json.ts";
import { createTurns, type Turns } from "./turns.ts";
import { dropExpired, KEPT_FOR, makeRoom, type UpkeepDependencies } from "./upkeep.ts";

/** The pauses after the store failed. */
const FIRST_STORE_PAUSE: Milliseconds = 1000;
const MAX_STORE_PAUSE: Milliseconds = 60_000;
/** How often a job that the nodes refused is tried again. */
const MAX_REFUSALS = 5;
/** A refusal that does not say for how long. */
const USUAL_REFUSAL: Milliseconds = 5000;

/** A job of this process. */
export interface LiveJob extends ExportRequest {
  readonly code: string;
  readonly network: string;
  readonly cancellation: AbortController;
  readonly ended: PromiseWithResolvers<ExportOutcome>;
  /** Somebody waits for the answer. */
  awaited: boolean;
  /** It is stored, and stands in line. */
  waits: boolean;
  /** Its export has ended: what is left takes no time worth mentioning. */
  finishing: boolean;
  refusals: number;
  standing: ExportStanding;
}

export interface JobRunnerDependencies extends UpkeepDependencies {
  readonly exports: LedgerExports;
  /** What one message says of a kept file. */
  readonly deliverKept: (code: string, into: Into, signal: AbortSignal) => Promise<Delivery>;
  /** The most bytes that kept files may have together. */
  readonly maxKeptBytes: number;
  /** Aborted when the process stops. */
  readonly closing: AbortSignal;
}

/** Runs jobs in their turns, and stores what becomes of them. */
export interface JobRunner {
  /** All that wait or run, by code. */
  readonly live: ReadonlyMap<string, LiveJob>;
  /** Counts it from now on; it gets its turn with `begin`. */
  enter(job: LiveJob): void;
  /** It could not be stored. */
  leave(job: LiveJob, why: unknown): void;
  begin(job: LiveJob): void;
  readonly turns: Pick<Turns, "look" | "pausedUntil">;
  /** Stops a job: at once where it waits, else as soon as its export has ended. */
  stop(job: LiveJob, reason: Error): Promise<void>;
}

export function createJobRunner(dependencies: JobRunnerDependencies): JobRunner {
  const { exports, deliverKept, store, files, clock, log, owe, onOwed, maxKeptBytes, closing } = dependencies;
  const live = new Map<string, LiveJob>();
  const at = (): Milliseconds => toMillis(clock.wallClock());
  const turns = createTurns({ store, clock, log, closing, live, begin: (job) => void execute(job), report });

  function report(job: LiveJob, standing: ExportStanding): void {
    job.standing = standing;
    if (job.awaited) job.onStanding?.(standing);
  }

  async function execute(job: LiveJob): Promise<void> {
    const { code, api, request, subject, cancellation } = job;
    const { signal } = cancellation;
    let got = { bytes: 0, rows: 0 };
    let firstAt: Milliseconds | undefined;
    job.waits = false;
    report(job, { code, state: "running", ...got });
    try {
      const { attachment, ...file } = await exports.export(api, {
        ...request,
        query: subject.query,
        raw: subject.raw,
        ...(subject.columns === undefined ? {} : { columns: subject.columns }),
        signal,
        onProgress: (progress) => {
          got = { bytes: progress.bytes, rows: progress.rows };
          const now = clock.monotonicMillis();
          firstAt ??= now;
          const bytesPerSecond = now > firstAt ? Math.round((progress.bytes * 1000) / (now - firstAt)) : undefined;
          report(job, {
            code,
            state: "running",
            ...got,
            ...(bytesPerSecond === undefined ? {} : { bytesPerSecond }),
            ...(progress.share === undefined ? {} : { share: progress.share }),
          });
        },
      });
      await leaveNode(job, attachment);
      const { account } = file;
      const sent = account.rows === 0 ? undefined : attachment;
      if (sent === undefined) await attachment.dispose();
      const result = { ...subject, file };
      const changes = {
        node: file.asOf.node,
        account: JSON.stringify(account),
        row_count: account.rows,
        byte_count: attachment.sizeBytes,
        result: toStoredJson(result),
      };
      const fits = sent === undefined || sent.sizeBytes <= (job.limits?.maxBytes ?? Infinity);
      const staysFor = sent !== undefined && job.keepsFile === true;
      if (job.awaited && fits && !staysFor) {
        await settle(job, "delivered", changes, fileRows(code, sent));
        job.ended.resolve({ kind: "whole", code, result, delivery: { attachments: sent === undefined ? [] : [sent] } });
      } else {
        await keep(job, changes, sent);
        job.ended.resolve(
          job.awaited
            ? {
                kind: "whole",
                code,
                result,
                delivery: await deliverKept(code, { limits: job.limits, number: 1 }, signal),
              }
            : { kind: "later", code },
        );
      }
    } catch (thrown) {
      await failed(job, thrown, got);
    }
    turns.look();
    store.processes.announce();
  }

  /**
   * Its export has ended: others may ask the node, though its file is still to be copied. Rejects where it was stopped in
   * another process, which has said so.
   */
  async function leaveNode(job: LiveJob, attachment: Attachment): Promise<void> {
    const { code, cancellation } = job;
    job.finishing = true;
    try {
      const state = await store.transaction(async (tables) => {
        const row = await tables.exports.get(code);
        if (row?.state === "running") await tables.exports.update(code, { ended_at: at() });
        return row?.state;
      });
      if (state === "cancelled") cancellation.abort(new ExportCancelled());
      if (state === "interrupted") cancellation.abort(new BotStopping());
    } catch (thrown) {
      log.warn({ job: code, why: messageOf(thrown) }, "export not recorded");
    }
    if (!cancellation.signal.aborted) {
      turns.look();
      return;
    }
    await attachment.dispose();
    throw cancellation.signal.reason;
  }

  /** Nobody waits for it any more, or it is more than one file of a message: it stays until it expires. */
  async function keep(job: LiveJob, changes: ExportChanges, sent: Attachment | undefined): Promise<void> {
    try {
      if (sent === undefined) return await settle(job, "kept", changes, []);
      await dropExpired(dependencies, at());
      await makeRoom(dependencies, sent.sizeBytes, maxKeptBytes);
      const path = await files.keep(job.code, sent);
      const link = randomBytes(16).toString("base64url");
      await settle(job, "kept", changes, fileRows(job.code, sent, { path, link }));
      files.recorded(path);
    } finally {
      await sent?.dispose();
    }
  }

  async function failed(job: LiveJob, thrown: unknown, got: { bytes: number; rows: number }): Promise<void> {
    const { code, network, asker, cancellation } = job;
    const refusal = refusalOf(thrown);
    if (refusal !== undefined && !cancellation.signal.aborted) {
      job.refusals += 1;
      // An operator reads the node's words at once; others are served once it takes questions again.
      const waitsAgain = asker.takesDirectMessages && job.refusals <= MAX_REFUSALS;
      job.waits = waitsAgain;
      await turns.pause(network, refusal);
      if (waitsAgain) return;
    }
    job.finishing = true;
    if (cancellation.signal.reason instanceof BotStopping) {
      live.delete(code);
      job.ended.reject(cancellation.signal.reason);
      return;
    }
    if (cancellation.signal.aborted) {
      await settle(job, "cancelled", {}, []);
      job.ended.resolve({ kind: "cancelled", code });
      return;
    }
    const told = withExportProgress(thrown, got);
    const failure = failureWords(told);
    if (failure === undefined && !job.awaited) log.error({ err: told, job: code }, "command failed");
    const words = failure ?? "It was a fault of the bot's; its operator finds the cause in the log.";
    await settle(job, "failed", { row_count: got.rows, byte_count: got.bytes, failure: words }, []);
    job.ended.reject(told);
  }

  /** Stores the end of a job, with the message that it owes where nobody waits for the answer. */
  async function settle(
    job: LiveJob,
    state: ExportState,
    changes: ExportChanges,
    rows: readonly ExportFileRow[],
  ): Promise<void> {
    const { code, asker } = job;
    const ended_at = at();
    const ended = { ...changes, state, ended_at, expires_at: ended_at + KEPT_FOR };
    let owes = false;
    for (let pause = FIRST_STORE_PAUSE; ; pause = Math.min(2 * pause, MAX_STORE_PAUSE)) {
      owes = !job.awaited && asker.takesDirectMessages && state !== "cancelled";
      try {
        await store.transaction(async (tables) => {
          await tables.exports.update(code, ended);
          await tables.exports.addFiles(rows);
          const { platform, place, person } = asker;
          if (owes) await owe(tables, { code, platform, workspace: place, person });
        });
        break;
      } catch (thrown) {
        log.warn({ job: code, why: messageOf(thrown) }, "export not recorded");
        // Whoever waits gets the answer all the same; else it is owed until the process stops, and told at the next start.
        if (!owes || closing.aborted) break;
        await clock.sleep(pause, closing).catch(() => undefined);
      }
    }
    live.delete(code);
    if (owes) onOwed();
  }

  async function stop(job: LiveJob, reason: Error): Promise<void> {
    job.cancellation.abort(reason);
    if (job.waits) {
      job.waits = false;
      await failed(job, reason, { bytes: 0, rows: 0 });
      turns.look();
    }
    await job.ended.promise.catch(() => undefined);
  }

  return {
    live,
    enter: (job) => void live.set(job.code, job),
    leave(job, why) {
      live.delete(job.code);
      job.ended.reject(why);
    },
    begin(job) {
      job.waits = true;
      turns.look();
    },
    turns,
    stop,
  };
}

function fileRows(
  code: string,
  file: Attachment | undefined,
  kept: Pick<ExportFileRow, "path" | "link"> = { path: null, link: null },
): ExportFileRow[] {
  if (file === undefined) return [];
  const { name, mediaType: media_type, sizeBytes: size_bytes, sha256 } = file;
  return [{ code, name, media_type, size_bytes, sha256, ...kept }];
}

/** How long the nodes are not to be asked; undefined where they refused nothing. */
function refusalOf(thrown: unknown): Milliseconds | undefined {
  if (!(thrown instanceof ApiError) || (thrown.kind !== "rate-limited" && thrown.kind !== "banned")) return undefined;
  return Math.max(1000, thrown.retryAfterMillis ?? USUAL_REFUSAL);
}
