import type { Kysely } from "kysely";

/** Answers that are being made, with what closes them after a crash, sealed. */
export async function openAnswers({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("open_answers")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("platform", "text", (column) => column.notNull())
    .addColumn("workspace", "text", (column) => column.notNull())
    .addColumn("process", "text", (column) => column.notNull())
    .addColumn("sealed", "text", (column) => column.notNull())
    .addColumn("answering", "integer", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
}
