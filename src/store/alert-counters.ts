import type { Kysely } from "kysely";

import type { Schema } from "./schema.ts";

/**
 * Takes the next `count` numbers of a counter and gives the first. Whoever takes some keeps others waiting until its
 * transaction ends, so that numbers have the order in which they become visible.
 */
export async function takeNumbers(db: Kysely<Schema>, name: string, count: number): Promise<number> {
  const row = await db
    .insertInto("alert_counters")
    .values({ name, value: count })
    .onConflict((conflict) =>
      conflict.column("name").doUpdateSet((eb) => ({ value: eb("alert_counters.value", "+", count) })),
    )
    .returning("value")
    .executeTakeFirstOrThrow();
  return row.value - count + 1;
}

/** The last number taken; 0 before the first. */
export async function lastNumber(db: Kysely<Schema>, name: string): Promise<number> {
  const row = await db.selectFrom("alert_counters").select("value").where("name", "=", name).executeTakeFirst();
  return row?.value ?? 0;
}
