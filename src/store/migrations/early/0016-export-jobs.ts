import { sql, type Kysely } from "kysely";

/** Ledger exports as jobs, and the files that they made. */
export async function exportJobs({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("export_jobs")
    .addColumn("code", "text", (column) => column.primaryKey().notNull())
    .addColumn("platform", "text", (column) => column.notNull())
    .addColumn("workspace", "text", (column) => column.notNull())
    .addColumn("channel", "text")
    .addColumn("person", "text", (column) => column.notNull())
    .addColumn("network", "text", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("invocation", "text")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("started_at", "bigint")
    .addColumn("ended_at", "bigint")
    .addColumn("node", "text")
    .addColumn("row_count", "bigint")
    .addColumn("byte_count", "bigint")
    .addColumn("failure", "text")
    .addColumn("result", "text")
    .addColumn("account", "text")
    .addColumn("expires_at", "bigint")
    .execute();
  await schema
    .createIndex("export_jobs_person")
    .on("export_jobs")
    .columns(["platform", "person", "created_at"])
    .execute();
  await schema
    .createIndex("export_jobs_open")
    .on("export_jobs")
    .column("created_at")
    .where(sql<boolean>`state in ('queued', 'running')`)
    .execute();
  await schema.createIndex("export_jobs_expiry").on("export_jobs").column("expires_at").execute();
  await schema.createIndex("export_jobs_age").on("export_jobs").column("created_at").execute();
  await schema
    .createTable("export_files")
    .addColumn("code", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("media_type", "text", (column) => column.notNull())
    .addColumn("size_bytes", "bigint", (column) => column.notNull())
    .addColumn("sha256", "text", (column) => column.notNull())
    .addColumn("path", "text")
    .addColumn("link", "text")
    .addPrimaryKeyConstraint("export_files_key", ["code", "name"])
    .execute();
  await schema.createIndex("export_files_name").on("export_files").column("name").execute();
  await schema.createIndex("export_files_link").on("export_files").column("link").execute();
  await schema.createIndex("export_files_hash").on("export_files").column("sha256").execute();
}
