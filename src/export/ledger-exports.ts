// A ledger export becomes a file on disk: the node's bytes pass a transform (raw-transform.ts, or row-filter.ts, which
// checks every row) and go to a temporary-file.ts, whose block-writer.ts writes and hashes on a thread of its own.
// jobs/ says when an export runs, and what becomes of it.

import type { ApiClient, AsOf, LedgerQuery, LedgerStream } from "../api/api-client.ts";
import { ApiError } from "../api/api-error.ts";
import { messageOf, UserError } from "../errors.ts";
import type { Log } from "../log.ts";
import { type Attachment, safeFileName } from "../reply/attachment.ts";
import { nanoseconds, type Nanoseconds } from "../units/nanoseconds.ts";
import { MalformedCsv } from "./csv-splitter.ts";
import type { LedgerTransform } from "./ledger-transform.ts";
import { RawTransform } from "./raw-transform.ts";
import { RowFilter } from "./row-filter.ts";
import { type TemporaryFile, temporaryFiles, type TemporaryFiles } from "./temporary-file.ts";

export interface LedgerExportRequest {
  readonly query: LedgerQuery;
  /** Columns to keep, by header name and in this order; left out = all. */
  readonly columns?: readonly string[];
  /** The node's bytes untouched: nothing dropped, no column chosen. */
  readonly raw: boolean;
  /** Begins the file's name, after SIMULATED where that applies. */
  readonly name: string;
  readonly signal: AbortSignal;
  /** Called now and then while bytes arrive. */
  onProgress?(progress: { readonly bytes: number; readonly rows: number }): void;
}

/** A complete export, on disk until its attachment is disposed of. */
export interface LedgerFile {
  readonly attachment: Attachment;
  /** Without the header. */
  readonly rows: number;
  /** Rows that the node sent although they lie outside the query. */
  readonly dropped: number;
  /** See LedgerStream. The file's name says so where it is false. */
  readonly endIsProven: boolean;
  /** As the header names them. */
  readonly columns: readonly string[];
  /** The earliest and latest vega_time among the rows, as the node wrote them. */
  readonly firstTime: Nanoseconds | undefined;
  readonly lastTime: Nanoseconds | undefined;
  readonly asOf: AsOf;
}

/**
 * Ledger exports as files. Rejects with ApiError, UserError (an unknown column), StorageError (the disk is full) or the
 * signal's reason; then no file is left.
 */
export interface LedgerExports {
  export(api: ApiClient, request: LedgerExportRequest): Promise<LedgerFile>;
}

export interface LedgerExportsConfig {
  /** Where the files lie; default is a private folder under the system's one for temporary files. */
  readonly directory?: string;
  readonly log: Log;
  now(): Nanoseconds;
  /** The most that one export may bring, in bytes. Default 8 GiB. */
  readonly maxBytes?: number;
  /** Where the bytes go; default is the directory. */
  readonly files?: TemporaryFiles;
}

const DEFAULT_MAX_BYTES = 8 * 1024 ** 3;
/** So many bytes behind a malformed row are still received, since they may hold the reason why the row is cut. */
const MAX_REASON_BYTES = 64 * 1024;
/** Every report is an edit of a message on some platforms. */
const PROGRESS_EVERY = nanoseconds(400_000_000n);

