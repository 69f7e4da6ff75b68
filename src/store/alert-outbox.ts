import { sql, type Kysely } from "kysely";

import { fromPieces, inPieces, takeNumbers } from "./alert-counters.ts";
import type { Outbox } from "./alert-ports.ts";
import type { Schema } from "./schema.ts";

/** What is owed to whom, and what came of it. */
export function createOutbox(db: Kysely<Schema>): Outbox {
  const open = ["owed", "sending"] as const;
  return {
    addMessages: (rows, at) =>
      inPieces(rows, (piece) =>
        db
          .insertInto("alert_messages")
          .values(piece.map((row) => ({ ...row, created_at: at })))
          .onConflict((conflict) => conflict.column("id").doUpdateSet({ created_at: at }))
          .execute(),
      ),
    messages: (ids) =>
      fromPieces(ids, (piece) =>
        db.selectFrom("alert_messages").select(["id", "data"]).where("id", "in", piece).execute(),
      ),
    async add(rows) {
      if (rows.length === 0) return;
      let seq = await takeNumbers(db, "deliveries", rows.length);
      const unsent = {
        state: "owed",
        attempts: 0,
        attempted_at: null,
        uncertain_since: null,
        last_error: null,
        settled_at: null,
      } as const;
      const placed = rows.map((row) => ({ ...row, ...unsent, seq: seq++ }));
      await inPieces(placed, (piece) => db.insertInto("alert_deliveries").values(piece).execute());
    },
    due: (platform, at, limit) =>
      db
        .selectFrom("alert_deliveries as d")
        .selectAll()
        .where("d.state", "=", "owed")
        // Redundant, but it is what the partial indexes are made by.
        .where("d.state", "in", open)
        .where("d.platform", "=", platform)
        .where("d.run_at", "<=", at)
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom("alert_deliveries as e")
                .select("e.seq")
                .whereRef("e.destination", "=", "d.destination")
                .where("e.state", "in", open)
                .whereRef("e.seq", "!=", "d.seq")
                .where((eb) =>
                  eb.or([
                    eb("e.state", "=", "sending"),
                    eb.and([
                      eb("e.seq", "<", eb.ref("d.seq")),
                      // An edit that has to wait keeps no message from going.
                      eb.or([eb("e.kind", "=", "message"), eb("e.run_at", "<=", at)]),
                    ]),
                  ]),
                ),
            ),
          ),
        )
        .orderBy("d.seq")
        .limit(limit)
        .execute(),
    async nextRunAt(platforms, after) {
      if (platforms.length === 0) return undefined;
      const row = await db
        .selectFrom("alert_deliveries")
        .select((eb) => eb.fn.min("run_at").as("at"))
        .where("state", "=", "owed")
        .where("state", "in", open)
        .where("platform", "in", platforms)
        .where("run_at", ">", after)
        .executeTakeFirst();
      return row?.at ?? undefined;
    },
    get: (ids) =>
      fromPieces(ids, (piece) => db.selectFrom("alert_deliveries").selectAll().where("id", "in", piece).execute()),
    ofEpisode: (episode, destination) =>
      db
        .selectFrom("alert_deliveries")
        .selectAll()
        .where("episode", "=", episode)
        .$if(destination !== undefined, (query) => query.where("destination", "=", destination ?? ""))
        .orderBy("seq")
        .execute(),
    openOf: (destination) =>
      db
        .selectFrom("alert_deliveries")
        .selectAll()
        .where("destination", "=", destination)
        .where("state", "in", open)
        .orderBy("seq")
        .execute(),
    owedEdits: (targets) =>
      fromPieces(targets, (piece) =>
        db
          .selectFrom("alert_deliveries")
          .selectAll()
          .where("target", "in", piece)
          .where("state", "=", "owed")
          .where("state", "in", open)
          .execute(),
      ),
    async change(id, change) {
      await db.updateTable("alert_deliveries").set(change).where("id", "=", id).execute();
    },
    async hold(destination, until) {
      await db
        .updateTable("alert_deliveries")
        .set({ run_at: until })
        .where("destination", "=", destination)
        .where("state", "=", "owed")
        .where("state", "in", open)
        .where("run_at", "<", until)
        .execute();
    },
    recover: () =>
      db
        .updateTable("alert_deliveries")
        .set({ state: "owed", uncertain_since: sql<number>`coalesce(uncertain_since, attempted_at, created_at)` })
        .where("state", "=", "sending")
        .where("state", "in", open)
        .returningAll()
        .execute(),
    overdue: (before, limit) =>
      db
        .selectFrom("alert_deliveries")
        .selectAll()
        .where("state", "=", "owed")
        .where("state", "in", open)
        .where("created_at", "<", before)
        .orderBy("seq")
        .limit(limit)
        .execute(),
    async putReceipt(row) {
      const { delivery: _, ...rest } = row;
      await db
        .insertInto("alert_receipts")
        .values(row)
        .onConflict((conflict) => conflict.column("delivery").doUpdateSet(rest))
        .execute();
    },
    receipts: (deliveries) =>
      fromPieces(deliveries, (piece) =>
        db.selectFrom("alert_receipts").selectAll().where("delivery", "in", piece).execute(),
      ),
    depth: () =>
      db
        .selectFrom("alert_deliveries")
        .select((eb) => ["platform", eb.fn.countAll<number>().as("owed"), eb.fn.min<number>("created_at").as("oldest")])
        .where("state", "in", open)
        .groupBy("platform")
        .execute(),
  };
}
