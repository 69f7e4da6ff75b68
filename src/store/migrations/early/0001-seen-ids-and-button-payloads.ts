import type { Kysely } from "kysely";

export async function seenIdsAndButtonPayloads(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("seen_ids")
    .addColumn("network", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("id_key", "text", (column) => column.notNull())
    .addColumn("label", "text")
    .addColumn("label_key", "text")
    .addColumn("seen_at", "bigint", (column) => column.notNull())
    .addColumn("position", "integer", (column) => column.notNull())
    .addPrimaryKeyConstraint("seen_ids_key", ["network", "kind", "id"])
    .execute();
  await db.schema
    .createIndex("seen_ids_newest")
    .on("seen_ids")
    .columns(["network", "kind", "seen_at desc", "position"])
    .execute();
  await db.schema
    .createTable("button_payloads")
    .addColumn("key", "text", (column) => column.primaryKey().notNull())
    .addColumn("value", "text", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("button_payloads_expiry").on("button_payloads").column("expires_at").execute();
}
