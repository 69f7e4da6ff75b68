import { type Kysely, type RawBuilder, sql } from "kysely";

import type { Milliseconds } from "../../units/time.ts";
import { inBatches, recordsOf, selectInBatches } from "../queries.ts";
import type { Schema } from "../schema.ts";
import type { DeliveryState } from "./alert-rows.ts";
import { isOpen } from "./conditions.ts";

/** A delivery that has arrived. */
type Arrival = {
  readonly id: string;
  /** The revision as which it did. */
  readonly shown: number;
  readonly at: Milliseconds;
  readonly until: Milliseconds | null;
};

const ARRIVAL = { id: "text", shown: "bigint", at: "bigint", until: "bigint" } as const;

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
    /**
     * These deliveries arrived as they were at that revision. What has changed since is owed, as an edit. With `until`
     * only their words did; the files are sent until then.
     */
    markArrived: (arrived: readonly Arrival[]) =>
      inBatches(arrived, (batch) =>
        changing()
          .from(recordsOf(db, ARRIVAL, batch).as("a"))
          .set((eb) => {
            const isChanged = sql<boolean>`${eb.ref("alert_deliveries.revision")} > ${eb.ref("a.shown")}`;
            const ifWhole = <T>(value: RawBuilder<T>, column: "state" | "attempts" | "last_error" | "interruptions") =>
              sql<T>`case when ${eb.ref("a.until")} is null then ${value} else ${eb.ref(`alert_deliveries.${column}`)} end`;
            return {
              shown: eb.ref("a.shown"),
              // An edit is never urgent.
              urgency: 0,
              settled_at: sql<number>`coalesce(settled_at, a.at)`,
              state: ifWhole(sql<DeliveryState>`case when ${isChanged} then 'owed' else 'sent' end`, "state"),
              attempts: ifWhole(sql<number>`case when ${isChanged} then 0 else attempts end`, "attempts"),
              run_at: sql<number>`coalesce(a.until, a.at)`,
              last_error: ifWhole(sql<null>`null`, "last_error"),
              interruptions: ifWhole(sql<number>`0`, "interruptions"),
            };
          })
          .whereRef("alert_deliveries.id", "=", "a.id")
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
