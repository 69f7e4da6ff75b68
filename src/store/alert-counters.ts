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

/** Rows of one statement: some 17 values each, below SQLite's 32,766 and PostgreSQL's 65,535 parameters. */
const ROWS_A_STATEMENT = 500;

/** Gives work its rows in pieces that fit one statement. */
export async function inPieces<T>(rows: readonly T[], work: (piece: T[]) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_A_STATEMENT) {
    await work(rows.slice(from, from + ROWS_A_STATEMENT));
  }
}

/** The same for a question: the answers of all pieces, one after the other. */
export async function fromPieces<T, R>(keys: readonly T[], ask: (piece: T[]) => Promise<R[]>): Promise<R[]> {
  const found: R[] = [];
  await inPieces(keys, async (piece) => {
    for (const row of await ask(piece)) found.push(row);
  });
  return found;
}
