import { randomInt } from "node:crypto";
import { closeSync, openSync, readSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

/**
 * A database file that is no longer under its name, or whose content is another one. SQLite goes on with the file that it
 * opened, which ends with it, and with what it remembers of its content.
 */
export type FileLoss = "deleted" | "replaced" | "overwritten";

/** Tells a file from any other that bears its name; undefined where there is none. Throws what the file system throws. */
export function identityOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

/** What became of a file since its identity was taken; undefined where nothing did, or where nobody can tell. */
export function lossOf(file: string, identity: string | undefined): FileLoss | undefined {
  if (identity === undefined) return undefined;
  const now = identityOf(file);
  if (now === undefined) return "deleted";
  return now === identity ? undefined : "replaced";
}

/** Where a database's header holds the application id, four bytes: https://www.sqlite.org/fileformat.html#application_id. */
const APPLICATION_ID_OFFSET = 68;

/** Tells the content of a database that is open for life from any other that is written over it. */
export interface ContentMark {
  /** Whether the mark was seen in the file and was no longer there since. Throws what the file system throws. */
  isOverwritten(): boolean;
  /** Call it after SQLite has closed the file: closing any handle of this process drops its locks. */
  close(): void;
}

/** Writes a random application id into an open database. Throws what SQLite and the file system throw. */
export function markContent(file: string, database: DatabaseSync): ContentMark {
  const mark = randomInt(1, 2 ** 31);
  database.exec(`PRAGMA application_id = ${mark}; PRAGMA wal_checkpoint(PASSIVE)`);
  const handle = openSync(file, "r");
  const bytes = Buffer.alloc(4);
  let seen = false;
  let overwritten = false;
  return {
    isOverwritten() {
      const read = readSync(handle, bytes, 0, bytes.length, APPLICATION_ID_OFFSET);
      const isThere = read === bytes.length && bytes.readInt32BE() === mark;
      // Until it is written back, the mark is in the write-ahead log alone.
      seen ||= isThere;
      // What is written back later may bring the mark back, and the rest of the file is mixed.
      overwritten ||= seen && !isThere;
      return overwritten;
    },
    close: () => closeSync(handle),
  };
}
