import { sql, type Kysely } from "kysely";

/** A column and an index by which urgent deliveries are claimed first. */
export async function deliveryUrgency(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("alert_deliveries")
    .addColumn("urgency", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`update alert_deliveries set urgency = 1 where phase in ('trigger', 'escalation', 'fired and resolved', 'resolve') and state in ('owed', 'sending')`.execute(
    db,
  );
  await db.schema
    .createIndex("alert_deliveries_urgency")
    .on("alert_deliveries")
    .columns(["platform", "urgency desc", "seq"])
    .where(sql<boolean>`state in ('owed', 'sending')`)
    .execute();
}
