import { createHash } from "node:crypto";

import { type Kysely, type RawBuilder, sql } from "kysely";

import { TURN, inBatches, isPostgres, storableText } from "../queries.ts";
import { OLDEST_PROGRAM_MARK } from "../migrations/schema-age.ts";
import { type Schema, TABLES } from "../schema.ts";

/** The content of a table. Equal tables have equal summaries, whatever the order of their rows. */
export interface TableSummary {
  readonly table: string;
  readonly rows: number;
  /** Of all rows together, lower-case hex. */
  readonly sha256: string;
}

type Row = Readonly<Record<string, unknown>>;
/** The table is a parameter here, so Kysely does not know its columns. */
type AnyTables = Kysely<Record<string, Record<string, unknown>>>;

/** All tables but `processes`: none of these uses the copy. */
const NAMES = (Object.keys(TABLES) as readonly (keyof Schema)[]).filter((table) => table !== "processes");

/** Rows of one statement. */
const BATCH = 500;

/** The tables with rows. */
export async function filledTables(db: Kysely<Schema>): Promise<readonly string[]> {
  const filled: string[] = [];
  for (const table of NAMES) if ((await batchAfter(db, table, undefined, 1)).length > 0) filled.push(table);
  return filled;
}

/** Copies all rows, and summarises the rows that were read. Both sides have the newest schema. */
export async function copyTables(from: Kysely<Schema>, to: Kysely<Schema>): Promise<readonly TableSummary[]> {
  return summarise(from, (table, batch) =>
    inBatches(batch, (rows) => (to as unknown as AnyTables).insertInto(table).values(rows).execute()),
  );
}

/** Summarises each table. `take` gets all rows, in batches. */
export async function summarise(
  db: Kysely<Schema>,
  take: (table: keyof Schema, batch: readonly Row[]) => Promise<unknown> = async () => undefined,
): Promise<readonly TableSummary[]> {
  const summaries: TableSummary[] = [];
  for (const table of NAMES) summaries.push(await walk(db, table, (batch) => take(table, batch)));
  return summaries;
}

async function walk(
  db: Kysely<Schema>,
  table: keyof Schema,
  take: (batch: readonly Row[]) => Promise<unknown>,
): Promise<TableSummary> {
  let rows = 0;
  let sum = 0n;
  let last: Row | undefined;
  for (;;) {
    const batch = await batchAfter(db, table, last, BATCH);
    await take(batch);
    for (const row of batch) sum = (sum + digestOf(row)) & MASK;
    rows += batch.length;
    last = batch.at(-1);
    if (batch.length < BATCH) return { table, rows, sha256: sum.toString(16).padStart(64, "0") };
  }
}

/** The rows behind one, by the key of the table. */
async function batchAfter(
  db: Kysely<Schema>,
  table: keyof Schema,
  last: Row | undefined,
  limit: number,
): Promise<readonly Row[]> {
  const key: readonly string[] = TABLES[table];
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const conditions: RawBuilder<unknown>[] = [];
  // This row is locked for transactions; it is no counter, and every server has it.
  if (table === "alert_counters") conditions.push(sql`name <> ${TURN}`);
  // The mark belongs to the schema.
  if (table === "database_marks") conditions.push(sql`name <> ${OLDEST_PROGRAM_MARK}`);
  if (last !== undefined) conditions.push(sql`(${columns}) > (${sql.join(key.map((column) => last[column]))})`);
  const where = conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
  const found = await sql<Row>`
    select * from ${sql.table(table)} ${where} order by ${columns} limit ${limit}
  `.execute(db);
  return isPostgres(db) ? found.rows : found.rows.map(asOnServer);
}

/** A row as a server can hold it. */
function asOnServer(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      typeof value === "string" ? storableText(value) : typeof value === "number" ? Math.ceil(value) : value,
    ]),
  );
}

const MASK = (1n << 256n) - 1n;

/** A number for a row; these are added, so that the order of rows does not matter. */
function digestOf(row: Row): bigint {
  const columns = Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return BigInt(`0x${createHash("sha256").update(JSON.stringify(columns)).digest("hex")}`);
}
