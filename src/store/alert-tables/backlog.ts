import type { Kysely } from "kysely";

import { inBatches, selectInBatches } from "../queries.ts";
import type { Schema } from "../schema.ts";
import type { Backlog, Chunks } from "./alert-tables.ts";
import { withNumbers } from "./counters.ts";

/** What waits for quiet hours to end, and the messages that grow over a day. */
export function createBacklog(db: Kysely<Schema>): Backlog {
  return {
    async hold(rows) {
      await inBatches(await withNumbers(db, "held", rows), (piece) =>
        db.insertInto("alert_held").values(piece).execute(),
      );
    },
    async reschedule(destination, at) {
      await db.updateTable("alert_held").set({ release_at: at }).where("destination", "=", destination).execute();
    },
    async release(at) {
      // Asked every second, while thousands may wait: in their order they would all be looked at.
      const first = await db
        .selectFrom("alert_held")
        .select((eb) => eb.fn.min<number | null>("release_at").as("at"))
        .executeTakeFirst();
      if (first === undefined || first.at === null || first.at > at) return [];
      const due = await db.selectFrom("alert_held").selectAll().where("release_at", "<=", at).orderBy("seq").execute();
      if (due.length > 0) await db.deleteFrom("alert_held").where("release_at", "<=", at).execute();
      return due;
    },
    rolling: (keys) =>
      selectInBatches(keys, (piece) => db.selectFrom("alert_rolling").selectAll().where("key", "in", piece).execute()),
    putRolling: (rows) =>
      inBatches(rows, (piece) =>
        db
          .insertInto("alert_rolling")
          .values(piece)
          .onConflict((conflict) =>
            conflict.column("key").doUpdateSet((eb) => ({
              delivery: eb.ref("excluded.delivery"),
              message: eb.ref("excluded.message"),
            })),
          )
          .execute(),
      ),
  };
}

/** What is owed to many and not yet spread over them. */
export function createChunks(db: Kysely<Schema>): Chunks {
  return {
    async put(rows) {
      await inBatches(await withNumbers(db, "parcels", rows), (piece) =>
        db.insertInto("alert_parcels").values(piece).execute(),
      );
    },
    async take(limit) {
      const taken = await db.selectFrom("alert_parcels").selectAll().orderBy("seq").limit(limit).execute();
      const seqs = taken.map(({ seq }) => seq);
      if (seqs.length > 0) await db.deleteFrom("alert_parcels").where("seq", "in", seqs).execute();
      return taken;
    },
    async oldestAt() {
      const row = await db.selectFrom("alert_parcels").select("created_at").orderBy("seq").limit(1).executeTakeFirst();
      return row?.created_at;
    },
  };
}
