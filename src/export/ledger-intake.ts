import type { FileHandle } from "node:fs/promises";
import { Worker } from "node:worker_threads";

import { BlockThread } from "./block-thread.ts";
import { type BlockSink, fileSink, type Written } from "./block-writer.ts";
import { CsvSplitter, MalformedCsv } from "./csv-splitter.ts";
import { LedgerColumns, RowTally } from "./ledger-transform.ts";
import { LedgerWork, type LedgerWritten } from "./normalise/normalise.ts";
import type { NormalisedAccount, NormaliserOptions } from "./normalise/normaliser.ts";
import type { TemporaryFile, TemporaryFiles } from "./temporary-file.ts";
import type { SplitTime } from "./vega-time.ts";

/** The rows of a slow node are checked and counted at least this often. */
const FLUSH_MILLIS = 300;
/** V8 would by default take several times as much memory before it collects the garbage of rows. */
const YOUNG_GENERATION_MB = 8;
/** Memory for rows where all of them fit into one block. */
const FEW_RUN_BYTES = 4 * 1024 * 1024;

/** A finished file; flows and fingerprint are left out of a raw export. */
export type IntakeResult = Written &
  Omit<NormalisedAccount, "flows" | "fingerprint"> &
  Partial<Pick<NormalisedAccount, "flows" | "fingerprint">> & { readonly columns: readonly string[] };

/** Takes a node's bytes and makes a file of them. The methods throw as BlockWriter's do, and MalformedCsv. */
export interface LedgerIntake {
  readonly file: Pick<TemporaryFile<Written>, "open" | "dispose">;
  /** Rows taken so far. */
  readonly rows: number;
  /** See BlockWriter. */
  write(chunk: Buffer): Promise<void> | undefined;
  finish(): Promise<IntakeResult>;
  /** Ends all work, and keeps a finished file. Never rejects. */
  stop(): Promise<void>;
}

/**
 * Rows checked, filtered, in one form, sorted: on a thread of its own, unless they fit into one block. `onFailure` is
 * called at once with the error that every later call throws.
 */
export async function normalisedIntake(
  files: TemporaryFiles,
  options: NormaliserOptions,
  onFailure: (error: Error) => void,
): Promise<LedgerIntake> {
  const runs = await files.create(fileSink);
  const sink = (handle: FileHandle): BlockSink<LedgerWritten> => {
    const work = { ...options, fd: handle.fd, runsFd: runs.fd };
    return {
      flushMillis: FLUSH_MILLIS,
      onFailure,
      start: () =>
        new BlockThread(
          new Worker(new URL("./normalise/ledger-thread.ts", import.meta.url), {
            workerData: work,
            env: {},
            execArgv: [],
            resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
          }),
        ),
      takeAll: async (bytes) => {
        const here = new LedgerWork({ ...work, runBytes: FEW_RUN_BYTES });
        here.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
        return here.finish();
      },
    };
  };
  const file = await files.create(sink).catch(async (error: unknown) => {
    await runs.dispose();
    throw error;
  });
  return {
    file,
    get rows() {
      return file.rows;
    },
    write: (chunk) => file.write(chunk),
    async finish() {
      const written = await file.finish();
      return { ...written, columns: written.fingerprint.columns };
    },
    stop: () => runs.dispose(),
  };
}

/** The node's bytes as they are, each row of them checked. */
export async function rawIntake(files: TemporaryFiles): Promise<LedgerIntake> {
  const tally = new RowTally();
  const time: SplitTime = { seconds: 0, nanos: 0 };
  let columns: LedgerColumns | undefined;
  const splitter = new CsvSplitter((record) => {
    if (record.end === record.start) return;
    if (columns === undefined) {
      columns = new LedgerColumns(record);
      return;
    }
    columns.check(record, tally.rows + 1);
    const at = columns.time;
    if (at !== -1) columns.readTime(record, time, tally.rows + 1);
    tally.add(at === -1 ? undefined : time);
  });
  const file = await files.create(fileSink);
  return {
    file,
    get rows() {
      return tally.rows;
    },
    write(chunk) {
      splitter.push(chunk);
      return file.write(chunk);
    },
    async finish() {
      splitter.end();
      if (columns === undefined) throw new MalformedCsv("it has not even a header row");
      const { rows, firstTime, lastTime } = tally;
      return {
        ...(await file.finish()),
        rows,
        firstTime,
        lastTime,
        columns: columns.names,
        dropped: { asset: 0, party: 0, range: 0 },
        outgoingOnly: !columns.names.includes("effect"),
      };
    },
    stop: async () => {},
  };
}
