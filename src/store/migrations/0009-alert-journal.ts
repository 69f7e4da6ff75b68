import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** What arrived at one place, and what became of what was owed to it, is found without looking at all the others'. */
export const alertJournal: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    // Only of what is settled: a planner without statistics would take them for what is owed, too, and read all that
    // ever went to a destination to find that nothing waits there.
    const settled = sql<boolean>`settled_at is not null`;
    const index = (name: string) => db.schema.createIndex(name).on("alert_deliveries");
    await index("alert_deliveries_place").columns(["destination", "seq"]).where(settled).execute();
    await index("alert_deliveries_outcome").columns(["destination", "settled_at"]).where(settled).execute();
  },
};
