import { sql, type Kysely } from "kysely";

/** Indexes for the settled deliveries of one destination. */
export async function alertJournal(db: Kysely<unknown>): Promise<void> {
  // Only settled ones: without statistics, the planner would use these indexes for owed deliveries, too, and read all
  // that were ever sent to a destination to find that none is owed.
  const settled = sql<boolean>`settled_at is not null`;
  const index = (name: string) => db.schema.createIndex(name).on("alert_deliveries");
  await index("alert_deliveries_place").columns(["destination", "seq"]).where(settled).execute();
  await index("alert_deliveries_outcome").columns(["destination", "settled_at"]).where(settled).execute();
}
