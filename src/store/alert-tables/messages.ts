import type { Kysely } from "kysely";

import type { Milliseconds } from "../../units/duration.ts";
import { putRows, selectInBatches } from "../queries.ts";
import type { Schema } from "../schema.ts";
import type { MessageRow, ReceiptRow } from "./alert-rows.ts";

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
