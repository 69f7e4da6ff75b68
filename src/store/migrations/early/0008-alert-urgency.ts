import { sql, type Kysely } from "kysely";

/** An index for owed deliveries about conditions. */
export async function alertUrgency(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex("alert_deliveries_urgent")
    .on("alert_deliveries")
    .columns(["platform", "seq"])
    .where(
      sql<boolean>`state in ('owed', 'sending') and phase in ('trigger', 'escalation', 'fired and resolved', 'resolve')`,
    )
    .execute();
}
