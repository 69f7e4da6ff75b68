import type { Kysely } from "kysely";

import { inBatches, selectInBatches } from "../queries.ts";
import type { Schema } from "../schema.ts";
import type { ItemRow } from "./alert-rows.ts";

/** What joined the messages of deliveries. */
export function createItems(db: Kysely<Schema>) {
  const all = () => db.selectFrom("alert_items").selectAll();
  return {
    add: (rows: readonly ItemRow[]) => inBatches(rows, (batch) => db.insertInto("alert_items").values(batch).execute()),
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