export function createLedgerExports(config: LedgerExportsConfig): LedgerExports {
  const files = config.files ?? temporaryFiles(config.directory === undefined ? {} : { directory: config.directory });
  const maxBytes = config.maxBytes ?? DEFAULT_MAX_BYTES;

  return {
    async export(api, request) {
      if (request.raw && request.columns !== undefined && request.columns.length > 0) {
        throw new UserError("A raw export is what the node sends, untouched, so no columns can be chosen.", {
          remedy: "Leave out either raw or columns.",
          option: "columns",
        });
      }
      return runExport(api, request);
    },
  };

  async function runExport(api: ApiClient, request: LedgerExportRequest): Promise<LedgerFile> {
    const stream = await api.exportLedger(request.query, { signal: request.signal });
    const transform = request.raw ? new RawTransform() : new RowFilter(request.query, request.columns);
    let file: TemporaryFile | undefined;
    try {
      file = await files.create();
      const receivedBytes = await pour(stream, transform, file, request);
      if (transform.columns === undefined) throw new MalformedCsv("it has not even a header row");
      const written = await file.finish();
      request.signal.throwIfAborted();
      const { network, node } = stream.asOf;
      const { rows, firstTime, lastTime } = transform.tally;
      config.log.info(
        { network, node, receivedBytes, rows, dropped: transform.dropped, ...written },
        "export finished",
      );
      return {
        attachment: attachmentOf(file, written, fileName(request, stream), stream.contentType, transform.tally),
        rows,
        dropped: transform.dropped,
        endIsProven: stream.endIsProven,
        columns: transform.columns,
        firstTime,
        lastTime,
        asOf: stream.asOf,
      };
    } catch (error) {
      stream.cancel();
      await file?.dispose();
      const { network, node } = stream.asOf;
      config.log.warn({ network, node, why: messageOf(error) }, "export failed");
      request.signal.throwIfAborted();
      if (error instanceof MalformedCsv) {
        const message = `${node} sent a ledger export that cannot be read: ${error.message}.`;
        throw new ApiError("unreadable", message, { network, node, httpStatus: 200, cause: error });
      }
      throw error;
    }
  }

  async function pour(
    stream: LedgerStream,
    transform: LedgerTransform,
    file: TemporaryFile,
    request: LedgerExportRequest,
  ): Promise<number> {
    let bytes = 0;
    let reportedAt = config.now();
    let malformed: { readonly error: MalformedCsv; readonly at: number } | undefined;
    await stream.consume((chunk) => {
      bytes += chunk.length;
      if (malformed !== undefined) {
        if (bytes - malformed.at > MAX_REASON_BYTES) throw malformed.error;
        return undefined;
      }
      if (bytes > maxBytes) {
        throw new UserError(
          `This export is larger than ${Math.floor(maxBytes / 1_000_000)} MB, the most that is kept.`,
          { remedy: "Ask for a shorter range." },
        );
      }
      let ready: readonly Buffer[];
      try {
        ready = transform.push(chunk);
      } catch (error) {
        if (!(error instanceof MalformedCsv)) throw error;
        malformed = { error, at: bytes };
        return undefined;
      }
      const drained = file.write(ready);
      if (request.onProgress !== undefined) {
        const at = config.now();
        if (at - reportedAt >= PROGRESS_EVERY) {
          reportedAt = at;
          request.onProgress({ bytes, rows: transform.tally.rows });
        }
      }
      return drained;
    });
    if (malformed !== undefined) throw malformed.error;
    const drained = file.write(transform.end());
    if (drained !== undefined) await drained;
    return bytes;
  }
}

function attachmentOf(
  file: TemporaryFile,
  written: { readonly sizeBytes: number; readonly sha256: string },
  name: string,
  contentType: string,
  { firstTime, lastTime }: Pick<LedgerFile, "firstTime" | "lastTime">,
): Attachment {
  return {
    name,
    mediaType: /^[\w.+-]+\/[\w.+-]+(; ?[\w.+-]+="?[\w.+-]+"?)*$/u.test(contentType) ? contentType : "text/csv",
    ...written,
    ...(firstTime === undefined || lastTime === undefined
      ? {}
      : { covers: { from: firstTime, to: nanoseconds(lastTime + 1n) } }),
    open: () => file.open(),
    dispose: () => file.dispose(),
  };
}

/** `SIMULATED-END-NOT-CONFIRMED-ledger-f8ac93d1-USDT-raw.csv`; with both labels still below the 120 of safeFileName. */
function fileName(request: LedgerExportRequest, { asOf, endIsProven }: LedgerStream): string {
  const parts = [
    ...(asOf.simulated ? ["SIMULATED"] : []),
    ...(endIsProven ? [] : ["END-NOT-CONFIRMED"]),
    request.name.slice(0, 80),
    ...(request.raw ? ["raw"] : []),
  ];
  return safeFileName(`${parts.join("-")}.csv`);
}
