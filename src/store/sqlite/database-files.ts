import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";

/**
 * Makes an empty file that only this user can read, where there is none; the files that SQLite adds take its mode.
 * An existing file is not even opened: closing it again would drop every lock that this process holds on it
 * (https://www.sqlite.org/howtocorrupt.html, "POSIX advisory locks canceled"). Returns whether there was none.
 */
export function makePrivateFile(file: string): boolean {
  try {
    closeSync(openSync(file, "ax", 0o600));
    return true;
  } catch (thrown) {
    if (!(thrown instanceof Error && "code" in thrown && thrown.code === "EEXIST")) throw thrown;
    return false;
  }
}

/** How long a copy waits for a writer; in WAL mode readers and writers do not wait for each other. */
const BUSY_MILLIS = 5000;

/**
 * Writes a snapshot of a database into a file that only this user can read, compacted and synced to the disk. The
 * database's holder goes on meanwhile: https://www.sqlite.org/lang_vacuum.html#vacuuminto. A file left by a copy that
 * broke off is replaced. Throws what SQLite and the file system throw.
 */
export function copyDatabase(from: string, into: string, looks = true): void {
  rmSync(into, { force: true });
  makePrivateFile(into);
  {
    using database = new DatabaseSync(from, { readOnly: true, timeout: BUSY_MILLIS });
    database.prepare("VACUUM INTO ?").run(into);
  }
  adaptCopy(into, looks);
  syncFile(into);
}

/**
 * A copy that is written over the open database shows by the missing mark: see markContent. It has no open answers,
 * which this process still gives; their bytes are overwritten.
 */
function adaptCopy(copy: string, looks: boolean): void {
  using database = new DatabaseSync(copy);
  database.exec("PRAGMA application_id = 0");
  database.exec("PRAGMA secure_delete = ON");
  const emptied = ["open_answers", ...(looks ? [] : ["looks_tail", "looks_chunks"])];
  for (const table of emptied) {
    const found = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name = ?").get(table);
    if (found !== undefined) database.exec(`DELETE FROM ${table}`);
  }
  if (!looks) database.exec("VACUUM");
}

/** Gives a file its final name, which must be free, so that the name survives a loss of power. */
export function putInPlace(file: string, name: string): void {
  try {
    // Unlike a rename this fails where a file of that name has appeared meanwhile.
    linkSync(file, name);
    rmSync(file);
  } catch (thrown) {
    if (existsSync(name)) throw thrown;
    // Not every file system has links.
    renameSync(file, name);
  }
  syncFolderOf(name);
}

/** So many copies from before a migration are kept. */
const MIGRATION_COPIES = 2;

/**
 * Copies a database beside itself before its schema is migrated: `bellwether.db.schema-0010-…` holds that schema, for
 * `restore` under the older program. Copies older than the last two are removed. Throws what SQLite and the file system
 * throw.
 */
export function copyBeforeMigration(file: string, schema: string): void {
  const prefix = `${path.basename(file)}.schema-`;
  const copy = path.join(path.dirname(file), `${prefix}${schema}`);
  const partial = `${file}.partial`;
  try {
    copyDatabase(file, partial);
    renameSync(partial, copy);
  } finally {
    rmSync(partial, { force: true });
  }
  // Schemas are numbered, so their names sort by age.
  const copies = readdirSync(path.dirname(file)).filter(
    (name) => name.startsWith(prefix) && /^\d{4}-[a-z-]+$/u.test(name.slice(prefix.length)),
  );
  for (const old of copies.toSorted().slice(0, -MIGRATION_COPIES)) rmSync(path.join(path.dirname(file), old));
  syncFolderOf(file);
}

export function syncFolderOf(file: string): void {
  // Windows cannot open folders, and writes names to the disk itself.
  if (process.platform !== "win32") syncFile(path.dirname(file));
}

function syncFile(file: string): void {
  const opened = openSync(file, "r");
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** Renames a database, together with its write-ahead log where that cannot be written back. */
export function setAside(file: string, name: string): string {
  try {
    using database = new DatabaseSync(file);
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // The files of a damaged database are kept as they are.
  }
  makePrivateFile(name);
  copyFileSync(file, name);
  if (existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${name}-wal`);
  rmSync(`${file}-shm`, { force: true });
  return name;
}
