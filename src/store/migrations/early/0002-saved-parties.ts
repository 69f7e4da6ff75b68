import type { Kysely } from "kysely";

export async function savedParties(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("saved_parties")
    .addColumn("owner", "text", (column) => column.notNull())
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("name", "text")
    .addColumn("saved_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("saved_parties_key", ["owner", "id"])
    .execute();
}
