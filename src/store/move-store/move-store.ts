// Moves a whole database from a file to a server, or back: copies its tables, and compares them.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";

import { type Kysely, type RawBuilder, sql } from "kysely";

import { UserError } from "../../errors.ts";
import { databaseFile } from "../file/database-url.ts";
import { openForLife } from "../file/file.ts";
import { OLDEST_PROGRAM_MARK } from "../migrations/schema-age.ts";
import { isPostgresUrl, serverName } from "../postgres-url.ts";
import { executedMigrations, openServer } from "../postgres/postgres.ts";
import { liveOn } from "../postgres/processes.ts";
import { processName } from "../processes.ts";
import {
  inBatches,
  isPostgres,
  serialTransactions,
  storableText,
  type Transactions,
  TURN,
  type WithDatabase,
} from "../queries.ts";
import { type Schema, TABLES } from "../schema.ts";
import { WriteHealth } from "../write-health.ts";

/** The tables of both sides, read after the copy. */
export interface Moved {
  readonly from: readonly TableSummary[];
  readonly to: readonly TableSummary[];
  /** All tables are equal, and the copy is kept; otherwise nothing is. */
  readonly equal: boolean;
}

interface Side {
  readonly name: string;
  readonly withDatabase: WithDatabase;
  readonly transactions: Transactions;
  close(): Promise<void>;
}

/** How long to wait for another process that has the file. */
const WAIT_MILLIS = 1000;

/** The content of a table. Equal tables have equal summaries, whatever the order of their rows. */
type TableSummary = Awaited<ReturnType<typeof walk>>;

type Row = Readonly<Record<string, unknown>>;
/** The table is a parameter here, so Kysely does not know its columns. */
type AnyTables = Kysely<Record<string, Record<string, unknown>>>;

/** All tables but `processes`: none of these uses the copy. */
const NAMES = (Object.keys(TABLES) as readonly (keyof Schema)[]).filter((table) => table !== "processes");

/** Rows of one statement. */
const BATCH = 500;

/**
 * Copies a whole database into an empty one, from a file to a server or back, in one transaction of the target. Both
 * are brought to the newest schema first. Rejects with UserError where a process uses either, the source is not there,
 * or the target is not empty; with StorageError where a server fails.
 */
export async function moveStore(fromUrl: string, toUrl: string): Promise<Moved> {
  if (nameOf(fromUrl) === nameOf(toUrl)) {
    throw new UserError("--from and --to name the same database.", { remedy: "Name an empty one in --to." });
  }
  if (!isPostgresUrl(fromUrl) && !existsSync(databaseFile(fromUrl))) {
    throw new UserError(`There is no database ${databaseFile(fromUrl)}.`, {
      remedy: "Name an existing one in --from.",
    });
  }
  const from = open(fromUrl);
  const to = open(toUrl);
  try {
    await refuseInUse(from);
    await refuseInUse(to);
    await refuseOtherSchema(from, to);
    return await move(from, to);
  } finally {
    await Promise.all([from.close(), to.close()]);
  }
}

async function move(from: Side, to: Side): Promise<Moved> {
  let unequal: Moved | undefined;
  try {
    const moved = await from.transactions.read((source) =>
      to.transactions.write(async (target) => {
        const filled = await filledTables(target);
        if (filled.length > 0) {
          throw new UserError(`The database ${to.name} is not empty: there are rows in ${filled.join(", ")}.`, {
            remedy: "Name an empty database in --to; nothing in it is overwritten.",
          });
        }
        const read = await copyTables(source, target);
        const written = await summarise(target);
        const done = { from: read, to: written, equal: JSON.stringify(read) === JSON.stringify(written) };
        if (done.equal) return done;
        unequal = done;
        throw new Error("The copy differs, which undoes it.");
      }),
    );
    // A server plans queries by statistics, which it would only gather a minute later.
    await to.withDatabase(async (db) => isPostgres(db) && sql`analyze`.execute(db));
    return moved;
  } catch (thrown) {
    if (unequal !== undefined) return unequal;
    throw thrown;
  }
}

function nameOf(url: string): string {
  return isPostgresUrl(url) ? serverName(url) : databaseFile(url);
}

function open(url: string): Side {
  const name = nameOf(url);
  if (isPostgresUrl(url)) return { name, ...openServer(url, { self: processName(), writes: new WriteHealth() }) };
  const access = openForLife(name, WAIT_MILLIS, new WriteHealth());
  return { name, ...access, transactions: serialTransactions(access.withDatabase) };
}

/** Throws where a process uses a database on a server. That of a file has its lock. */
async function refuseInUse({ name, withDatabase }: Side): Promise<void> {
  const { length: live } = await withDatabase(async (db) => (isPostgres(db) ? liveOn(db) : []));
  if (live === 0) return;
  throw new UserError(`The database ${name} is in use by ${live === 1 ? "a process" : `${live} processes`}.`, {
    remedy: "Stop Bellwether there first; a process that was killed counts for some more seconds.",
  });
}

/** A newer version may have added tables and columns that this one would leave out. */
async function refuseOtherSchema(from: Side, to: Side): Promise<void> {
  const [source, target] = [await from.withDatabase(executedMigrations), await to.withDatabase(executedMigrations)];
  if (source.join("\n") === target.join("\n")) return;
  const newer = [...source, ...target].find((name) => source.includes(name) !== target.includes(name));
  throw new UserError(`A newer version of Bellwether wrote one of the databases (it has ${newer}).`, {
    remedy: "Move it with that version.",
  });
}

/** The tables with rows. */
async function filledTables(db: Kysely<Schema>): Promise<readonly string[]> {
  const filled: string[] = [];
  for (const table of NAMES) if ((await batchAfter(db, table, undefined, 1)).length > 0) filled.push(table);
  return filled;
}

/** Copies all rows, and summarises the rows that were read. Both sides have the newest schema. */
async function copyTables(from: Kysely<Schema>, to: Kysely<Schema>): Promise<readonly TableSummary[]> {
  return summarise(from, (table, batch) =>
    inBatches(batch, (rows) => (to as unknown as AnyTables).insertInto(table).values(rows).execute()),
  );
}

/** Summarises each table. `take` gets all rows, in batches. */
async function summarise(
  db: Kysely<Schema>,
  take: (table: keyof Schema, batch: readonly Row[]) => Promise<unknown> = async () => undefined,
): Promise<readonly TableSummary[]> {
  const summaries: TableSummary[] = [];
  for (const table of NAMES) summaries.push(await walk(db, table, (batch) => take(table, batch)));
  return summaries;
}

async function walk(db: Kysely<Schema>, table: keyof Schema, take: (batch: readonly Row[]) => Promise<unknown>) {
  let rows = 0;
  let sum = 0n;
  let last: Row | undefined;
  for (;;) {
    const batch = await batchAfter(db, table, last, BATCH);
    await take(batch);
    for (const row of batch) sum = (sum + digestOf(row)) & MASK;
    rows += batch.length;
    last = batch.at(-1);
    // The sum is of all rows together.
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
  // The engines give bytes as different objects.
  const columns = Object.entries(row)
    .map(
      ([name, value]) => [name, value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value] as const,
    )
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return BigInt(`0x${createHash("sha256").update(JSON.stringify(columns)).digest("hex")}`);
}
