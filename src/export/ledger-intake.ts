import type { FileHandle } from "node:fs/promises";
import { Worker } from "node:worker_threads";

import { BlockThread } from "./block-thread.ts";
import type { BlockSink, Written } from "./block-writer.ts";
import { MalformedCsv } from "./csv-splitter.ts";
import type { LedgerFingerprint, LedgerFlows } from "./ledger-account.ts";
import { LedgerWork, type LedgerWritten } from "./normalise/normalise.ts";
import type { NormaliserOptions } from "./normalise/normaliser.ts";
import { RawTransform } from "./raw-transform.ts";
import type { TemporaryFile, TemporaryFiles } from "./temporary-file.ts";

/** A slow node's rows are checked and counted this often at least. */
const FLUSH_MILLIS = 300;
/** A row is needed for a moment only. V8 would take several times as much memory before it collects garbage. */
const YOUNG_GENERATION_MB = 8;
/** Memory for rows where all of them fit into one block. */
const FEW_RUN_BYTES = 4 * 1024 * 1024;

/** What an export's rows tell of it. */
export interface IntakeResult extends Written {
  readonly rows: number;
  readonly firstTime: bigint | undefined;
  readonly lastTime: bigint | undefined;
  readonly columns: readonly string[];
  readonly dropped: { readonly asset: number; readonly party: number; readonly range: number };
  readonly outgoingOnly: boolean;
  readonly flows?: LedgerFlows;
  readonly fingerprint?: LedgerFingerprint;
}

/** Takes a node's bytes and makes a file of them. Methods throw and reject as BlockWriter's and MalformedCsv. */
export interface LedgerIntake {
  readonly file: Pick<TemporaryFile<Written>, "open" | "dispose">;
  /** Rows taken so far. */
  readonly rows: number;
  /** See BlockWriter. */
  write(chunk: Buffer): Promise<void> | undefined;
  finish(): Promise<IntakeResult>;
  /** Ends all work; the file stays where the export is finished. Never rejects. */
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
  const runs = await files.create();
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
    write: (chunk) => file.write([chunk]),
    async finish() {
      const written = await file.finish();
      return { ...written, columns: written.fingerprint.columns };
    },
    stop: () => runs.dispose(),
  };
}

/** The node's bytes as they are, once each row is seen to be a ledger's. */
export async function rawIntake(files: TemporaryFiles): Promise<LedgerIntake> {
  const transform = new RawTransform();
  const file = await files.create();
  return {
    file,
    get rows() {
      return transform.tally.rows;
    },
    write: (chunk) => file.write(transform.push(chunk)),
    async finish() {
      transform.end();
      const { columns } = transform;
      if (columns === undefined) throw new MalformedCsv("it has not even a header row");
      const { rows, firstTime, lastTime } = transform.tally;
      const written = await file.finish();
      return {
        ...written,
        rows,
        firstTime,
        lastTime,
        columns,
        dropped: { asset: 0, party: 0, range: 0 },
        outgoingOnly: !columns.includes("effect"),
      };
    },
    stop: async () => {},
  };
}
