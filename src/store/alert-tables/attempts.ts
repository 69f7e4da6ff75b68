import { type Kysely, sql } from "kysely";

import type { Milliseconds } from "../../units/duration.ts";
import { inBatches, selectInBatches } from "../queries.ts";
import type { Schema } from "../schema.ts";
import type { DeliveryState } from "./alert-rows.ts";
import { isOpen } from "./conditions.ts";

/** The words of a delivery stand there as they were at that revision. */
function shownAt(revision: number, at: Milliseconds) {
  // An edit is never urgent.
  return { shown: revision, urgency: 0, settled_at: sql<number>`coalesce(settled_at, ${at})` } as const;
}

/** Deliveries that are being sent, and what comes of it. */
export function createAttempts(db: Kysely<Schema>) {
  const all = () => db.selectFrom("alert_deliveries").selectAll();
  const changing = () => db.updateTable("alert_deliveries");
  return {
    /** Marks deliveries as being sent by a process and counts the attempt. */
    beginAttempts: (ids: readonly string[], at: Milliseconds, process: string) =>
      inBatches(ids, (batch) =>
        changing()
          .set((eb) => ({
            state: "sending",
            attempts: eb("attempts", "+", 1),
            attempted_at: at,
            claimed_by: process,
          }))
          .where("id", "in", batch)
          .execute(),
      ),
    /** Those of these deliveries that this process claimed last, with the time of its attempt. */
    claimedBy: async (process: string, ids: readonly string[]) => {
      const rows = await selectInBatches(ids, (batch) =>
        db
          .selectFrom("alert_deliveries")
          .select(["id", "attempted_at"])
          .where("id", "in", batch)
          .where("claimed_by", "=", process)
          .execute(),
      );
      return new Map(rows.map(({ id, attempted_at: at }) => [id, at]));
    },
    /** These deliveries arrived as they were at that revision. What has changed since is owed, as an edit. */
    markSent: (ids: readonly string[], revision: number, at: Milliseconds) =>
      inBatches(ids, (batch) =>
        changing()
          .set((eb) => ({
            ...shownAt(revision, at),
            state: sql<DeliveryState>`case when ${eb.ref("revision")} > ${revision} then 'owed' else 'sent' end`,
            attempts: sql<number>`case when ${eb.ref("revision")} > ${revision} then 0 else attempts end`,
            run_at: at,
            last_error: null,
            interruptions: 0,
          }))
          .where("id", "in", batch)
          .execute(),
      ),
    /** The words of these deliveries arrived as they were at that revision; the files are sent until `until`. */
    markPosted: (ids: readonly string[], revision: number, at: Milliseconds, until: Milliseconds) =>
      inBatches(ids, (batch) =>
        changing()
          .set({ ...shownAt(revision, at), run_at: until })
          .where("id", "in", batch)
          .execute(),
      ),
    /**
     * Owes again, marked as uncertain, what a dead process was sending, and what this one (`self`) has claimed and does
     * not know (`known`); returns those deliveries. The death of another process counts as an interruption, and ends its
     * claim.
     */
    async recover(self: string, known: readonly string[]) {
      const sending = await db
        .selectFrom("alert_deliveries")
        .select(["id", "claimed_by"])
        .where("state", "=", sql.lit("sending"))
        .where(isOpen("alert_deliveries"))
        .where((eb) =>
          eb.or([
            eb("claimed_by", "is", null),
            eb("claimed_by", "=", self),
            eb("claimed_by", "not in", eb.selectFrom("processes").select("processes.id")),
          ]),
        )
        .execute();
      const left = sending.filter((one) => one.claimed_by !== self || !known.includes(one.id)).map(({ id }) => id);
      await inBatches(left, (batch) =>
        changing()
          .set({
            state: "owed",
            // An edit that is made twice changes nothing.
            uncertain_since: sql<number>`case when shown is null
              then coalesce(uncertain_since, attempted_at, created_at) else uncertain_since end`,
            interruptions: sql<number>`interruptions + case when claimed_by = ${self} then 0 else 1 end`,
            claimed_by: sql<string | null>`case when claimed_by = ${self} then claimed_by end`,
          })
          .where("id", "in", batch)
          .execute(),
      );
      return selectInBatches(left, (batch) => all().where("id", "in", batch).orderBy("seq").execute());
    },
  };
}
