import type { ApiClient, AsOf, LedgerQuery } from "../api/api-client.ts";
import type { Attachment } from "../reply/attachment.ts";
import type { Nanoseconds } from "../units/nanoseconds.ts";

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

/** A whole export: checked to its end, on disk until its attachment is disposed of. */
export interface LedgerFile {
  readonly attachment: Attachment;
  /** Without the header. */
  readonly rows: number;
  /** Rows that the node sent though they lie outside what was asked for. */
  readonly dropped: number;
  /** As the header names them. */
  readonly columns: readonly string[];
  /** The earliest and latest vega_time among the rows, as the node wrote them. */
  readonly firstTime: Nanoseconds | undefined;
  readonly lastTime: Nanoseconds | undefined;
  readonly asOf: AsOf;
}

/** Ledger exports as files. Rejects with ApiError, UserError (an unknown column) or the signal's reason; then no file is left. */
export interface LedgerExports {
  export(api: ApiClient, request: LedgerExportRequest): Promise<LedgerFile>;
}
