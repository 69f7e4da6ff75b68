import { existsSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

import { UserError } from "../../errors.ts";
import type { WithDatabase } from "../queries.ts";
import { toOperatorError } from "../sqlite/sqlite-faults.ts";
import { hasTable } from "../sqlite/sqlite.ts";
import { setAside, syncFolderOf } from "./database-files.ts";
import { waitForProcessLock } from "./process-lock.ts";

/** Whose alerts, subscriptions and ids a database holds: the embedded simulator's, or those of networks that are set. */
export type Origin = "simulated" | "configured";

const ORIGIN_MARK = "origin";

/**
 * Keeps what a simulated network left away from networks that are set, and the other way round, before a database is
 * used: the simulator's is set aside under `suffix`, and its new name given. Rejects with UserError where the database
 * is that of networks which are set and the simulator would take it. One that another process holds is left to it.
 */
export async function enforceOrigin(file: string, origin: Origin, suffix: string): Promise<string | undefined> {
  if (!existsSync(file)) return undefined;
  try {
    const lock = await waitForProcessLock(file, 0);
    if (lock === undefined) return undefined;
    try {
      const kept = originOf(file);
      if (kept === undefined || kept === origin) return undefined;
      if (kept === "configured") {
        throw new UserError(`The database ${file} is that of networks which are no longer set.`, {
          remedy: "Set MAINNET_URLS or TESTNET_URLS again, or give the simulator another file in DATABASE_URL.",
        });
      }
      const aside = setAside(file, `${file}.${suffix}`);
      rmSync(file);
      syncFolderOf(file);
      return aside;
    } finally {
      lock.release();
    }
  } catch (thrown) {
    throw toOperatorError(thrown, file);
  }
}

/** Undefined for a database that is new, or damaged: whoever opens it finds out. */
export function originOf(file: string): Origin | undefined {
  if (!existsSync(file)) return undefined;
  try {
    // Not for reading only: that would leave SQLite's two files beside it.
    const database = new DatabaseSync(file);
    try {
      if (!hasTable(database, "database_marks")) return undefined;
      const row = database.prepare("SELECT value FROM database_marks WHERE name = ?").get(ORIGIN_MARK);
      const value = row?.["value"];
      return value === "simulated" || value === "configured" ? value : undefined;
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}

/** Says whose database this is, where nobody has yet. */
export async function markOrigin(use: WithDatabase, origin: Origin): Promise<void> {
  await use((db) =>
    db
      .insertInto("database_marks")
      .values({ name: ORIGIN_MARK, value: origin })
      .onConflict((conflict) => conflict.column("name").doNothing())
      .execute(),
  );
}
