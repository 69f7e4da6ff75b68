import type { Kysely } from "kysely";

import type { Milliseconds } from "../../units/time.ts";
import { inBatches, lastNumber, putRows, REVISION_COUNTER, takeNumbers } from "../queries.ts";
import type { Schema } from "../schema.ts";
import type { SilenceRow, SubscriptionRow } from "./alert-rows.ts";

/** Subscriptions and silences. */
export function createSubscriptions(db: Kysely<Schema>) {
  return {
    /** Grows with every change of a subscription or silence. */
    revision: () => lastNumber(db, REVISION_COUNTER),
    /** As one change. */
    async put(rows: readonly SubscriptionRow[]) {
      if (rows.length === 0) return;
      await takeNumbers(db, REVISION_COUNTER, 1);
      const set = ["destination", "network", "state", "data"] as const;
      await putRows(db, "alert_subscriptions", { key: ["id"], set }, rows);
    },
    async drop(ids: readonly string[]) {
      if (ids.length === 0) return;
      await takeNumbers(db, REVISION_COUNTER, 1);
      await inBatches(ids, (batch) => db.deleteFrom("alert_subscriptions").where("id", "in", batch).execute());
    },
    /** Of all destinations unless one is named. */
    list: (destination?: string) =>
      db
        .selectFrom("alert_subscriptions")
        .selectAll()
        .$if(destination !== undefined, (query) => query.where("destination", "=", destination ?? ""))
        .orderBy("id")
        .execute(),
    async putSilence(row: SilenceRow) {
      await takeNumbers(db, REVISION_COUNTER, 1);
      await putRows(db, "alert_silences", { key: ["id"], set: ["ends_at", "data"] }, [row]);
    },
    silence: (id: string) => db.selectFrom("alert_silences").selectAll().where("id", "=", id).executeTakeFirst(),
    /** The silences that ended between two moments, the second one included. */
    endedSilences: (after: Milliseconds, at: Milliseconds) =>
      db.selectFrom("alert_silences").selectAll().where("ends_at", ">", after).where("ends_at", "<=", at).execute(),
    /** The silences that last beyond that moment. */
    silences: (at: Milliseconds) =>
      db.selectFrom("alert_silences").selectAll().where("ends_at", ">", at).orderBy("ends_at").execute(),
  };
}
