import type { Kysely } from "kysely";

import { withNumbers } from "./alert-counters.ts";
import type { Chunks } from "./alert-ports.ts";
import { inBatches } from "./pieces.ts";
import type { Schema } from "./schema.ts";

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
