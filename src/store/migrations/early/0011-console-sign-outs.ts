import type { Kysely } from "kysely";

export async function consoleSignOuts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("console_sign_outs")
    .addColumn("session", "text", (column) => column.primaryKey().notNull())
    .addColumn("ends_at", "bigint", (column) => column.notNull())
    .execute();
}
