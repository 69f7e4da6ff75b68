import { sql, type Kysely } from "kysely";

/** Deliveries of one kind to one destination may share a message. */
export async function deliveryGroups(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema.alterTable("alert_deliveries").addColumn("group_key", "text").execute();
  await schema.alterTable("alert_deliveries").addColumn("said_by", "text").execute();
  await schema
    .createIndex("alert_deliveries_group")
    .on("alert_deliveries")
    .columns(["destination", "group_key", "seq"])
    .where(sql<boolean>`group_key is not null`)
    .execute();
  await schema
    .createIndex("alert_deliveries_said_by")
    .on("alert_deliveries")
    .columns(["said_by", "seq"])
    .where(sql<boolean>`said_by is not null`)
    .execute();
}
