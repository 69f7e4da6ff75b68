import type { Kysely } from "kysely";

/** A delivery counts the processes that died while they were sending it. */
export async function interruptions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("alert_deliveries")
    .addColumn("interruptions", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
}
