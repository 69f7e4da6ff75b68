import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** A delivery counts the processes that died while they were sending it. */
export const interruptions: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .alterTable("alert_deliveries")
      .addColumn("interruptions", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
