// A process takes the database file under a lock, opens it, and loads Kysely with the first query; file faults become
// errors for the operator. Next: process-lock.ts and holder-record.ts (who holds the file), file-identity.ts (whether
// it is still there), backup.ts, inspect-file.ts, origin.ts (a simulator's file is never used for configured networks),
// ../sqlite/database-files.ts.
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

import type { Kysely } from "kysely";

import { UserError } from "../../errors.ts";
import type { Milliseconds } from "../../units/time.ts";
import { refuseOtherSchema } from "../migrations/schema-age.ts";
import type { WithDatabase } from "../queries.ts";
import type { Schema } from "../schema.ts";
import { toOperatorError } from "../sqlite/sqlite-faults.ts";
import { executedMigrations, makeFolderOf, openSqlite, schemaAgeOf } from "../sqlite/sqlite.ts";
import type { WriteHealth } from "../write-health.ts";
import { copyBeforeMigration } from "../sqlite/database-files.ts";
import { type ContentMark, type FileLoss, identityOf, lossOf, markContent } from "./file-identity.ts";
import { DatabaseInUse, livingHolder, removeHolderRecord, writeHolderRecord } from "./holder-record.ts";
import { waitForProcessLock } from "./process-lock.ts";

/** How long a statement that reads waits for a writer. */
const BUSY_MILLIS: Milliseconds = 5000;
/** How often a waiting process checks whether another one has taken the file for life. */
const HOLDER_CHECK_MILLIS: Milliseconds = 250;

/** The access of this process to a database file. */
interface FileAccess {
  readonly withDatabase: WithDatabase;
  /** Takes the file, or checks that it can be taken. */
  claim(): Promise<void>;
  /** How the file that this process holds for life was lost; undefined where it is in its place, or none is open. */
  lost(): FileLoss | undefined;
  close(): Promise<void>;
}

/** Access that locks the file from the first use until it is closed. */
export function openForLife(file: string, waitMillis: Milliseconds, writes: WriteHealth): FileAccess {
  let opened: Promise<OpenFile> | undefined;
  let held: OpenFile | undefined;
  let mark: ContentMark | undefined;
  let closed = false;

  const take = async (): Promise<OpenFile> => {
    const taken = await openFile(file, waitMillis, writes);
    try {
      writeHolderRecord(file, { pid: process.pid });
    } catch (thrown) {
      await taken.close();
      throw toOperatorError(thrown, file);
    }
    try {
      mark = markContent(file, taken.database);
    } catch {
      // The disk may be full, which the first write reports. The bot goes on without the mark.
    }
    held = taken;
    return taken;
  };

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
  return {
    withDatabase: async (work) => work(await (await open()).kysely()),
    async claim() {
      await open();
    },
    lost() {
      if (held === undefined) return undefined;
      return lossOf(file, held.identity) ?? (mark?.isOverwritten() === true ? "overwritten" : undefined);
    },
    async close() {
      if (closed) return;
      closed = true;
      const taken = await opened?.catch(() => undefined);
      held = undefined;
      if (taken === undefined) return;
      removeHolderRecord(file);
      await taken.close();
      mark?.close();
    },
  };
}

/** Access that locks the file for each call; calls of this process are queued. */
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
    lost: () => undefined,
    async close() {
      closed = true;
    },
  };
}

/** Access that only reads, whoever holds the file: https://www.sqlite.org/wal.html#concurrency */
export function openToRead(file: string): FileAccess {
  let opened: Promise<Kysely<Schema>> | undefined;
  const open = async (): Promise<Kysely<Schema>> => {
    try {
      if (!existsSync(file)) {
        throw new UserError(`There is no database ${file}.`, {
          remedy: "Set DATABASE_URL to the database of the bot whose data is wanted; npm start makes one.",
        });
      }
      const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MILLIS });
      try {
        refuseOtherSchema(schemaAgeOf(database), `The database ${file}`);
      } catch (thrown) {
        database.close();
        throw thrown;
      }
      return (await import("../sqlite/kysely-sqlite.ts")).kyselyOver(database);
    } catch (thrown) {
      throw toOperatorError(thrown, file);
    }
  };
  return {
    withDatabase: async (work) => work(await (opened ??= open())),
    async claim() {
      await (opened ??= open());
    },
    lost: () => undefined,
    async close() {
      const db = await opened?.catch(() => undefined);
      await db?.destroy();
    },
  };
}

/** Waits for processes that take the file for a call, but not for one that holds it for life. */
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

/** A database file that is locked for this process and open. */
type OpenFile = Awaited<ReturnType<typeof openFile>>;

/**
 * Rejects with UserError where another process holds the file for longer than `waitMillis`, or where it cannot be used.
 */
async function openFile(file: string, waitMillis: Milliseconds, writes: WriteHealth) {
  try {
    makeFolderOf(file);
    const lock = await waitForProcessLock(file, waitMillis);
    if (lock === undefined) throw new DatabaseInUse(file);
    try {
      const { database, migrated } = openSqlite(file);
      let queries: Promise<Kysely<Schema>> | undefined;
      return {
        database,
        identity: identityOf(file),
        /** Queries, over the newest schema. Kysely and its hundreds of modules are loaded with the first call. */
        kysely() {
          queries ??= openQueries(file, { database, migrated }, writes).catch((thrown: unknown) => {
            queries = undefined;
            throw toOperatorError(thrown, file);
          });
          return queries;
        },
        /** Closes the file, then releases the lock. */
        async close() {
          try {
            const db = await queries?.catch(() => undefined);
            await db?.destroy();
            if (database.isOpen) database.close();
          } finally {
            lock.release();
          }
        },
      };
    } catch (thrown) {
      lock.release();
      throw thrown;
    }
  } catch (thrown) {
    throw toOperatorError(thrown, file);
  }
}

async function openQueries(
  file: string,
  { database, migrated }: { readonly database: DatabaseSync; readonly migrated: boolean },
  writes: WriteHealth,
): Promise<Kysely<Schema>> {
  const { kyselyOver } = await import("../sqlite/kysely-sqlite.ts");
  const db = kyselyOver(database, writes);
  const schema = migrated ? undefined : executedMigrations(database).at(-1);
  if (schema !== undefined) copyBeforeMigration(file, schema);
  if (!migrated) await (await import("../migrations/migrate.ts")).migrate(db);
  return db;
}
