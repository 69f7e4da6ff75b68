import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

import type { Milliseconds } from "../../units/time.ts";
import { SQLITE_BUSY, sqliteCode } from "../sqlite/sqlite-faults.ts";
import { makePrivateFile } from "../sqlite/database-files.ts";

/** Keeps every other process out of a database until released; the system releases it when this process dies. */
export interface ProcessLock extends Disposable {
  release(): void;
}

/** The lock is a separate file, because it must not interfere with the database's own locks. */
function lockFileOf(databaseFile: string): string {
  return `${databaseFile}.lock`;
}

/** Whether a process ever took the lock: a database is, or was, beside it. The lock's file stays after its release. */
export function wasEverLocked(databaseFile: string): boolean {
  return existsSync(lockFileOf(databaseFile));
}

/**
 * Takes the lock; undefined where another process holds it. Throws what SQLite or the file system throws when the file
 * cannot be used.
 */
export function tryProcessLock(databaseFile: string): ProcessLock | undefined {
  const file = lockFileOf(databaseFile);
  makePrivateFile(file);
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    // An exclusive transaction locks out all others until it ends: https://www.sqlite.org/lang_transaction.html
    database.exec("BEGIN EXCLUSIVE");
  } catch (thrown) {
    database.close();
    if (sqliteCode(thrown) === SQLITE_BUSY) return undefined;
    throw thrown;
  }
  const release = (): void => database.close();
  return { release, [Symbol.dispose]: release };
}

/** Retries until the lock is free; undefined after the timeout. */
export async function waitForProcessLock(
  databaseFile: string,
  waitMillis: Milliseconds,
): Promise<ProcessLock | undefined> {
  const deadline = performance.now() + waitMillis;
  for (;;) {
    const lock = tryProcessLock(databaseFile);
    if (lock !== undefined || performance.now() >= deadline) return lock;
    // Jitter, so that waiting processes do not retry in step.
    await sleep(5 + Math.random() * 20);
  }
}
