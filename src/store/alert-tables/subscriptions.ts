import type { Kysely } from "kysely";

import { inBatches, putRows } from "../queries.ts";
import type { Schema } from "../schema.ts";
import type { Subscriptions } from "./alert-tables.ts";
import { lastNumber, takeNumbers } from "./counters.ts";

/** Counts changes of subscriptions and silences. */
export const REVISION_COUNTER = "subscription_revision";

export function createSubscriptions(db: Kysely<Schema>): Subscriptions {
  return {
    revision: () => lastNumber(db, REVISION_COUNTER),
    async put(rows) {
      if (rows.length === 0) return;
      await takeNumbers(db, REVISION_COUNTER, 1);
      const set = ["destination", "network", "state", "data"] as const;
      await putRows(db, "alert_subscriptions", { key: ["id"], set }, rows);
    },
    async drop(ids) {
      if (ids.length === 0) return;
      await takeNumbers(db, REVISION_COUNTER, 1);
      await inBatches(ids, (batch) => db.deleteFrom("alert_subscriptions").where("id", "in", batch).execute());
    },
    list: (destination) =>
      db
        .selectFrom("alert_subscriptions")
        .selectAll()
        .$if(destination !== undefined, (query) => query.where("destination", "=", destination ?? ""))
        .orderBy("id")
        .execute(),
    async putSilence(row) {
      await takeNumbers(db, REVISION_COUNTER, 1);
      await putRows(db, "alert_silences", { key: ["id"], set: ["ends_at", "data"] }, [row]);
    },
    silences: (at) =>
      db.selectFrom("alert_silences").selectAll().where("ends_at", ">", at).orderBy("ends_at").execute(),
  };
}
