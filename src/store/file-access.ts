import { setTimeout as sleep } from "node:timers/promises";

import type { Milliseconds } from "../units/duration.ts";
import type { Use } from "./access.ts";
import { processLives, readHolderRecord, removeHolderRecord, writeHolderRecord } from "./holder-record.ts";
import { openFile, type OpenFile } from "./open-file.ts";

/** How a process reaches a database file. */
export interface FileAccess {
  readonly use: Use;
  /** Takes the file, or finds out that it could be taken. */
  claim(): Promise<void>;
  close(): Promise<void>;
}

/** How long closing waits for calls that are under way. */
const CLOSE_MILLIS: Milliseconds = 2000;

/** Taken at the first use and kept until closed. */
export function heldForLife(file: string, waitMillis: Milliseconds): FileAccess {
  let opened: Promise<OpenFile> | undefined;
  let closed = false;
  const running = new Set<Promise<unknown>>();

  const open = (): Promise<OpenFile> => {
    if (closed) return Promise.reject(new Error("The store is closed."));
    opened ??= openFile(file, waitMillis).then(
      (taken) => {
        writeHolderRecord(file, { pid: process.pid });
        return taken;
      },
      (thrown: unknown) => {
        opened = undefined;
        throw thrown;
      },
    );
    return opened;
  };

  return {
    use: async (work) => {
      const db = await (await open()).kysely();
      const call = work(db);
      running.add(call);
      try {
        return await call;
      } finally {
        running.delete(call);
      }
    },
    async claim() {
      await open();
    },
    async close() {
      if (closed) return;
      closed = true;
      const taken = await opened?.catch(() => undefined);
      if (taken === undefined) return;
      await Promise.race([Promise.allSettled(running), sleep(CLOSE_MILLIS, undefined, { ref: false })]);
      removeHolderRecord(file);
      await taken.close();
    },
  };
}

function heldForLong(file: string): boolean {
  const record = readHolderRecord(file);
  return record !== undefined && processLives(record.pid);
}

/** Taken for each call and given back at its end; calls of this process stand in line. */
export function heldPerCall(file: string, waitMillis: Milliseconds): FileAccess {
  let last: Promise<unknown> = Promise.resolve();
  let closed = false;

  const inTurn = <T>(work: (taken: OpenFile) => Promise<T>): Promise<T> => {
    const turn = last.then(async () => {
      if (closed) throw new Error("The store is closed.");
      // Who holds it for life will not let go of it soon.
      const taken = await openFile(file, heldForLong(file) ? 0 : waitMillis);
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
    use: (work) => inTurn(async (taken) => work(await taken.kysely())),
    claim: () => inTurn(async () => undefined),
    async close() {
      closed = true;
      await Promise.race([last, sleep(CLOSE_MILLIS, undefined, { ref: false })]);
    },
  };
}
