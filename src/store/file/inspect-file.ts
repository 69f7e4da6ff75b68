import { existsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

import type { Kysely } from "kysely";

import type { Milliseconds } from "../../units/duration.ts";
import type { AlertTables, inspectAlerts } from "../alert-tables/alert-tables.ts";
import type { SchemaAge } from "../migrations/schema-age.ts";
import type { Schema } from "../schema.ts";
import { toOperatorError } from "../sqlite/sqlite-faults.ts";
import { executedMigrations, schemaAgeOf } from "../sqlite/sqlite.ts";

/** Reads more of the alerts. */
type Read<R> = (tables: AlertTables) => Promise<R>;

interface TableInspection<R> {
  /** Undefined for a damaged file or another version. */
  readonly alerts: Awaited<ReturnType<typeof inspectAlerts<R>>> | undefined;
  /** When an observation was stored last, in Unix milliseconds; undefined where none ever was. */
  readonly lastObservedAt: Milliseconds | undefined;
}

/** The state of a database, read by a process that does not hold it. */
export interface DatabaseInspection<R> extends TableInspection<R> {
  /** The last migration applied; undefined for an empty database. */
  readonly schema: string | undefined;
  readonly age: SchemaAge["age"];
}

/** The state of a database file. */
export interface FileInspection<R = undefined> extends DatabaseInspection<R> {
  /** The write-ahead log included. */
  readonly bytes: number;
  /** The faults that SQLite finds; empty = none. Undefined where the file is too large to be checked. */
  readonly damage: readonly string[] | undefined;
}

/** Checking a larger file would block this process for more than a few seconds. */
const MAX_CHECKED_BYTES = 256 * 1024 * 1024;
const MAX_DAMAGE_SHOWN = 3;
/** The inspection of tables that this version cannot read. */
export const UNREADABLE = { lastObservedAt: undefined, alerts: undefined };
const BUSY_MILLIS = 2000;

/**
 * Reads a database file, also while another process holds it: SQLite lets others read, and nothing is written.
 * `read` may read more of the alerts. Undefined where there is no such file. Rejects with UserError where it cannot be
 * read.
 */
export async function inspectFile<R>(
  file: string,
  at: Milliseconds,
  read: Read<R>,
): Promise<FileInspection<R> | undefined> {
  if (!existsSync(file)) return undefined;
  try {
    const bytes = sizeOf(file) + sizeOf(`${file}-wal`);
    using database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MILLIS });
    const executed = executedMigrations(database);
    const damage = bytes > MAX_CHECKED_BYTES ? undefined : damageOf(database);
    const { age } = schemaAgeOf(database);
    const readable = age === "current" && (damage === undefined || damage.length === 0);
    const tables = readable ? await inspectOpened(database, at, read) : UNREADABLE;
    return { bytes, schema: executed.at(-1), age, damage, ...tables };
  } catch (thrown) {
    throw toOperatorError(thrown, file);
  }
}

/**
 * The faults that SQLite finds, also between tables and their indexes, which `quick_check` does not compare:
 * https://www.sqlite.org/pragma.html#pragma_integrity_check. Some 12 ms a megabyte.
 */
export function damageOf(database: DatabaseSync): string[] {
  const rows = database.prepare(`PRAGMA integrity_check(${MAX_DAMAGE_SHOWN})`).all();
  return rows.map((row) => String(row["integrity_check"])).filter((line) => line !== "ok");
}

async function inspectOpened<R>(database: DatabaseSync, at: Milliseconds, read: Read<R>): Promise<TableInspection<R>> {
  const { kyselyOver } = await import("../sqlite/kysely-sqlite.ts");
  await using db = kyselyOver(database);
  return await inspectTables(db, at, read);
}

/** The part of an inspection that is read from the tables of a current schema. */
export async function inspectTables<R>(
  db: Kysely<Schema>,
  at: Milliseconds,
  read: Read<R>,
): Promise<TableInspection<R>> {
  const { inspectAlerts } = await import("../alert-tables/alert-tables.ts");
  const row = await db
    .selectFrom("watcher_snapshots")
    .select((eb) => eb.fn.max<number | null>("at").as("at"))
    // The table also holds rows that no watcher wrote, under other names.
    .where("watcher", "=", "sources")
    .executeTakeFirst();
  return { lastObservedAt: row?.at ?? undefined, alerts: await inspectAlerts(db, at, read) };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
