import { sql, type Kysely } from "kysely";

/**
 * Two columns for the queries of every second: which machines flap, and whether notification states of an episode
 * changed.
 */
export async function alertUpkeep(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .alterTable("alert_machines")
    .addColumn("flapping", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  // Quotes inside of a JSON string are escaped, so no value contains this text.
  await sql`update alert_machines set flapping = 1 where data like '%"flapping":{%'`.execute(db);
  await schema
    .createIndex("alert_machines_flapping")
    .on("alert_machines")
    .columns(["network", "rule", "subject"])
    .where(sql<boolean>`flapping = 1`)
    .execute();
  await schema
    .alterTable("alert_episodes")
    .addColumn("told", "bigint", (column) => column.notNull().defaultTo(0))
    .execute();
}
