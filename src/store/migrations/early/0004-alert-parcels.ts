import type { Kysely } from "kysely";

export async function alertParcels(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("alert_parcels")
    .addColumn("seq", "bigint", (column) => column.primaryKey().notNull())
    .addColumn("platform", "text", (column) => column.notNull())
    .addColumn("owed", "integer", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("data", "text", (column) => column.notNull())
    .execute();
  // The text of a message of the day is now a message, which all destinations with the same day share.
  await db.schema.alterTable("alert_rolling").renameColumn("data", "message").execute();
}
