import type { Milliseconds } from "../units/duration.ts";
import type { WithDatabase } from "./access.ts";
import { DatabaseInUse } from "./database-in-use.ts";
import { livingHolder, removeHolderRecord, writeHolderRecord } from "./holder-record.ts";
import { openFile, type OpenFile } from "./open-file.ts";
import { toOperatorError } from "./sqlite-faults.ts";
import type { WriteHealth } from "./write-health.ts";

/** Whoever waits for the file looks this often whether somebody has taken it for life. */
const HOLDER_CHECK_MILLIS: Milliseconds = 250;

/** How a process reaches a database file. */
export interface FileAccess {
  readonly withDatabase: WithDatabase;
  /** Takes the file, or finds out that it could be taken. */
  claim(): Promise<void>;
  close(): Promise<void>;
}

/** Taken at the first use and kept until closed. */
export function openForLife(file: string, waitMillis: Milliseconds, writes: WriteHealth): FileAccess {
  let opened: Promise<OpenFile> | undefined;
  let closed = false;

  const open = async (): Promise<OpenFile> => {
    if (closed) throw new Error("The store is closed.");
    opened ??= take();
    try {
      return await opened;
    } catch (thrown) {
      // The cause may pass: the next call tries again.
      opened = undefined;
      throw thrown;
    }
  };
  const take = async (): Promise<OpenFile> => {
    const taken = await openFile(file, waitMillis, writes);
    try {
      writeHolderRecord(file, { pid: process.pid });
    } catch (thrown) {
      await taken.close();
      throw toOperatorError(thrown, file);
    }
    return taken;
  };

  return {
    withDatabase: async (work) => work(await (await open()).kysely()),
    async claim() {
      await open();
    },
    async close() {
      if (closed) return;
      closed = true;
      const taken = await opened?.catch(() => undefined);
      if (taken === undefined) return;
      removeHolderRecord(file);
      await taken.close();
    },
  };
}

/** Taken for each call and given back at its end; calls of this process stand in line. */
export function openPerCall(file: string, waitMillis: Milliseconds, writes: WriteHealth): FileAccess {
  let last: Promise<unknown> = Promise.resolve();
  let closed = false;

  const inTurn = <T>(work: (taken: OpenFile) => Promise<T>): Promise<T> => {
    const turn = last.then(async () => {
      if (closed) throw new Error("The store is closed.");
      const taken = await openInTurn(file, waitMillis, writes);
      try {
        return await work(taken);
      } finally {
        await taken.close();
      }
    });
    last = turn.catch(() => undefined);
    return turn;
  };

  return {
    withDatabase: (work) => inTurn(async (taken) => work(await taken.kysely())),
    claim: () => inTurn(async () => undefined),
    async close() {
      closed = true;
    },
  };
}

/** Stands in line with those who take it for a call; who holds it for life will not let go of it soon. */
async function openInTurn(file: string, waitMillis: Milliseconds, writes: WriteHealth): Promise<OpenFile> {
  const deadline = performance.now() + waitMillis;
  for (;;) {
    try {
      const wait = livingHolder(file) === undefined ? Math.min(HOLDER_CHECK_MILLIS, waitMillis) : 0;
      return await openFile(file, wait, writes);
    } catch (thrown) {
      const passing = thrown instanceof DatabaseInUse && livingHolder(file) === undefined;
      if (!passing || performance.now() >= deadline) throw thrown;
    }
  }
}
