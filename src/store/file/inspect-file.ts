import { existsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

import type { Milliseconds } from "../../units/time.ts";
import {
  type DatabaseInspection,
  inspectTables,
  type Read,
  type TableInspection,
  UNREADABLE,
} from "../alert-tables/inspect-tables.ts";
import { toOperatorError } from "../sqlite/sqlite-faults.ts";
import { executedMigrations, schemaAgeOf } from "../sqlite/sqlite.ts";

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

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
