import { type Kysely, sql } from "kysely";

/**
 * Ended episodes, and decisions about their state, are kept for longer than what they caused: a decision says whether it
 * lasts, and an episode whether it is bare. An index finds what is old without what lasts.
 */
export async function lastingEpisodes(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  for (const [table, column] of [
    ["alert_episodes", "bare"],
    ["alert_decisions", "lasting"],
  ] as const) {
    await schema
      .alterTable(table)
      .addColumn(column, "integer", (of) => of.notNull().defaultTo(0))
      .execute();
  }
  await sql`update alert_decisions set lasting = 1 where episode is not null and destination is null and delivery is null
    and what in ('pending', 'dismissed', 'fired', 'escalated', 'outlasted', 'surpassed', 'recovering', 'relapsed',
      'resolved', 'gone', 'flapping', 'withdrawn', 'restarted', 'calm')`.execute(db);
  await schema.dropIndex("alert_episodes_open").execute();
  await schema.createIndex("alert_episodes_open").on("alert_episodes").columns(["bare", "open", "opened_at"]).execute();
  await schema.dropIndex("alert_decisions_age").execute();
  await schema.createIndex("alert_decisions_age").on("alert_decisions").columns(["lasting", "at"]).execute();
}
