// A ledger export becomes a file on disk, with its account. ledger-intake.ts takes the node's bytes: it checks those of
// a raw export, and gives all others to normalise/, which brings rows of every release into one form and sorts them on
// a thread of its own. slices.ts cuts a long range, and joins the files of its slices. node-memory.ts remembers which
// history each node has. jobs/ decides when an export runs, and stores its end.

import { setTimeout as delay } from "node:timers/promises";

import type { ApiClient, AsOf, LedgerQuery, LedgerStream, NodeClient } from "../api/api-client.ts";
import { ApiError, asApiError } from "../api/api-error.ts";
import { messageOf, UserError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Attachment } from "../reply/reply.ts";
import { type Milliseconds, nanoseconds, type Nanoseconds } from "../units/time.ts";
import { withoutUndefined } from "../units/without-undefined.ts";
import { MalformedCsv } from "./csv-splitter.ts";
import { diskBudget, type DiskReservation } from "./disk-budget.ts";
import { attachmentOf, fileName, unreadableFailure } from "./export-file.ts";
import type { LedgerAccount } from "./ledger-account.ts";
import { type IntakeResult, type LedgerIntake, normalisedIntake, rawIntake } from "./ledger-intake.ts";
import { NodeMemory } from "./node-memory.ts";
import { type JoinedAccount, joinedAccount, joinedStream, slicesOf } from "./slices.ts";
import { temporaryFiles, type TemporaryFiles } from "./temporary-file.ts";

export interface LedgerExportRequest {
  readonly query: LedgerQuery;
  /** Columns to keep, by header name and in this order; left out = all. */
  readonly columns?: readonly string[];
  /** The node's bytes untouched: nothing dropped, no column chosen, not sorted. */
  readonly raw: boolean;
  /** The asset's, as far as known; the column `amount` is written with it. */
  readonly unit?: { readonly symbol?: string; readonly decimals?: number };
  /** Begins the file's name, after labels such as SIMULATED where they apply. */
  readonly name: string;
  readonly signal: AbortSignal;
  /** Resolves when the next slice of the range may be asked for; left out = at once. */
  nextTurn?(): Promise<void>;
  /** Called at intervals while bytes arrive, and when the export fails after some have. */
  onProgress?(progress: {
    readonly bytes: number;
    readonly rows: number;
    /** Of the answer, from 0 to 1; absent where the node does not say how long it is. */
    readonly share?: number | undefined;
  }): void;
}

/** What a request is for: the whole range, one slice of it, or slices that are joined. */
type ExportStep = LedgerExportRequest & { readonly isSlice?: true; readonly joined?: JoinedAccount };

/** A whole export, on disk until its attachment is disposed of. */
export interface LedgerFile {
  readonly attachment: Attachment;
  readonly account: LedgerAccount;
  /** Of the file, in its order. */
  readonly columns: readonly string[];
  readonly asOf: AsOf;
}

export interface LedgerExportsConfig {
  /** The folder of the files; default: a private folder under the system's one for temporary files. */
  readonly directory?: string;
  readonly log: Log;
  now(): Nanoseconds;
  /** The most that one export may bring, in bytes. Default 8 GiB. */
  readonly maxBytes?: number;
  /** The most that all temporary files together may take, in bytes. Default 24 GiB. */
  readonly maxTemporaryBytes?: number;
  /** Makes the files; default: in the directory. */
  readonly files?: TemporaryFiles;
  /** A longer range is fetched in slices of this length, in whole seconds. Default: whatever its length, as one. */
  readonly sliceMillis?: Milliseconds;
  /** How long to wait, after a malformed row, for the node's own error. Default 1 s. */
  readonly reasonMillis?: Milliseconds;
}

const DEFAULT_MAX_BYTES = 8 * 1024 ** 3;
/** The node's bytes of an export of the largest size, its sorted runs and its file. */
const DEFAULT_MAX_TEMPORARY_BYTES = 3 * DEFAULT_MAX_BYTES;
/**
 * Bytes on disk for each byte received: those of the sorted runs and of the file, whose rows may be longer than the
 * node's.
 */
const DISK_BYTES = { raw: 1, normalised: 3 } as const;
/** Bytes that are still received behind a malformed row: the node's own error may be among them. */
const MAX_REASON_BYTES = 64 * 1024;
const DEFAULT_REASON_MILLIS = 1000;
/** Every report is an edit of a message on some platforms. */
const PROGRESS_EVERY = nanoseconds(400_000_000n);

/**
 * Ledger exports as files. Rejects with ApiError, UserError (an unknown column), StorageError (the disk is full) or the
 * signal's reason; then no file is left.
 */
export class LedgerExports {
  readonly #config: LedgerExportsConfig;
  readonly #files: TemporaryFiles;
  readonly #maxBytes: number;
  readonly #reserve: () => DiskReservation;
  readonly #memory = new NodeMemory();

