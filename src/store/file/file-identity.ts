import { randomInt } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

/**
 * How a database file was lost. SQLite goes on writing to the file that it has opened, which is deleted when it is
 * closed, and goes on using pages that it has read before.
 */
export type FileLoss = "deleted" | "replaced" | "overwritten";

/**
 * Distinguishes a file from any other with its name; undefined where there is none. Throws what the file system throws.
 */
export function identityOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

/** How a file was lost since its identity was read; undefined where it was not, or where there is no identity. */
export function lossOf(file: string, identity: string | undefined): FileLoss | undefined {
  if (identity === undefined) return undefined;
  const now = identityOf(file);
  if (now === undefined) return "deleted";
  return now === identity ? undefined : "replaced";
}

/**
 * Where a database's header holds the application id, four bytes:
 * https://www.sqlite.org/fileformat.html#application_id.
 */
const APPLICATION_ID_OFFSET = 68;

/** Finds out whether something else was written over a database that is open for life. */
export type ContentMark = ReturnType<typeof markContent>;

/**
 * The parts of the index of the write-ahead log that change only when pages are written back: the salts of the log, and
 * how many of its frames are in the database: https://www.sqlite.org/walformat.html#the_wal_index_file_format.
 */
const WRITTEN_BACK = [
  { from: 32, bytes: 8 },
  { from: 96, bytes: 4 },
  { from: 128, bytes: 4 },
] as const;

/** Writes a random application id into an open database. Throws what SQLite and the file system throw. */
export function markContent(file: string, database: DatabaseSync) {
  const mark = randomInt(1, 2 ** 31);
  database.exec(`PRAGMA application_id = ${mark}; PRAGMA wal_checkpoint(PASSIVE)`);
  const handle = openSync(file, "r");
  const index = openSync(`${file}-shm`, "r");
  const bytes = Buffer.alloc(4);
  let seen = false;
  let overwritten = false;
  const state = (): { readonly changedAt: bigint; readonly writtenBack: Buffer } => {
    const parts = WRITTEN_BACK.map(({ from, bytes: length }) => {
      const part = Buffer.alloc(length);
      readSync(index, part, 0, length, from);
      return part;
    });
    return { changedAt: fstatSync(handle, { bigint: true }).mtimeNs, writtenBack: Buffer.concat(parts) };
  };
  let before = state();
  return {
    /** Whether the mark was seen in the file and was no longer there since. Throws what the file system throws. */
    isOverwritten(): boolean {
      const read = readSync(handle, bytes, 0, bytes.length, APPLICATION_ID_OFFSET);
      const isThere = read === bytes.length && bytes.readInt32BE() === mark;
      // Before SQLite writes it back, the mark is only in the write-ahead log.
      seen ||= isThere;
      // A copy that was made in this run has the mark: then the file has changed, and SQLite has written nothing back.
      const now = state();
      const isForeign = now.changedAt !== before.changedAt && now.writtenBack.equals(before.writtenBack);
      before = now;
      // Pages written back later may have the mark again, while the rest of the file is a mixture.
      overwritten ||= isForeign || (seen && !isThere);
      return overwritten;
    },
    /** Call it after SQLite has closed the file: closing any handle of this process drops its locks. */
    close(): void {
      closeSync(handle);
      closeSync(index);
    },
  };
}
