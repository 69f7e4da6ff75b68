import type { Kysely } from "kysely";

import { withNumbers } from "./alert-counters.ts";
import type { Backlog } from "./alert-ports.ts";
import { selectInBatches, inBatches } from "./pieces.ts";
import type { Schema } from "./schema.ts";

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
