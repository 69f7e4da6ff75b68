import type { Kysely } from "kysely";

import type { Milliseconds } from "../units/time.ts";
import { putRows } from "./queries.ts";
import type { Schema } from "./schema.ts";
import type { OpenAnswerRow } from "./store.ts";

/** Of more open answers, the later ones are not stored. */
const MAX_OPEN = 1000;

/** Answers that are being made; the next start closes those that a dead process left. */
export function createOpenAnswers(db: Kysely<Schema>, now: () => Milliseconds) {
  return {
    /** Adds an answer, or replaces it. */
    async put(row: OpenAnswerRow) {
      await db.deleteFrom("open_answers").where("expires_at", "<=", now()).execute();
      const others = await db.selectFrom("open_answers").select("id").where("id", "!=", row.id).execute();
      if (others.length < MAX_OPEN) await putRows(db, "open_answers", { key: ["id"] }, [row]);
    },

    /** Those of processes that do not live any more and that have not expired. `self` is this process, which lives. */
    left: (platform: string, self: string) =>
      db
        .selectFrom("open_answers")
        .selectAll()
        .where("platform", "=", platform)
        .where("expires_at", ">", now())
        .where("process", "!=", self)
        .where("process", "not in", (eb) => eb.selectFrom("processes").select("processes.id"))
        .execute(),

    /** Takes an answer that a dead process left. False where another process was faster. */
    async claim({ id, process }: OpenAnswerRow, self: string) {
      const { numUpdatedRows } = await db
        .updateTable("open_answers")
        .set({ process: self })
        .where((eb) => eb.and({ id, process }))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    remove: async (id: string) => void (await db.deleteFrom("open_answers").where("id", "=", id).execute()),
  };
}
