import { sql, type Kysely } from "kysely";

/** Tables of alerts get the names that the code uses. Programs that know only the earlier names do not start. */
export async function alertTableNames(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema.alterTable("alert_tellings").renameTo("alert_notification_states").execute();
  await schema.alterTable("alert_parcels").renameTo("alert_chunks").execute();
  await schema.alterTable("alert_episodes").renameColumn("told", "notification_revision").execute();
  await sql`update alert_counters set name = 'chunks' where name = 'parcels'`.execute(db);
  await sql`update alert_counters set name = 'subscription_revision' where name = 'choices'`.execute(db);
  await sql`insert into database_marks (name, value) values ('oldest_program', '0019-alert-table-names')
    on conflict (name) do update set value = excluded.value`.execute(db);
}
