// SQLite: opening a database, its pragmas, and the migrations it has been through.
// Next: kysely-sqlite.ts (queries, loaded lazily), sqlite-faults.ts (faults of the disk, and whether writing works),
// database-files.ts (copies of the file).

import path from "node:path";
import { DatabaseSync } from "node:sqlite";

import { UserError } from "../../errors.ts";
import { makeFolder } from "../../make-folder.ts";
import { makePrivateFile } from "./database-files.ts";
import {
  hasOwnMigration,
  OLDEST_PROGRAM_MARK,
  refuseNewerSchema,
  schemaAge,
  type SchemaAge,
} from "../migrations/schema-age.ts";

/** How long a statement waits for another connection, which can only be that of an outside tool or a backup. */
const BUSY_MILLIS = 5000;

/** Makes the folder of a database where there is none. Throws what the file system throws. */
export function makeFolderOf(file: string): void {
  makeFolder(path.dirname(file));
}

/**
 * Opens a database file for one process, durable at every commit
 * (https://www.sqlite.org/pragma.html#pragma_synchronous: FULL with WAL syncs each of them) but those that
 * kysely-sqlite.ts names.
 * Throws what SQLite and the file system throw, and UserError for an empty file, for one of another program, and for a
 * schema that is too new for this program.
 */
export function openSqlite(file: string): { database: DatabaseSync; migrated: boolean } {
  const isNew = makePrivateFile(file);
  const database = new DatabaseSync(file, { timeout: BUSY_MILLIS });
  try {
    if (isNew) database.exec(`PRAGMA application_id = ${UNUSED_ID}`);
    else refuseForeign(database, file);
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
    const schema = schemaAgeOf(database);
    refuseNewerSchema(schema, `The database ${file}`, "Run that version, or name another file in DATABASE_URL.");
    return { database, migrated: schema.age === "current" };
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

/** Marks a file as this program's until it has tables; the process that holds it replaces it by a mark of its own. */
const UNUSED_ID = 0x62656c6c;

/** Throws UserError for a file that this program has not made: nobody expects to begin anew with an existing file. */
function refuseForeign(database: DatabaseSync, file: string): void {
  const executed = executedMigrations(database);
  if (hasTable(database, "kysely_migration") && (executed.length === 0 || hasOwnMigration(executed))) return;
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' LIMIT 1").all();
  const [id] = database.prepare("PRAGMA application_id").all();
  if (tables.length === 0 && Number(id?.["application_id"]) !== 0) return;
  const what = tables.length === 0 ? "is empty" : "belongs to another program";
  throw new UserError(`The database ${file} ${what}.`, {
    remedy: "Bring it back from a backup (npm run restore), name another file in DATABASE_URL, or take this one away.",
  });
}

/** The names of the migrations applied to a database; empty for a new one. */
export function executedMigrations(database: DatabaseSync): string[] {
  if (!hasTable(database, "kysely_migration")) return [];
  return database
    .prepare("SELECT name FROM kysely_migration ORDER BY name")
    .all()
    .map((row) => String(row["name"]));
}

export function hasTable(database: DatabaseSync, name: string): boolean {
  return database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !== undefined;
}

/** The age of a database's schema. */
export function schemaAgeOf(database: DatabaseSync): SchemaAge {
  const mark = hasTable(database, "database_marks")
    ? database.prepare("SELECT value FROM database_marks WHERE name = ?").get(OLDEST_PROGRAM_MARK)?.["value"]
    : undefined;
  return schemaAge(executedMigrations(database), typeof mark === "string" ? mark : undefined);
}
