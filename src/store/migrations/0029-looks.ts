import { type Kysely, sql } from "kysely";

import { isPostgres } from "../queries.ts";

/**
 * What watchers saw is kept: the looks of the present hour one by one, those before it in chunks. A watcher's looks are
 * numbered beside its snapshot, so that their order does not depend on the wall clock.
 */
export async function looks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("watcher_snapshots")
    .addColumn("looks", "bigint", (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable("looks_tail")
    .addColumn("network", "text", (column) => column.notNull())
    .addColumn("watcher", "text", (column) => column.notNull())
    .addColumn("number", "bigint", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("data", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("looks_tail_key", ["network", "watcher", "number"])
    .execute();
  await db.schema
    .createTable("looks_chunks")
    .addColumn("network", "text", (column) => column.notNull())
    .addColumn("watcher", "text", (column) => column.notNull())
    .addColumn("first", "bigint", (column) => column.notNull())
    .addColumn("last", "bigint", (column) => column.notNull())
    .addColumn("first_at", "bigint", (column) => column.notNull())
    .addColumn("last_at", "bigint", (column) => column.notNull())
    .addColumn("size", "bigint", (column) => column.notNull())
    .addColumn("bytes", isPostgres(db) ? "bytea" : "blob", (column) => column.notNull())
    .addPrimaryKeyConstraint("looks_chunks_key", ["network", "watcher", "first"])
    .execute();
  // The oldest goes first, whoever's it is; this index alone is read for the sum of the sizes.
  await db.schema.createIndex("looks_chunks_age").on("looks_chunks").columns(["last_at", "size"]).execute();
  // A chunk is packed already: PostgreSQL would try in vain.
  if (isPostgres(db)) await sql`alter table looks_chunks alter column bytes set storage external`.execute(db);
}
