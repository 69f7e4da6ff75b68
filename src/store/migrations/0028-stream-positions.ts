import { type Kysely, sql } from "kysely";

/**
 * What arrives at the console gets a position then, since what is critical overtakes. Positions of before follow the order
 * in which messages were owed: so earlier programs read them, and the readers that come back to this one.
 */
export async function streamPositions(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("alert_receipts").addColumn("position", "bigint").execute();
  await sql`update alert_receipts
    set position = (select d.seq from alert_deliveries as d where d.id = alert_receipts.delivery)
    where platform = 'web'`.execute(db);
  await sql`insert into alert_counters (name, value)
    select 'positions', value from alert_counters where name = 'deliveries'`.execute(db);
  await db.schema
    .createIndex("alert_receipts_position")
    .on("alert_receipts")
    .columns(["platform", "position"])
    .execute();
}
