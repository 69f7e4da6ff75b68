import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

import type { Milliseconds } from "../../units/duration.ts";
import { SQLITE_BUSY, sqliteCode } from "../sqlite/sqlite-faults.ts";
import { makePrivateFile } from "./database-files.ts";

/** Keeps every other process out of a database until released; the system releases it when this process dies. */
export interface ProcessLock {
  release(): void;
}

/** The lock stands on a file of its own, so that holding it never gets in the way of the database's own locks. */
function lockFileOf(databaseFile: string): string {
  return `${databaseFile}.lock`;
}

/** Takes the lock, or gives undefined where somebody holds it. Throws what SQLite or the file system throws when the file cannot be used. */
export function tryProcessLock(databaseFile: string): ProcessLock | undefined {
  const file = lockFileOf(databaseFile);
  makePrivateFile(file);
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    // An exclusive transaction keeps everybody else out until it ends: https://www.sqlite.org/lang_transaction.html
    database.exec("BEGIN EXCLUSIVE");
  } catch (thrown) {
    database.close();
    if (sqliteCode(thrown) === SQLITE_BUSY) return undefined;
    throw thrown;
  }
  return { release: () => database.close() };
}

/** Tries again until the lock is free or the time is over; then undefined. */
export async function waitForProcessLock(
  databaseFile: string,
  waitMillis: Milliseconds,
): Promise<ProcessLock | undefined> {
  const deadline = performance.now() + waitMillis;
  for (;;) {
    const lock = tryProcessLock(databaseFile);
    if (lock !== undefined || performance.now() >= deadline) return lock;
    // Two that wait must not fall into step with each other.
    await sleep(5 + Math.random() * 20);
  }
}
