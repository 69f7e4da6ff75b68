import type { Kysely } from "kysely";

import type { Schema } from "./schema.ts";

/** Runs work on the database, however it is reached: opened for life, borrowed for a moment, or inside a transaction. */
export type WithDatabase = <T>(work: (db: Kysely<Schema>) => Promise<T>) => Promise<T>;

/** All of the work or nothing of it, whether or not a transaction is under way. */
export function atomically<T>(db: Kysely<Schema>, work: (db: Kysely<Schema>) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}
