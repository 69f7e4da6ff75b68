import type { Kysely } from "kysely";

import { lastNumber, takeNumbers } from "./alert-counters.ts";
import type { Choices } from "./alert-ports.ts";
import type { Schema } from "./schema.ts";

const REVISION = "choices";

/** What people chose: subscriptions and silences. */
export function createChoices(db: Kysely<Schema>): Choices {
  return {
    revision: () => lastNumber(db, REVISION),
    async putSubscription(row) {
      const { id: _, ...rest } = row;
      await takeNumbers(db, REVISION, 1);
      await db
        .insertInto("alert_subscriptions")
        .values(row)
        .onConflict((conflict) => conflict.column("id").doUpdateSet(rest))
        .execute();
    },
    subscriptions: () => db.selectFrom("alert_subscriptions").selectAll().orderBy("id").execute(),
    async putSilence(row) {
      await takeNumbers(db, REVISION, 1);
      await db
        .insertInto("alert_silences")
        .values(row)
        .onConflict((conflict) => conflict.column("id").doUpdateSet({ ends_at: row.ends_at, data: row.data }))
        .execute();
    },
    silences: (at) =>
      db.selectFrom("alert_silences").selectAll().where("ends_at", ">", at).orderBy("ends_at").execute(),
  };
}
