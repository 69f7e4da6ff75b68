import { type Kysely, sql } from "kysely";

import type { Milliseconds } from "../../units/time.ts";
import { inBatches, putRows, selectInBatches, takeNumbers, withNumbers } from "../queries.ts";
import type { Schema } from "../schema.ts";
import type { ChunkRow, DeliveryState, ItemRow, MessageRow, ReceiptRow } from "./alert-rows.ts";

const UNSENT_STATES: readonly DeliveryState[] = ["held", "owed", "sending"];

/** The messages of deliveries, and the receipts for those that arrived. */
export function createMessages(db: Kysely<Schema>) {
  return {
    addMessages: (rows: readonly MessageRow[], at: Milliseconds) => {
      const messages = rows.map((row) => ({ ...row, created_at: at }));
      return putRows(db, "alert_messages", { key: ["id"], set: ["created_at"] }, messages);
    },
    messages: (ids: readonly string[]) =>
      selectInBatches(ids, (batch) =>
        db.selectFrom("alert_messages").select(["id", "data"]).where("id", "in", batch).execute(),
      ),
    putReceipts: (rows: readonly ReceiptRow[]) =>
      putRows(db, "alert_receipts", { key: ["delivery"], set: ["platform", "channel", "message", "at"] }, rows),
    receipts: (deliveries: readonly string[]) =>
      selectInBatches(deliveries, (batch) =>
        db
          .selectFrom("alert_receipts")
          .select(["delivery", "platform", "channel", "message", "at"])
          .where("delivery", "in", batch)
          .execute(),
      ),
    dropReceipt: (delivery: string) => db.deleteFrom("alert_receipts").where("delivery", "=", delivery).execute(),
    /** Whether a message is known as that of a delivery; reads all receipts. */
    hasReceipt: async ({ platform, channel, message }: Pick<ReceiptRow, "platform" | "channel" | "message">) =>
      (await db
        .selectFrom("alert_receipts")
        .select("delivery")
        .where((eb) => eb.and({ message, channel, platform }))
        .limit(1)
        .executeTakeFirst()) !== undefined,
  };
}

/** Deliveries of large batches that are not fanned out yet. */
export function createChunks(db: Kysely<Schema>) {
  return {
    async put(rows: readonly ChunkRow[]) {
      await inBatches(await withNumbers(db, "chunks", rows), (batch) =>
        db.insertInto("alert_chunks").values(batch).execute(),
      );
    },
    /** Removes and returns the oldest chunks, in the order in which they were put. */
    async take(limit: number) {
      const taken = await db.selectFrom("alert_chunks").selectAll().orderBy("seq").limit(limit).execute();
      const seqs = taken.map(({ seq }) => seq);
      if (seqs.length > 0) await db.deleteFrom("alert_chunks").where("seq", "in", seqs).execute();
      return taken;
    },
    /** When the oldest chunk was put; undefined where there is none. */
    async oldestAt() {
      const row = await db.selectFrom("alert_chunks").select("created_at").orderBy("seq").limit(1).executeTakeFirst();
      return row?.created_at;
    },
  };
}

/** What joined the messages of deliveries. */
export function createItems(db: Kysely<Schema>) {
  const all = () => db.selectFrom("alert_items").selectAll();
  return {
    add: (rows: readonly ItemRow[]) =>
      inBatches(rows, (batch) =>
        db
          .insertInto("alert_items")
          .values(batch)
          .onConflict((conflict) => conflict.column("id").doNothing())
          .execute(),
      ),
    /** Of these deliveries, in the order in which they joined. */
    of: (deliveries: readonly string[]) =>
      selectInBatches(deliveries, (batch) =>
        all().where("delivery", "in", batch).orderBy("delivery").orderBy("revision").execute(),
      ),
    ofEpisode: (episode: string) => all().where("episode", "=", episode).execute(),
    setPhase: (ids: readonly string[], phase: string) =>
      inBatches(ids, (batch) => db.updateTable("alert_items").set({ phase }).where("id", "in", batch).execute()),
    /** By the id that each would have had as a delivery: the delivery that it joined. */
    async deliveriesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
      const rows = await selectInBatches(ids, (batch) =>
        db.selectFrom("alert_items").select(["id", "delivery"]).where("id", "in", batch).execute(),
      );
      return new Map(rows.map(({ id, delivery }) => [id, delivery]));
    },
    drop: (ids: readonly string[]) =>
      inBatches(ids, (batch) => db.deleteFrom("alert_items").where("id", "in", batch).execute()),
  };
}

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