  constructor(config: LedgerExportsConfig) {
    this.#config = config;
    this.#files = config.files ?? temporaryFiles(config.directory === undefined ? {} : { directory: config.directory });
    this.#maxBytes = config.maxBytes ?? DEFAULT_MAX_BYTES;
    this.#reserve = diskBudget(config.maxTemporaryBytes ?? DEFAULT_MAX_TEMPORARY_BYTES);
  }

  /**
   * Prefers a node whose rows also tell what the party received. Where a node sends outgoing entries alone, this is
   * remembered, and each other node is asked once. Where a node fails, nothing of its file is kept, and another one is
   * asked; each is asked once at most.
   */
  async export(api: ApiClient, request: LedgerExportRequest): Promise<LedgerFile> {
    if (request.raw && (request.columns ?? []).length > 0) {
      throw new UserError("A raw export is what the node sends, untouched, so no columns can be chosen.", {
        remedy: "Leave out either raw or columns.",
        option: "columns",
      });
    }
    const { sliceMillis = Infinity } = this.#config;
    const slices = request.raw ? [] : slicesOf(request.query, sliceMillis, this.#config.now());
    return slices.length > 1 ? this.#exportSlices(api, request, slices) : this.#exportRange(api, request, new Set());
  }

  /** Fetches slices, each whole before the next one is asked for, and joins them. */
  async #exportSlices(
    api: ApiClient,
    request: LedgerExportRequest,
    slices: readonly LedgerQuery[],
  ): Promise<LedgerFile> {
    const files: LedgerFile[] = [];
    const failed = new Set<string>();
    let [bytes, rows] = [0, 0];
    try {
      for (const [index, query] of slices.entries()) {
        if (index > 0) await request.nextTurn?.();
        const onProgress: LedgerExportRequest["onProgress"] = (got) => {
          const share = got.share === undefined ? undefined : (index + got.share) / slices.length;
          request.onProgress?.({ bytes: bytes + got.bytes, rows: rows + got.rows, share });
        };
        const file = await this.#exportRange(api, { ...request, query, isSlice: true, onProgress }, failed);
        files.push(file);
        for (const { node } of file.account.failed ?? []) failed.add(node);
        bytes += file.account.sizeBytes;
        rows += file.account.rows;
      }
      return await this.#join(request, files);
    } finally {
      await Promise.all(files.map(({ attachment }) => attachment.dispose()));
    }
  }

