import type { Kysely } from "kysely";

import type { Schema } from "../schema.ts";

/** No counter: the row that a transaction locks where several processes write. */
export const TURN = "turn";

/**
 * Takes the next `count` numbers of a counter and returns the first. Other takers wait until the transaction ends, so
 * that numbers have the order in which they become visible.
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

/** Rows with the next numbers of a counter, in their order. */
export async function withNumbers<T extends object>(
  db: Kysely<Schema>,
  name: string,
  rows: readonly T[],
): Promise<(T & { seq: number })[]> {
  if (rows.length === 0) return [];
  const first = await takeNumbers(db, name, rows.length);
  return rows.map((row, index) => ({ ...row, seq: first + index }));
}

/** The last number taken; 0 before the first. */
export async function lastNumber(db: Kysely<Schema>, name: string): Promise<number> {
  const row = await db.selectFrom("alert_counters").select("value").where("name", "=", name).executeTakeFirst();
  return row?.value ?? 0;
}
