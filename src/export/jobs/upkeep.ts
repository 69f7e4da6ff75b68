import { rm } from "node:fs/promises";

import { messageOf } from "../../errors.ts";
import type { Clock } from "../../api/clock.ts";
import type { Log } from "../../log.ts";
import type { ExportJobRow, ExportTables, Store, TransactionTables } from "../../store/store.ts";
import { type Milliseconds, toMillis } from "../../units/time.ts";
import type { KeptFiles } from "./kept-files.ts";

/** How long an ended job is listed, and its files can be fetched. */
export const KEPT_FOR: Milliseconds = 86_400_000;
/** How long a file is recognised by its hash. */
const RECOGNISED_FOR: Milliseconds = 400 * 86_400_000;
const SWEEP_EVERY: Milliseconds = 600_000;

export interface UpkeepDependencies {
  readonly store: Pick<Store, "exports" | "transaction" | "processes">;
  readonly files: KeptFiles;
  readonly clock: Clock;
  readonly log: Log;
  /** Enqueues, in the same transaction, a direct message about the end of a job, where its person takes any. */
  readonly owe: (
    tables: TransactionTables,
    job: Pick<ExportJobRow, "code" | "platform" | "workspace" | "person">,
  ) => Promise<void>;
  /** Called when a message may be due. */
  readonly onOwed: () => void;
}

/**
 * Interrupts the jobs that other processes left queued or running when they ended, and enqueues messages about them.
 */
export async function interruptLeftovers({ store, clock, owe, onOwed }: UpkeepDependencies): Promise<void> {
  const at = toMillis(clock.wallClock());
  const count = await store.transaction(async (tables) => {
    const left = await tables.exports.abandoned(store.processes.self);
    for (const job of left) {
      await tables.exports.update(job.code, { state: "interrupted", ended_at: at, expires_at: at + KEPT_FOR });
      await owe(tables, job);
    }
    return left.length;
  });
  if (count > 0) onOwed();
}

/** Removes expired jobs and files from the store and the disk, at intervals until the signal. Never rejects. */
export async function sweepRegularly(dependencies: UpkeepDependencies, signal: AbortSignal): Promise<void> {
  const { clock, log } = dependencies;
  while (!signal.aborted) {
    try {
      await sweep(dependencies);
    } catch (thrown) {
      log.warn({ why: messageOf(thrown) }, "export files not swept");
    }
    await clock.sleep(SWEEP_EVERY, signal).catch(() => undefined);
  }
}

async function sweep({ store, files, clock }: UpkeepDependencies): Promise<void> {
  const isOneOfSeveral = store.processes.aliveFor !== undefined;
  if (isOneOfSeveral) await files.mark(store.processes.self);
  const at = toMillis(clock.wallClock());
  await dropExpired(store.exports, at);
  await store.exports.prune(at, at - RECOGNISED_FOR);
  const named = (await store.exports.kept()).flatMap(({ path }) => path ?? []);
  await files.sweep(named, isOneOfSeveral);
}

/** Removes the files of expired jobs. Where only `ask` runs, there are no regular sweeps. */
export async function dropExpired(exports: ExportTables, at: Milliseconds): Promise<void> {
  const kept = await exports.kept();
  for (const code of new Set(kept.map((file) => file.code))) {
    const job = await exports.get(code);
    if (job?.expires_at !== null && job !== undefined && job.expires_at > at) continue;
    await dropFiles(exports, code);
  }
}

/** Removes kept files, those of the oldest job first, until there is room for so many more bytes. */
export async function makeRoom(exports: ExportTables, sizeBytes: number, maxBytes: number): Promise<void> {
  const kept = await exports.kept();
  let total = kept.reduce((sum, { size_bytes: size }) => sum + size, sizeBytes);
  for (const [code, files] of Map.groupBy(kept, (file) => file.code)) {
    if (total <= maxBytes) return;
    await dropFiles(exports, code);
    total -= files.reduce((sum, { size_bytes: size }) => sum + size, 0);
  }
}

/**
 * Changes the row first: the next sweep removes a file that no row names, while a row without its file would offer it.
 */
async function dropFiles(exports: ExportTables, code: string): Promise<void> {
  const rows = await exports.files(code);
  await exports.drop(code);
  for (const { path } of rows) if (path !== null) await rm(path, { force: true });
}
