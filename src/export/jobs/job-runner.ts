import { randomBytes } from "node:crypto";

import { ApiError } from "../../api/api-error.ts";
import { BotStopping, messageOf } from "../../errors.ts";
import { inTime, type Milliseconds, toMillis } from "../../units/time.ts";
import type { Attachment } from "../../reply/reply.ts";
import type { ExportChanges, ExportFileRow, ExportState } from "../../store/store.ts";
import type { LedgerExports } from "../ledger-exports.ts";
import { ExportCancelled, failureWords, withExportProgress } from "./failure.ts";
import { type ExportOutcome, type ExportRequest, type ExportStanding, toStoredJson } from "./job.ts";
import type { KeptExports } from "./kept-files.ts";
import { createTurns, type Turns } from "./turns.ts";
import { dropExpired, KEPT_FOR, makeRoom, type UpkeepDependencies } from "./upkeep.ts";

/** The pauses after the store failed. */
const FIRST_STORE_PAUSE: Milliseconds = 1000;
const MAX_STORE_PAUSE: Milliseconds = 60_000;
/** How often a job that the nodes refused is tried again. */
const MAX_REFUSALS = 5;
/** The pause after a refusal that names none. */
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
  /** Begins the next slice; set while the job waits between two. */
  resume?: (() => void) | undefined;
  /** Its export has ended; the rest takes little time. */
  finishing: boolean;
  /** When its export left the node. */
  leftAt?: Milliseconds;
  refusals: number;
  standing: ExportStanding;
}

export interface JobRunnerDependencies extends UpkeepDependencies {
  readonly exports: Pick<LedgerExports, "export">;
  readonly kept: Pick<KeptExports, "deliver" | "recognised">;
  /** The most bytes that kept files may have together. */
  readonly maxKeptBytes: number;
  /** Aborted when the process stops. */
  readonly closing: AbortSignal;
}

/** Runs jobs in their turns, and stores how they end. */
export class JobRunner {
  /** The jobs of this process that wait or run, by code. */
  readonly live = new Map<string, LiveJob>();
  readonly turns: Turns;
  readonly #dependencies: JobRunnerDependencies;

  constructor(dependencies: JobRunnerDependencies) {
    this.#dependencies = dependencies;
    const { store, clock, log, closing } = dependencies;
    this.turns = createTurns({
      store,
      clock,
      log,
      closing,
      live: this.live,
      begin: (job) => (job.resume === undefined ? void this.#execute(job) : job.resume()),
      report: (job, standing) => this.#report(job, standing),
    });
  }

  /** Takes a new job, and lets it wait for its turn once it is stored. Rejects as `store` does. */
  async enter(job: LiveJob, store: () => Promise<void>): Promise<void> {
    this.live.set(job.code, job);
    try {
      await store();
    } catch (thrown) {
      this.live.delete(job.code);
      job.ended.reject(thrown);
      throw thrown;
    }
    job.waits = true;
    this.turns.look();
  }

  #at(): Milliseconds {
    return toMillis(this.#dependencies.clock.wallClock());
  }

  #report(job: LiveJob, standing: ExportStanding): void {
    job.standing = standing;
    if (job.awaited) job.onStanding?.(standing);
  }