  /** The slices as one file; columns that not all of them have are left out. Replaces slices that have more. */
  async #join(request: LedgerExportRequest, slices: LedgerFile[]): Promise<LedgerFile> {
    const columns = (slices[0]?.columns ?? []).filter((name) => slices.every((slice) => slice.columns.includes(name)));
    const joinAll = (files: readonly LedgerFile[], more: Partial<ExportStep>): Promise<LedgerFile> =>
      this.#runExport(joinedStream(files), { ...request, onProgress() {}, joined: joinedAccount(files), ...more });
    for (const [index, slice] of slices.entries()) {
      if (slice.columns.join("\n") === columns.join("\n")) continue;
      slices[index] = await joinAll([slice], { columns });
      await slice.attachment.dispose();
    }
    return joinAll(slices, {});
  }

  /** `last`: nodes that are asked only where no other one can be. */
  async #exportRange(api: ApiClient, request: ExportStep, last: ReadonlySet<string>): Promise<LedgerFile> {
    const { signal } = request;
    const after = new Set([...this.#memory.outgoingOnlyNodes(api.network), ...last]);
    let file: LedgerFile | undefined;
    for (let failed: readonly ApiError[] = []; file === undefined;) {
      const stream = await api.exportLedger(request.query, { signal, after, failed });
      try {
        file = await this.#runExport(stream, request);
      } catch (error) {
        failed = [...stream.failed, asApiError(error)];
      }
    }
    for (const node of api.nodes) {
      if (!file.account.outgoingOnly) break;
      const isKnown =
        this.#memory.outgoingOnlyNodes(api.network).has(node.name) ||
        file.account.failed?.some((one) => one.node === node.name);
      if (!isKnown && !node.health.circuitOpen) file = await this.#betterOf(file, node, request);
    }
    return file;
  }

  async #betterOf(file: LedgerFile, node: NodeClient, request: ExportStep): Promise<LedgerFile> {
    let other: LedgerFile;
    try {
      other = await this.#runExport(await node.exportLedger(request.query, { signal: request.signal }), request);
    } catch (error) {
      if (error instanceof ApiError && !request.signal.aborted) return file;
      await file.attachment.dispose();
      throw error;
    }
    const worse = other.account.outgoingOnly || (file.account.endIsProven && !other.account.endIsProven) ? other : file;
    await worse.attachment.dispose();
    return worse === other ? file : other;
  }

  async #runExport(stream: LedgerStream, request: ExportStep): Promise<LedgerFile> {
    const { network, node } = stream.asOf;
    const reservation = this.#reserve();
    let intake: LedgerIntake | undefined;
    const received = { bytes: 0 };
    const failure = Promise.withResolvers<never>();
    try {
      const { query, columns, unit, isSlice, joined } = request;
      intake = request.raw
        ? await rawIntake(this.#files)
        : await normalisedIntake(
            this.#files,
            { query, columns, decimals: unit?.decimals, isSlice, outgoingOnly: joined?.outgoingOnly },
            failure.reject,
          );
      // The thread may find that the bytes are no ledger while the node sends nothing.
      const failed = failure.promise.catch(async (error: unknown) => {
        if (error instanceof MalformedCsv) await delay(this.#config.reasonMillis ?? DEFAULT_REASON_MILLIS);
        throw error;
      });
      await Promise.race([this.#pour(stream, intake, reservation, request, received), failed]);
      const result = await intake.finish();
      await intake.stop();
      reservation.hold(result.sizeBytes);
      request.signal.throwIfAborted();
      const { rows, dropped, sizeBytes, sha256 } = result;
      this.#config.log.info(
        {
          network,
          node,
          receivedBytes: received.bytes,
          rows,
          dropped: dropped.asset + dropped.party + dropped.range,
          sizeBytes,
          sha256,
        },
        "export finished",
      );
      const account = this.#accountOf(request, stream, result);
      return {
        attachment: attachmentOf(
          intake,
          reservation,
          fileName(request, stream.asOf, account),
          stream.contentType,
          account,
        ),
        account,
        columns: result.columns,
        asOf: stream.asOf,
      };
    } catch (thrown) {
      const unreadable = thrown instanceof MalformedCsv ? unreadableFailure(stream.asOf, thrown) : undefined;
      const error = unreadable ?? thrown;
      stream.cancel(unreadable);
      if (received.bytes > 0 && !request.signal.aborted) {
        request.onProgress?.({ bytes: received.bytes, rows: intake?.rows ?? 0 });
      }
      await intake?.file.dispose();
      await intake?.stop();
      reservation.release();
      this.#config.log.warn({ network, node, why: messageOf(error) }, "export failed");
      request.signal.throwIfAborted();
      throw error;
    }
  }

  async #pour(
    stream: LedgerStream,
    intake: LedgerIntake,
    reservation: DiskReservation,
    request: LedgerExportRequest,
    received: { bytes: number },
  ): Promise<void> {
    const diskBytes = request.raw ? DISK_BYTES.raw : DISK_BYTES.normalised;
    let reportedAt = this.#config.now();
    let malformed: { readonly error: MalformedCsv; readonly at: number } | undefined;
    const take = (error: unknown): void => {
      if (!(error instanceof MalformedCsv)) throw error;
      malformed ??= { error, at: received.bytes };
    };
    await stream.consume((chunk) => {
      request.signal.throwIfAborted();
      received.bytes += chunk.length;
      const { bytes } = received;
      if (malformed !== undefined) {
        if (bytes - malformed.at > MAX_REASON_BYTES) throw malformed.error;
        return undefined;
      }
      if (bytes > this.#maxBytes) {
        throw new UserError(
          `This export is larger than ${Math.floor(this.#maxBytes / 1_000_000)} MB, the most that is kept.`,
          { remedy: "Ask for a shorter range." },
        );
      }
      reservation.hold(bytes * diskBytes);
      let drained: Promise<void> | undefined;
      try {
        drained = intake.write(chunk);
      } catch (error) {
        take(error);
        return undefined;
      }
      if (request.onProgress !== undefined) {
        const at = this.#config.now();
        if (at - reportedAt >= PROGRESS_EVERY) {
          reportedAt = at;
          request.onProgress({ bytes, rows: intake.rows, share: stream.share() });
        }
      }
      return drained?.catch(take);
    });
    if (malformed !== undefined) throw malformed.error;
  }

  #accountOf(request: ExportStep, stream: LedgerStream, result: IntakeResult): LedgerAccount {
    const { network, node } = stream.asOf;
    const { rows, firstTime, lastTime, dropped, outgoingOnly, flows, fingerprint, sizeBytes, sha256 } = result;
    const { ledgerDays, failed } = stream;
    const range = { from: request.query.from, now: this.#config.now() };
    const known: JoinedAccount = request.joined ?? {
      dropped,
      outgoingOnly,
      ...(failed.length === 0 ? {} : { failed: failed.flatMap(({ tried }) => tried) }),
      ...withoutUndefined({
        partial: this.#memory.learn({ network, node, ledgerDays }, { outgoingOnly, firstTime }, range),
      }),
    };
    return {
      rows,
      ...withoutUndefined({ firstTime: firstTime?.toString(), lastTime: lastTime?.toString() }),
      ...withoutUndefined({ flows }),
      ...known,
      raw: request.raw,
      unit: { ...request.unit },
      endIsProven: stream.endIsProven,
      sizeBytes,
      sha256,
      ...(fingerprint === undefined ? {} : { fingerprint }),
    };
  }
}
