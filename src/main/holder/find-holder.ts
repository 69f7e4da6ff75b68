import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { UserError } from "../../errors.ts";
import { readHolderRecord } from "../../store/file/holder-record.ts";
import { tryProcessLock, wasEverLocked } from "../../store/file/process-lock.ts";
import type { Milliseconds } from "../../units/time.ts";

/** How long a holder may take from claiming the database to answering on its socket. */
const HOLDER_START_MILLIS: Milliseconds = 5000;
const CONNECT_MILLIS: Milliseconds = 1000;

/**
 * The address at which the holder of a database answers; undefined when no process holds it for longer than a moment.
 * Rejects with UserError when its holder does not answer.
 */
export async function findHolder(databaseFile: string, waitMillis = HOLDER_START_MILLIS): Promise<string | undefined> {
  const deadline = performance.now() + waitMillis;
  for (;;) {
    const record = readHolderRecord(databaseFile);
    // A process that was killed leaves its record and its socket behind.
    if (record?.socket !== undefined && (await acceptsConnections(record.socket))) return record.socket;
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
  // A lock that is taken has a file, and this check must not make one.
  if (!wasEverLocked(databaseFile)) return false;
  try {
    const lock = tryProcessLock(databaseFile);
    lock?.release();
    return lock === undefined;
  } catch {
    // The store reports what is wrong with the folder.
    return false;
  }
}

async function acceptsConnections(address: string): Promise<boolean> {
  const socket = connect(address);
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(CONNECT_MILLIS) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
