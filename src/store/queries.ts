import { type Insertable, type Kysely, sql } from "kysely";

import type { Schema } from "./schema.ts";

/** Runs work on the database, however it is reached: opened for life or borrowed for a moment. */
export type WithDatabase = <T>(work: (db: Kysely<Schema>) => Promise<T>) => Promise<T>;

/** Rows of one statement: some 17 values each, below SQLite's 32,766 and PostgreSQL's 65,535 parameters. */
const MAX_ROWS_PER_STATEMENT = 500;

/** Runs `work` on the rows in batches that fit one statement. */
export async function inBatches<T>(rows: readonly T[], work: (batch: T[]) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < rows.length; from += MAX_ROWS_PER_STATEMENT) {
    await work(rows.slice(from, from + MAX_ROWS_PER_STATEMENT));
  }
}

/** The same for queries: the rows of all batches, one after the other. */
export async function selectInBatches<T, R>(keys: readonly T[], select: (batch: T[]) => Promise<R[]>): Promise<R[]> {
  const found: R[] = [];
  await inBatches(keys, async (batch) => {
    for (const row of await select(batch)) found.push(row);
  });
  return found;
}

type Column<T extends keyof Schema> = keyof Schema[T] & string;

/** Inserts rows; of one whose key is there already, the columns of `set` are overwritten. */
export function putRows<T extends keyof Schema>(
  db: Kysely<Schema>,
  table: T,
  { key, set }: { readonly key: readonly Column<T>[]; readonly set: readonly Column<T>[] },
  rows: readonly Insertable<Schema[T]>[],
): Promise<void> {
  // Kysely cannot tell the columns of a table that is a parameter; the types above can.
  const tables = db as unknown as Kysely<Record<string, Record<string, unknown>>>;
  const name: string = table;
  const overwritten = Object.fromEntries(set.map((column) => [column, sql.ref(`excluded.${column}`)]));
  return inBatches(rows as readonly Record<string, unknown>[], (batch) =>
    tables
      .insertInto(name)
      .values(batch)
      .onConflict((conflict) => conflict.columns(key).doUpdateSet(overwritten))
      .execute(),
  );
}
