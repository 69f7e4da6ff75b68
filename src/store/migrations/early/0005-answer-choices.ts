import type { Kysely } from "kysely";

export async function answerChoices(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("answer_choices")
    .addColumn("platform", "text", (column) => column.notNull())
    .addColumn("workspace", "text", (column) => column.notNull())
    .addColumn("markets", "text", (column) => column.notNull())
    .addColumn("chosen_by", "text", (column) => column.notNull())
    .addColumn("chosen_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("answer_choices_key", ["platform", "workspace"])
    .execute();
}
