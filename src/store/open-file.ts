import type { DatabaseSync } from "node:sqlite";

import type { Kysely } from "kysely";

import type { Milliseconds } from "../units/duration.ts";
import { DatabaseInUse } from "./database-in-use.ts";
import { waitForProcessLock } from "./process-lock.ts";
import type { Schema } from "./schema.ts";
import { makeFolderOf, openSqlite } from "./sqlite-database.ts";
import { toOperatorError } from "./sqlite-faults.ts";
import type { WriteHealth } from "./write-health.ts";

/** A database file that is locked for this process and open. */
export interface OpenFile {
  /** Queries, over the newest schema. Kysely and its hundreds of modules are loaded with the first call. */
  kysely(): Promise<Kysely<Schema>>;
  /** Closes the file, then gives up the lock. */
  close(): Promise<void>;
}

/** Rejects with UserError where another process holds the file for longer than that, or where it cannot be used. */
export async function openFile(file: string, waitMillis: Milliseconds, writes: WriteHealth): Promise<OpenFile> {
  try {
    makeFolderOf(file);
    const lock = await waitForProcessLock(file, waitMillis);
    if (lock === undefined) throw new DatabaseInUse(file);
    try {
      const { database, migrated } = openSqlite(file);
      let queries: Promise<Kysely<Schema>> | undefined;
      return {
        kysely() {
          queries ??= openQueries(database, migrated, writes).catch((thrown: unknown) => {
            queries = undefined;
            throw toOperatorError(thrown, file);
          });
          return queries;
        },
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

async function openQueries(database: DatabaseSync, migrated: boolean, writes: WriteHealth): Promise<Kysely<Schema>> {
  const { kyselyOver } = await import("./kysely-sqlite.ts");
  const db = kyselyOver(database, writes);
  if (!migrated) await (await import("./migrate.ts")).migrate(db);
  return db;
}
