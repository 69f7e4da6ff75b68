import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** News of conditions is found at once among all that is owed. */
export const alertUrgency: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createIndex("alert_deliveries_urgent")
      .on("alert_deliveries")
      .columns(["platform", "seq"])
      .where(
        sql<boolean>`state in ('owed', 'sending') and phase in ('trigger', 'escalation', 'fired and resolved', 'resolve')`,
      )
      .execute();
  },
};
