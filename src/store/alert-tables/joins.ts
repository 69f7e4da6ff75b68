import { type Kysely, sql } from "kysely";

import type { Milliseconds } from "../../units/duration.ts";
import { selectInBatches, takeNumbers } from "../queries.ts";
import type { Schema } from "../schema.ts";
import type { DeliveryState } from "./alert-rows.ts";

const UNSENT_STATES: readonly DeliveryState[] = ["held", "owed", "sending"];

/** Which deliveries others may join or merge into, and those that are held until something ends. */
export function createJoins(db: Kysely<Schema>) {
  const all = () => db.selectFrom("alert_deliveries").selectAll();
  return {
    /** The last messages under these keys, to these destinations, that are unsent or open at that moment. */
    async joinable(destinations: readonly string[], keys: readonly string[], at: Milliseconds) {
      const rows = await selectInBatches(destinations, (batch) =>
        all()
          .where("destination", "in", batch)
          .where("join_key", "in", keys)
          .where("join_key", "is not", null)
          .where((eb) =>
            eb.or([eb("state", "in", UNSENT_STATES), eb("open_until", "is", null), eb("open_until", ">=", at)]),
          )
          .orderBy("seq")
          .execute(),
      );
      return new Map(rows.map((row) => [`${row.destination} ${row.join_key}`, row]));
    },
    /** The certainly unsent messages that say one of these episodes to a destination, in order. */
    unsentOf: (episodes: readonly string[], destination: string) =>
      all()
        .where((eb) =>
          eb.or([
            eb("episode", "in", episodes),
            eb("id", "in", db.selectFrom("alert_items").select("delivery").where("episode", "in", episodes)),
          ]),
        )
        .where("destination", "=", destination)
        .where("state", "=", sql.lit("owed"))
        .where("shown", "is", null)
        .where("uncertain_since", "is", null)
        .orderBy("seq")
        .execute(),
    /** Held messages whose time has come, in the order in which the first of each was held. */
    heldUntil: (at: Milliseconds) =>
      all()
        .where(sql<boolean>`state = 'held'`)
        .where("run_at", "<=", at)
        .orderBy("seq")
        .execute(),
    /** Makes everything that is held for a destination due at that moment. */
    async rescheduleHeld(destination: string, at: Milliseconds) {
      await db
        .updateTable("alert_deliveries")
        .set({ run_at: at })
        .where("destination", "=", destination)
        .where(sql<boolean>`state = 'held'`)
        .execute();
    },
    /** Owes what was held, behind all deliveries there are. */
    async release(id: string, at: Milliseconds, message: string) {
      const seq = await takeNumbers(db, "deliveries", 1);
      await db
        .updateTable("alert_deliveries")
        .set({ message, seq, state: "owed", join_key: null, run_at: at, created_at: at, owed_at: at })
        .where("id", "=", id)
        .execute();
    },
  };
}
