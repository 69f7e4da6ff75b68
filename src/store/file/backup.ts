import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

import { UserError } from "../../errors.ts";
import { CATCH_UP, LAST_WRITTEN, lostSince, MARK_OWED, markPlanned } from "../alert-tables/gone-back.ts";
import { toOperatorError } from "../sqlite/sqlite-faults.ts";
import { refuseNewerSchema } from "../migrations/schema-age.ts";
import { executedMigrations, hasTable, makeFolderOf, schemaAgeOf } from "../sqlite/sqlite.ts";
import { copyDatabase, putInPlace, setAside, syncFolderOf } from "../sqlite/database-files.ts";
import { DatabaseInUse } from "./holder-record.ts";
import { damageOf } from "./inspect-file.ts";
import { waitForProcessLock } from "./process-lock.ts";

/**
 * Copies a database into a file, whether or not a bot runs on it, and checks the copy. Until it is whole it has
 * another name. Without `looks` it has none of those that were kept. Throws UserError where there is nothing to copy, where the file exists, or where either cannot be used.
 */
export function backUp(file: string, into: string, looks = true) {
  if (!existsSync(file)) {
    throw new UserError(`There is no database ${file} to back up.`, {
      remedy: "Set DATABASE_URL to the one that is used.",
    });
  }
  if (existsSync(into)) {
    throw new UserError(`The file ${into} exists already, and a backup overwrites nothing.`, {
      remedy: "Name another file, such as one with the date in it.",
    });
  }
  const partial = `${into}.partial`;
  try {
    makeFolderOf(into);
    copyDatabase(file, partial, looks);
    const copied = checkCopy(partial, file);
    putInPlace(partial, into);
    return copied;
  } catch (thrown) {
    rmSync(partial, { force: true });
    throw toOperatorError(thrown, thrown instanceof Error && "syscall" in thrown ? into : file);
  }
}

function checkCopy(copy: string, file: string) {
  using database = new DatabaseSync(copy, { readOnly: true });
  refuseDamage(database, `The database ${file}`, "Restore an earlier backup: npm run restore -- <backup>.");
  // The schema is the last migration applied; undefined for an empty database.
  return { bytes: statSync(copy).size, schema: executedMigrations(database).at(-1) };
}

function refuseDamage(database: DatabaseSync, subject: string, remedy: string): void {
  const damage = damageOf(database);
  if (damage.length > 0) throw new UserError(`${subject} is damaged: ${damage.join("; ")}.`, { remedy });
}

/**
 * Replaces a database by a backup; the old database is kept beside it. Rejects with UserError while a bot runs on it,
 * and for a backup that is none, is damaged, or was written by a newer program; the database then stays as it is.
 */
export async function restore(file: string, backup: string, suffix: string) {
  if (!existsSync(backup)) throw new UserError(`There is no backup ${backup}.`, { remedy: "Name an existing file." });
  try {
    makeFolderOf(file);
    using lock = await waitForProcessLock(file, 0);
    if (lock === undefined) throw new DatabaseInUse(file);
    const fresh = `${file}.restoring`;
    try {
      const owed = prepareCopy(backup, fresh);
      const before = existsSync(file) ? setAside(file, `${file}.${suffix}`) : undefined;
      renameSync(fresh, file);
      syncFolderOf(file);
      // What was owed when the backup was made is sent again, marked as possible repeats.
      return { before, owed };
    } finally {
      rmSync(fresh, { force: true });
    }
  } catch (thrown) {
    throw toOperatorError(thrown, thrown instanceof Error && "syscall" in thrown ? file : backup);
  }
}

/** Makes a copy of the backup and checks that it is sound and Bellwether's. Returns the number of messages it owes. */
function prepareCopy(backup: string, fresh: string): number {
  copyDatabase(backup, fresh);
  using database = new DatabaseSync(fresh);
  refuseDamage(database, `The backup ${backup}`, "Choose another backup.");
  if (executedMigrations(database).length === 0) {
    throw new UserError(`The file ${backup} is no backup of Bellwether's.`, { remedy: "Choose another file." });
  }
  refuseNewerSchema(schemaAgeOf(database), `The backup ${backup}`, "Run that version to restore it.");
  return hasTable(database, "alert_deliveries") ? markUncertain(database) : 0;
}

/** Marks the messages that were owed when the backup was made, or will be planned again: they have probably been sent. */
function markUncertain(database: DatabaseSync): number {
  const now = Date.now();
  const last = database.prepare(LAST_WRITTEN).get()?.["at"];
  const { changes } = database.prepare(MARK_OWED).run();
  for (const statement of markPlanned(lostSince(Number(last ?? now), now), now, CATCH_UP)) database.exec(statement);
  return Number(changes);
}
