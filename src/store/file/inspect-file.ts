import { existsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

import type { Milliseconds } from "../../units/duration.ts";
import type { AlertTables, inspectAlerts } from "../alert-tables/alert-tables.ts";
import type { SchemaAge } from "../migrations/schema-age.ts";
import { toOperatorError } from "../sqlite/sqlite-faults.ts";
import { executedMigrations, schemaAgeOf } from "../sqlite/sqlite.ts";

/** The state of a database, read by a process that does not hold it. */
export interface DatabaseInspection<R> {
  /** The last migration applied; undefined for an empty database. */
  readonly schema: string | undefined;
  readonly age: SchemaAge["age"];
  /** Undefined for a damaged file or another version. */
  readonly alerts: Awaited<ReturnType<typeof inspectAlerts<R>>> | undefined;
  /** When an observation was stored last, in Unix milliseconds; undefined where none ever was. */
  readonly lastObservedAt: Milliseconds | undefined;
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
const BUSY_MILLIS = 2000;

/**
 * Reads a database file, also while another process holds it: SQLite lets others read, and nothing is written.
 * `read` may read more of the alerts. Undefined where there is no such file. Rejects with UserError where it cannot be
 * read.
 */
export async function inspectFile<R>(
  file: string,
  at: Milliseconds,
  read: (tables: AlertTables) => Promise<R>,
): Promise<FileInspection<R> | undefined> {
  if (!existsSync(file)) return undefined;
  try {
    const bytes = sizeOf(file) + sizeOf(`${file}-wal`);
    using database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MILLIS });
    const executed = executedMigrations(database);
    const damage = bytes > MAX_CHECKED_BYTES ? undefined : damageOf(database);
    const { age } = schemaAgeOf(database);
    const readable = age === "current" && (damage === undefined || damage.length === 0);
    return {
      bytes,
      schema: executed.at(-1),
      age,
      damage,
      lastObservedAt: readable ? lastObservedAt(database) : undefined,
      alerts: readable ? await readAlerts(database, at, read) : undefined,
    };
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

function lastObservedAt(database: DatabaseSync): Milliseconds | undefined {
  // The table also holds rows that no watcher wrote, under other names.
  const row = database.prepare("SELECT max(at) AS at FROM watcher_snapshots WHERE watcher = 'sources'").get();
  return typeof row?.["at"] === "number" ? row["at"] : undefined;
}

async function readAlerts<R>(
  database: DatabaseSync,
  at: Milliseconds,
  read: (tables: AlertTables) => Promise<R>,
): Promise<FileInspection<R>["alerts"]> {
  const [{ kyselyOver }, { inspectAlerts }] = await Promise.all([
    import("../sqlite/kysely-sqlite.ts"),
    import("../alert-tables/alert-tables.ts"),
  ]);
  await using db = kyselyOver(database);
  return await inspectAlerts(db, at, read);
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
