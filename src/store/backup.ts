import { existsSync, rmSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

import { UserError } from "../errors.ts";
import { copyDatabase, putInPlace } from "./copy-database.ts";
import { damageOf } from "./inspect-file.ts";
import { executedMigrations, makeFolderOf } from "./sqlite-database.ts";
import { toOperatorError } from "./sqlite-faults.ts";

/** A backup that was made and read through. */
export interface Backup {
  readonly bytes: number;
  /** The last migration that it has been through; undefined for an empty one. */
  readonly schema: string | undefined;
}

/**
 * Copies a database into a file, whether or not a bot runs on it, and reads the copy through. Until it is whole it has
 * another name. Throws UserError where there is nothing to copy, where the file exists, or where either cannot be used.
 */
export function backUp(file: string, into: string): Backup {
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
    copyDatabase(file, partial);
    const copied = checkCopy(partial, file);
    putInPlace(partial, into);
    return copied;
  } catch (thrown) {
    rmSync(partial, { force: true });
    throw thrown instanceof Error && "syscall" in thrown
      ? toOperatorError(thrown, into)
      : toOperatorError(thrown, file);
  }
}

function checkCopy(copy: string, file: string): Backup {
  const database = new DatabaseSync(copy, { readOnly: true });
  try {
    const damage = damageOf(database);
    if (damage.length > 0) {
      throw new UserError(`The database ${file} is damaged: ${damage.join("; ")}.`, {
        remedy: "Bring back an earlier backup: npm run restore -- <backup>.",
      });
    }
    return { bytes: statSync(copy).size, schema: executedMigrations(database).at(-1) };
  } finally {
    database.close();
  }
}
