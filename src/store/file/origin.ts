import { existsSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

import { UserError } from "../../errors.ts";
import { asOrigin, type Origin, ORIGIN_MARK } from "../marks.ts";
import { toOperatorError } from "../sqlite/sqlite-faults.ts";
import { hasTable } from "../sqlite/sqlite.ts";
import { setAside, syncFolderOf } from "../sqlite/database-files.ts";
import { waitForProcessLock } from "./process-lock.ts";

/**
 * Keeps the simulator and configured networks from using each other's database, before it is opened: the simulator's is
 * set aside under `suffix`, and its new name returned. Rejects with UserError where the simulator would use a database
 * of configured networks. A database that another process holds is left alone.
 */
export async function enforceOrigin(file: string, origin: Origin, suffix: string): Promise<string | undefined> {
  if (!existsSync(file)) return undefined;
  try {
    using lock = await waitForProcessLock(file, 0);
    if (lock === undefined) return undefined;
    const stored = originOf(file);
    if (stored === undefined || stored === origin) return undefined;
    if (stored === "configured") {
      throw new UserError(`The database ${file} is that of networks which are no longer set.`, {
        remedy: "Set MAINNET_URLS or TESTNET_URLS again, or give the simulator another file in DATABASE_URL.",
      });
    }
    const aside = setAside(file, `${file}.${suffix}`);
    rmSync(file);
    syncFolderOf(file);
    return aside;
  } catch (thrown) {
    throw toOperatorError(thrown, file);
  }
}

/** Undefined for a database that is new, or damaged, which its opening reports. */
export function originOf(file: string): Origin | undefined {
  if (!existsSync(file)) return undefined;
  try {
    // If it were opened read-only, SQLite would leave two files beside it.
    using database = new DatabaseSync(file);
    if (!hasTable(database, "database_marks")) return undefined;
    const row = database.prepare("SELECT value FROM database_marks WHERE name = ?").get(ORIGIN_MARK);
    return asOrigin(row?.["value"]);
  } catch {
    return undefined;
  }
}
