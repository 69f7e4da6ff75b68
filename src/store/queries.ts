import { type Insertable, type Kysely, PostgresAdapter, type RawBuilder, sql } from "kysely";

import type { Schema } from "./schema.ts";

/** Runs work on the database, which is open already or is opened for this call. */
export type WithDatabase = <T>(work: (db: Kysely<Schema>) => Promise<T>) => Promise<T>;

/** Transactions: all of some work is done, or nothing of it. */
export interface Transactions {
  /** They run one after the other, also those of several processes. */
  write<T>(work: (trx: Kysely<Schema>) => Promise<T>): Promise<T>;
  /** Reads one state of the database, and writes nothing. */
  read<T>(work: (trx: Kysely<Schema>) => Promise<T>): Promise<T>;
}

/** Transactions on a single connection: each waits for the one before it. */
export function serialTransactions(withDatabase: WithDatabase): Transactions {
  const next: Transactions["write"] = (work) => withDatabase((db) => db.transaction().execute(work));
  return { write: next, read: next };
}

/** Does all of some work on a database or nothing of it, in a transaction that may have begun already. */
export function atomic<T>(db: Kysely<Schema>, work: (trx: Kysely<Schema>) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}

/** Whether the dialect of SQL is that of PostgreSQL, else it is SQLite's. */
export function isPostgres(db: Pick<Kysely<unknown>, "getExecutor">): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/** PostgreSQL stores no NUL in a text: https://www.postgresql.org/docs/current/datatype-character.html */
export function storableText(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "\u{FFFD}") : text;
}

/** A query that returns texts as rows, with one parameter for all of them. */
export function rowsOf(db: Kysely<Schema>, texts: readonly string[]): RawBuilder<string> {
  const json = JSON.stringify(texts);
  return isPostgres(db)
    ? sql<string>`(select json_array_elements_text(${json}::json) as value)`
    : sql<string>`(select value from json_each(${json}))`;
}

/** A query that returns such rows, with one parameter for all of them. */
export function recordsOf<R extends object>(
  db: Kysely<Schema>,
  columns: Readonly<Record<keyof R & string, "text" | "bigint">>,
  rows: readonly R[],
): RawBuilder<R> {
  const named = Object.entries<string>(columns);
  const json = JSON.stringify(rows.map((row) => named.map(([name]) => row[name as keyof R])));
  const each = isPostgres(db) ? sql`json_array_elements(${json}::json)` : sql`json_each(${json})`;
  const values = named.map(
    ([name, type], index) => sql`cast(value ->> ${sql.lit(index)} as ${sql.raw(type)}) as ${sql.ref(name)}`,
  );
  return sql<R>`(select ${sql.join(values)} from ${each})`;
}

/**
 * The value, which may be null, is in no row of a column, which has no nulls, or in none for which `where` holds. For `not in`, SQLite reads the column
 * once. PostgreSQL does so only while its values fit into memory, and else reads it anew for every row; for `not
 * exists` it joins the tables.
 */
export function isNoneOf(
  db: Kysely<Schema>,
  value: string,
  among: { readonly table: keyof Schema; readonly column: string; readonly where?: RawBuilder<unknown> },
): RawBuilder<boolean> {
  const [of, table, column] = [sql.ref(value), sql.table(among.table), sql.ref(`${among.table}.${among.column}`)];
  const { where } = among;
  return isPostgres(db)
    ? sql<boolean>`not exists (select 1 from ${table} where ${column} = ${of}${where === undefined ? sql`` : sql` and ${where}`})`
    : sql<boolean>`${of} not in (select ${column} from ${table}${where === undefined ? sql`` : sql` where ${where}`})`;
}

/** The column contains the text. The engines have different functions for this; both have `replace`. */
export function contains(column: RawBuilder<unknown>, text: string): RawBuilder<boolean> {
  return sql<boolean>`replace(${column}, ${text}, '') <> ${column}`;
}

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

/**
 * Inserts rows, all with the same columns. Of a row whose key is there already, be it in an earlier row, the columns of
 * `set` are overwritten; by default all but the key.
 */
export function putRows<T extends keyof Schema>(
  db: Kysely<Schema>,
  table: T,
  { key, set }: { readonly key: readonly Column<T>[]; readonly set?: readonly Column<T>[] },
  rows: readonly Insertable<Schema[T]>[],
): Promise<void> {
  // Kysely cannot tell the columns of a table that is a parameter; the types above can.
  const tables = db as unknown as Kysely<Record<string, Record<string, unknown>>>;
  const name: string = table;
  const columns = set ?? Object.keys(rows[0] ?? {}).filter((column) => !key.some((one) => one === column));
  const overwritten = Object.fromEntries(columns.map((column) => [column, sql.ref(`excluded.${column}`)]));
  return inBatches(eachOnce(rows as readonly Record<string, unknown>[], key, columns), (batch) =>
    tables
      .insertInto(name)
      .values(batch)
      .onConflict((conflict) => conflict.columns(key).doUpdateSet(overwritten))
      .execute(),
  );
}

/** One row of each key: PostgreSQL refuses a statement that would write one twice. */
function eachOnce(
  rows: readonly Record<string, unknown>[],
  key: readonly string[],
  set: readonly string[],
): readonly Record<string, unknown>[] {
  if (rows.length < 2) return rows;
  const byKey = new Map<string, Record<string, unknown>>();
  for (const row of rows) {
    const id = JSON.stringify(key.map((column) => row[column]));
    const earlier = byKey.get(id);
    byKey.set(
      id,
      earlier === undefined ? row : { ...earlier, ...Object.fromEntries(set.map((column) => [column, row[column]])) },
    );
  }
  return [...byKey.values()];
}

/** Counts the transactions where several processes write: each locks this row. */
export const TURN = "turn";
/** No counter: until when what is planned may have been told before (Unix milliseconds). */
export const REPEATS_UNTIL = "repeats_until";
/** Counts changes of subscriptions and silences. */
export const REVISION_COUNTER = "subscription_revision";
/** Counts what has arrived at the console. */
export const POSITIONS = "positions";

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
