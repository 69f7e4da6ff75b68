import { type Kysely, sql } from "kysely";

import { isPostgres } from "../../queries.ts";

/** Adds reminders to the notification states of open alerts, so that their buttons are removed at the end. */
export async function remindersTold(db: Kysely<unknown>): Promise<void> {
  // Such rows were written before PostgreSQL was supported.
  if (isPostgres(db)) return;
  await sql`
    update alert_tellings set data = json_set(data, '$.reminded', json((
      select json_group_array(id) from (
        select id from alert_deliveries
        where episode = alert_tellings.episode and destination = alert_tellings.destination and phase = 'reminder'
        order by seq
      )
    )))
    where json_extract(data, '$.state') = 'told' and json_extract(data, '$.reminders') > 0
      and json_extract(data, '$.reminded') is null`.execute(db);
}
