import type { Kysely } from "kysely";

export async function databaseMarks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("database_marks")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("value", "text", (column) => column.notNull())
    .execute();
}
