import { StorageError, UserError } from "../../errors.ts";
import type { FileLoss } from "../file/file-identity.ts";

// Primary result codes of SQLite: https://www.sqlite.org/rescode.html
const SQLITE_PERM = 3;
export const SQLITE_BUSY = 5;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_AUTH = 23;
const SQLITE_NOTADB = 26;

/** SQLite's primary result code of an error thrown by node:sqlite; undefined for any other. */
export function sqliteCode(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !("errcode" in thrown) || typeof thrown.errcode !== "number") return undefined;
  return thrown.errcode & 0xff;
}

/** A fault of the disk or of the database file, not of the statement that met it. */
export function isDiskFault(thrown: unknown): boolean {
  const fault = sqliteCode(thrown);
  return fault !== undefined && TROUBLE_TITLES.has(fault);
}

const CANNOT_WRITE = "The bot cannot write to its database";
const TROUBLE_TITLES: ReadonlyMap<number, string> = new Map([
  [SQLITE_FULL, "The bot's disk is full"],
  [SQLITE_IOERR, "The bot's disk refuses to read or write"],
  [SQLITE_READONLY, CANNOT_WRITE],
  [SQLITE_PERM, CANNOT_WRITE],
  [SQLITE_CANTOPEN, CANNOT_WRITE],
  [SQLITE_CORRUPT, "The bot's database is damaged"],
  [SQLITE_NOTADB, "The bot's database is damaged"],
]);

/**
 * Turns a disk fault of a running bot, which is neither the caller's nor a bug, into a StorageError. Anything else
 * passes.
 */
export function toStorageError(thrown: unknown, file: string): unknown {
  const code = sqliteCode(thrown);
  const title = TROUBLE_TITLES.get(code ?? 0);
  if (title === undefined) return thrown;
  return new StorageError(`${title}: ${file}`, { title, isFull: code === SQLITE_FULL, cause: thrown });
}

const LOSSES: Readonly<Record<FileLoss, string>> = {
  deleted: "deleted",
  replaced: "replaced by another file",
  overwritten: "overwritten",
};

/** The error for a lost file: rows that are written to it are gone when this process ends. */
export function lossError(file: string, loss: FileLoss): StorageError {
  const title = `The bot's database was ${LOSSES[loss]}`;
  return new StorageError(`${title}: ${file}`, { title });
}

/** Turns a fault of the file or disk into a sentence for the operator. Anything else passes. */
export function toOperatorError(thrown: unknown, file: string): unknown {
  const remedy = "Name a place that this user may write to in DATABASE_URL.";
  const refuse = (message: string, todo: string): UserError => new UserError(message, { remedy: todo, cause: thrown });
  if (thrown instanceof Error && "syscall" in thrown && "code" in thrown) {
    return refuse(`The database ${file} cannot be made or written to (${String(thrown.code)}).`, remedy);
  }
  switch (sqliteCode(thrown)) {
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return refuse(`The database ${file} cannot be opened for writing.`, remedy);
    case SQLITE_NOTADB:
      return refuse(
        `The file ${file} is not a database of Bellwether's.`,
        "Move it away, or name another file in DATABASE_URL.",
      );
    case SQLITE_CORRUPT:
      return refuse(`The database ${file} is damaged.`, "Put a backup in its place, or move it away to begin anew.");
    case SQLITE_FULL:
      return refuse(`There is no space left for the database ${file}.`, "Free some space and start again.");
    case SQLITE_IOERR:
      return refuse(`The disk refused to read or write the database ${file}.`, "Check the disk, then start again.");
    default:
      return thrown;
  }
}
