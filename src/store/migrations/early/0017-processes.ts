import type { Kysely } from "kysely";

/** Tables and columns for several processes: which are alive, and which process has each duty, delivery and export. */
export async function processes({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("processes")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("alive_until", "bigint", (column) => column.notNull())
    .execute();
  await schema
    .createTable("leases")
    .addColumn("name", "text", (column) => column.primaryKey().notNull())
    .addColumn("holder", "text", (column) => column.notNull())
    .addColumn("epoch", "bigint", (column) => column.notNull())
    .execute();
  await schema.alterTable("alert_deliveries").addColumn("claimed_by", "text").execute();
  await schema.alterTable("export_jobs").addColumn("process", "text").execute();
}
