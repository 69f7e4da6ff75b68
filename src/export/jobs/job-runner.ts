import { ApiError } from "../../api/api-error.ts";
import type { Clock } from "../../api/clock.ts";
import { BotStopping, messageOf } from "../../errors.ts";
import type { Log } from "../../log.ts";
import type { Attachment } from "../../reply/attachment.ts";
import type { ExportChanges, ExportState, Store } from "../../store/store.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { toMillis } from "../../units/nanoseconds.ts";
import type { LedgerExports } from "../ledger-exports.ts";
import { ExportLine } from "./export-line.ts";
import { howFar } from "./failure.ts";
import type { ExportOutcome, ExportRequest, ExportStanding } from "./job.ts";
import { toStoredJson } from "./stored-json.ts";

/** How long an ended job can be seen, and its files fetched. */
const KEPT_FOR: Milliseconds = 86_400_000;
/** How often a job that the nodes refused is tried again. */
const MAX_REFUSALS = 5;
/** A refusal that does not say for how long. */
const USUAL_REFUSAL: Milliseconds = 5000;

/** A job of this process. */
export interface LiveJob extends ExportRequest {
  readonly code: string;
  readonly person: string;
  readonly network: string;
  readonly createdAt: Milliseconds;
  readonly cancellation: AbortController;
  readonly ended: PromiseWithResolvers<ExportOutcome>;
  /** Somebody waits for the answer. */
  awaited: boolean;
  /** Its bytes are there: what is left takes no time worth mentioning. */
  finishing: boolean;
  refusals: number;
  standing: ExportStanding;
}

export interface JobRunnerDependencies {
  readonly exports: LedgerExports;
  readonly store: Pick<Store, "exports">;
  readonly clock: Clock;
  readonly log: Log;
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
  leave(job: LiveJob): void;
  begin(job: LiveJob): void;
  /** Stops a job: at once where it waits, else as soon as its export has ended. */
  stop(job: LiveJob, reason: Error): Promise<void>;
}

export function createJobRunner({ exports, store, clock, log, closing }: JobRunnerDependencies): JobRunner {
  const line = new ExportLine<LiveJob>(() => clock.monotonicMillis());
  const live = new Map<string, LiveJob>();
  const at = (): Milliseconds => toMillis(clock.wallClock());

  /** Writes what a job has come to. The export does not fail where the database does. */
  async function note(code: string, changes: ExportChanges): Promise<void> {
    try {
      await store.exports.update(code, changes);
    } catch (thrown) {
      log.warn({ job: code, why: messageOf(thrown) }, "export not recorded");
    }
  }

  function report(job: LiveJob, standing: ExportStanding): void {
    job.standing = standing;
    if (job.awaited) job.onStanding?.(standing);
  }

  /** Begins what may begin, and tells the others where they stand. */
  function proceed(): void {
    for (;;) {
      const next = line.begin();
      if (next === undefined) break;
      void execute(next);
    }
    for (const [job, place] of line.places()) {
      const { code, network } = job;
      const paused = line.pausedFor(network);
      report(job, paused > 0 ? { code, state: "refused", until: at() + paused } : { code, state: "queued", ...place });
    }
  }

  async function execute(job: LiveJob): Promise<void> {
    const { code, api, request, subject, cancellation } = job;
    const { signal } = cancellation;
    let got = { bytes: 0, rows: 0 };
    let firstAt: Milliseconds | undefined;
    report(job, { code, state: "running", ...got });
    void note(code, { state: "running", started_at: at() });
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
          });
        },
      });
      job.finishing = true;
      line.end(job, true);
      const { account } = file;
      const sent = account.rows === 0 ? undefined : attachment;
      if (sent === undefined) await attachment.dispose();
      const result = { ...subject, file };
      await end(job, "delivered", {
        node: file.asOf.node,
        account: JSON.stringify(account),
        row_count: account.rows,
        byte_count: attachment.sizeBytes,
        result: toStoredJson(result),
      });
      if (sent !== undefined) await noteFile(code, sent);
      job.ended.resolve({ kind: "whole", code, result, ...(sent === undefined ? {} : { attachment: sent }) });
    } catch (thrown) {
      await failed(job, thrown, got);
    }
    proceed();
  }

  async function noteFile(code: string, { name, mediaType, sizeBytes, sha256 }: Attachment): Promise<void> {
    try {
      await store.exports.addFiles([{ code, name, media_type: mediaType, size_bytes: sizeBytes, sha256, path: null }]);
    } catch (thrown) {
      log.warn({ job: code, why: messageOf(thrown) }, "export not recorded");
    }
  }

  async function failed(job: LiveJob, thrown: unknown, got: { bytes: number; rows: number }): Promise<void> {
    const { code, network, asker, cancellation } = job;
    const refusal = refusalOf(thrown);
    if (refusal !== undefined && !cancellation.signal.aborted) {
      line.pause(network, refusal);
      void clock.sleep(refusal, closing).then(proceed, () => undefined);
      job.refusals += 1;
      // An operator reads the node's words at once; others are served once it takes questions again.
      if (asker.takesDirectMessages && job.refusals <= MAX_REFUSALS) {
        line.putBack(job);
        void note(code, { state: "queued", started_at: null });
        return;
      }
    }
    line.end(job, false);
    if (cancellation.signal.reason instanceof BotStopping) {
      live.delete(code);
      job.ended.reject(cancellation.signal.reason);
      return;
    }
    if (cancellation.signal.aborted) {
      await end(job, "cancelled", {});
      job.ended.resolve({ kind: "cancelled", code });
      return;
    }
    const told = howFar(thrown, got);
    await end(job, "failed", { row_count: got.rows, byte_count: got.bytes, failure: messageOf(told) });
    job.ended.reject(told);
  }

  async function end(job: LiveJob, state: ExportState, changes: ExportChanges): Promise<void> {
    live.delete(job.code);
    const ended_at = at();
    await note(job.code, { ...changes, state, ended_at, expires_at: ended_at + KEPT_FOR });
  }

  async function stop(job: LiveJob, reason: Error): Promise<void> {
    job.cancellation.abort(reason);
    if (line.remove(job)) {
      await failed(job, reason, { bytes: 0, rows: 0 });
      proceed();
    }
    await job.ended.promise.catch(() => undefined);
  }

  return {
    live,
    enter: (job) => void live.set(job.code, job),
    leave: (job) => void live.delete(job.code),
    begin(job) {
      line.add(job);
      proceed();
    },
    stop,
  };
}

/** How long the nodes are not to be asked; undefined where they refused nothing. */
function refusalOf(thrown: unknown): Milliseconds | undefined {
  if (!(thrown instanceof ApiError) || (thrown.kind !== "rate-limited" && thrown.kind !== "banned")) return undefined;
  return Math.max(1000, thrown.retryAfterMillis ?? USUAL_REFUSAL);
}
