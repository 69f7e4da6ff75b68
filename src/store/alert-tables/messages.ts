import type { Kysely } from "kysely";

import type { Milliseconds } from "../../units/duration.ts";
import { inBatches, putRows, selectInBatches, withNumbers } from "../queries.ts";
import type { Schema } from "../schema.ts";
import type { ChunkRow, MessageRow, ReceiptRow } from "./alert-rows.ts";

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
        db.selectFrom("alert_receipts").selectAll().where("delivery", "in", batch).execute(),
      ),
    dropReceipt: (delivery: string) => db.deleteFrom("alert_receipts").where("delivery", "=", delivery).execute(),
    /** Whether a message is known as that of a delivery; reads all receipts. */
    hasReceipt: async ({ platform, channel, message }: Pick<ReceiptRow, "platform" | "channel" | "message">) =>
      (await db
        .selectFrom("alert_receipts")
        .select("delivery")
        .where("message", "=", message)
        .where("channel", "=", channel)
        .where("platform", "=", platform)
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
