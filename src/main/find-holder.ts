import { existsSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { UserError } from "../errors.ts";
import { readHolderRecord } from "../store/file/holder.ts";
import { tryProcessLock } from "../store/file/process-lock.ts";
import type { Milliseconds } from "../units/duration.ts";

/** How long a holder may take from claiming the database to answering on its socket. */
const START_MILLIS: Milliseconds = 5000;
const CONNECT_MILLIS: Milliseconds = 1000;

/**
 * Where the process that holds a database answers; undefined where nobody holds it for longer than a moment.
 * Rejects with UserError where somebody holds it and does not answer.
 */
export async function findHolder(databaseFile: string, waitMillis = START_MILLIS): Promise<string | undefined> {
  const deadline = performance.now() + waitMillis;
  for (;;) {
    const record = readHolderRecord(databaseFile);
    // A process that was killed leaves its record and its socket behind, and nobody behind them.
    if (record?.socket !== undefined && (await answers(record.socket))) return record.socket;
    if (!isHeld(databaseFile)) return undefined;
    if (performance.now() >= deadline) {
      throw new UserError(
        `The database ${databaseFile} is in use${record === undefined ? "" : ` by process ${record.pid}`}, which does not answer.`,
        { remedy: "Stop that process, or name another file in DATABASE_URL." },
      );
    }
    await sleep(25);
  }
}

function isHeld(databaseFile: string): boolean {
  // In a folder that does not exist nobody holds anything, and looking must not make one.
  if (!existsSync(path.dirname(databaseFile))) return false;
  try {
    const lock = tryProcessLock(databaseFile);
    lock?.release();
    return lock === undefined;
  } catch {
    // What is wrong with the place is said where the store is used.
    return false;
  }
}

function answers(address: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(address);
  const done = (connected: boolean): void => {
    socket.destroy();
    resolve(connected);
  };
  socket.setTimeout(CONNECT_MILLIS, () => done(false));
  socket.once("connect", () => done(true));
  socket.once("error", () => done(false));
  return promise;
}
