import type { Kysely } from "kysely";

/** Every delivery is written three times, and each index with it. `alert_deliveries_urgency` serves in place of these. */
export async function fewerDeliveryIndexes(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex("alert_deliveries_urgent").execute();
  await db.schema.dropIndex("alert_deliveries_due").execute();
}