  async #execute(job: LiveJob): Promise<void> {
    const { exports, kept, clock, store } = this.#dependencies;
    const { code, api, request, subject, cancellation } = job;
    const { signal } = cancellation;
    let got = { bytes: 0, rows: 0 };
    let firstAt: Milliseconds | undefined;
    job.waits = false;
    this.#report(job, { code, state: "running", ...got });
    try {
      const { attachment, ...file } = await exports.export(api, {
        ...request,
        ...subject,
        signal,
        nextTurn: () => this.#standAgain(job),
        onProgress: (progress) => {
          const now = clock.monotonicMillis();
          // Another node begins anew.
          if (firstAt === undefined || progress.bytes < got.bytes) firstAt = now;
          got = { bytes: progress.bytes, rows: progress.rows };
          const bytesPerSecond = now > firstAt ? Math.round((progress.bytes * 1000) / (now - firstAt)) : undefined;
          this.#report(job, { code, state: "running", ...got, bytesPerSecond, share: progress.share });
        },
      });
      await this.#leaveNode(job, attachment);
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
        await this.#settle(job, "delivered", changes, fileRows(code, sent));
        const attachments = sent === undefined ? [] : [kept.recognised(code, sent)];
        job.ended.resolve({ kind: "whole", code, result, delivery: { attachments } });
      } else {
        await this.#keep(job, changes, sent);
        job.ended.resolve(
          job.awaited
            ? {
                kind: "whole",
                code,
                result,
                delivery: await kept.deliver(code, { limits: job.limits, number: 1 }, signal),
              }
            : { kind: "later", code },
        );
      }
    } catch (thrown) {
      await this.#failed(job, thrown, got);
    }
    this.turns.look();
    store.processes.announce();
  }

  /**
   * Records that the export has ended, so that others may ask the node while the file is being copied. Rejects where
   * another process has stopped the job.
   */
  async #leaveNode(job: LiveJob, attachment: Attachment): Promise<void> {
    const { cancellation } = job;
    job.finishing = true;
    job.leftAt = this.#at();
    await this.#endTurn(job, { ended_at: job.leftAt });
    if (!cancellation.signal.aborted) {
      this.turns.look();
      return;
    }
    await attachment.dispose();
    throw cancellation.signal.reason;
  }

  /** Stands in line again, behind all who wait by now. Resolves in its turn; rejects once the job is stopped. */
  async #standAgain(job: LiveJob): Promise<void> {
    const { signal } = job.cancellation;
    await this.#endTurn(job, { state: "queued", ended_at: this.#at() });
    signal.throwIfAborted();
    const turn = Promise.withResolvers<void>();
    job.resume = () => {
      job.resume = undefined;
      job.waits = false;
      turn.resolve();
    };
    job.waits = true;
    this.turns.look();
    await inTime(turn.promise, { signal }, () => job.resume?.());
    signal.throwIfAborted();
  }

  /** Records that a job leaves its node. Cancels it where another process has stopped it. Never rejects. */
  async #endTurn({ code, cancellation }: LiveJob, changes: ExportChanges): Promise<void> {
    const { store, log } = this.#dependencies;
    try {
      const state = await store.transaction(async (tables) => {
        const row = await tables.exports.get(code);
        if (row?.state === "running") await tables.exports.update(code, changes);
        return row?.state;
      });
      if (state === "cancelled") cancellation.abort(new ExportCancelled());
      if (state === "interrupted") cancellation.abort(new BotStopping());
    } catch (thrown) {
      log.warn({ job: code, why: messageOf(thrown) }, "export not recorded");
    }
  }

  /** Copies the file, to be kept until the job expires: nobody waits for it, or it does not fit into the answer. */
  async #keep(job: LiveJob, changes: ExportChanges, sent: Attachment | undefined): Promise<void> {
    const { store, files, maxKeptBytes } = this.#dependencies;
    try {
      if (sent === undefined) return await this.#settle(job, "kept", changes, []);
      await dropExpired(store.exports, this.#at());
      await makeRoom(store.exports, sent.sizeBytes, maxKeptBytes);
      const path = await files.keep(job.code, sent);
      const link = randomBytes(16).toString("base64url");
      await this.#settle(job, "kept", changes, fileRows(job.code, sent, { path, link }));
      files.recorded(path);
    } finally {
      await sent?.dispose();
    }
  }

  async #failed(job: LiveJob, thrown: unknown, got: { bytes: number; rows: number }): Promise<void> {
    const { code, network, asker, cancellation } = job;
    const refusal = refusalOf(thrown);
    if (refusal !== undefined && !cancellation.signal.aborted) {
      job.refusals += 1;
      // Whoever takes no direct messages reads the refusal at once; the jobs of others wait for the node.
      const waitsAgain = asker.takesDirectMessages && job.refusals <= MAX_REFUSALS;
      job.waits = waitsAgain;
      await this.turns.pause(network, refusal);
      if (waitsAgain) return;
    }
    job.finishing = true;
    if (cancellation.signal.reason instanceof BotStopping) {
      this.live.delete(code);
      job.ended.reject(cancellation.signal.reason);
      return;
    }
    if (cancellation.signal.aborted) {
      await this.#settle(job, "cancelled", {}, []);
      job.ended.resolve({ kind: "cancelled", code });
      return;
    }
    const told = withExportProgress(thrown, got);
    const failure = failureWords(told);
    if (failure === undefined && !job.awaited) this.#dependencies.log.error({ err: told, job: code }, "command failed");
    const words = failure ?? "It was a fault of the bot's; its operator finds the cause in the log.";
    await this.#settle(job, "failed", { row_count: got.rows, byte_count: got.bytes, failure: words }, []);
    job.ended.reject(told);
  }

  /** Stores the end of a job, together with the owed message where nobody waits for the answer. */
  async #settle(
    job: LiveJob,
    state: ExportState,
    changes: ExportChanges,
    rows: readonly ExportFileRow[],
  ): Promise<void> {
    const { store, clock, log, owe, onOwed, closing } = this.#dependencies;
    const { code, asker } = job;
    const at = this.#at();
    // The node was free from then on; the estimates of waits need that time.
    const ended = { ...changes, state, ended_at: job.leftAt ?? at, expires_at: at + KEPT_FOR };
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
        // A caller who waits gets the answer anyway. For others, the store is tried again until the process stops; the
        // next start then interrupts the job.
        if (!owes || closing.aborted) break;
        await clock.sleep(pause, closing).catch(() => undefined);
      }
    }
    this.live.delete(code);
    if (owes) onOwed();
  }

  /** Stops a job: at once where it waits, else as soon as its export has ended. */
  async stop(job: LiveJob, reason: Error): Promise<void> {
    job.cancellation.abort(reason);
    if (job.waits && job.resume === undefined) {
      job.waits = false;
      await this.#failed(job, reason, { bytes: 0, rows: 0 });
      this.turns.look();
    }
    await job.ended.promise.catch(() => undefined);
  }
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

/** How long the nodes must not be asked; undefined where they refused nothing. */
function refusalOf(thrown: unknown): Milliseconds | undefined {
  if (!(thrown instanceof ApiError) || (thrown.kind !== "rate-limited" && thrown.kind !== "banned")) return undefined;
  return Math.max(1000, thrown.retryAfterMillis ?? USUAL_REFUSAL);
}
