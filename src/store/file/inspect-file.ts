import { existsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

import type { Milliseconds } from "../../units/duration.ts";
import type { AlertCounts, AlertTables } from "../alert-tables/alert-tables.ts";
import { migrations } from "../migrations/index.ts";
import { toOperatorError } from "../sqlite/sqlite-faults.ts";
import { executedMigrations, newerMigration } from "../sqlite/sqlite.ts";

/** What a database file looks like from outside. */
export interface FileInspection<R = undefined> {
  /** With what lies in its write-ahead log. */
  readonly bytes: number;
  /** The last migration that it has been through; undefined for an empty one. */
  readonly schema: string | undefined;
  /** It lacks migrations of this program, which the next start makes up for, or has one that this program does not know. */
  readonly age: "current" | "older" | "newer";
  /** What SQLite finds wrong with it; empty = nothing. Undefined where it is too large to be read through. */
  readonly damage: readonly string[] | undefined;
  /** Undefined where it is damaged or of another version. */
  readonly alerts: (AlertCounts & { readonly waiting: readonly PlatformBacklog[]; readonly read: R }) | undefined;
  /** When a watcher's look was kept last, in Unix milliseconds; undefined where none ever was. */
  readonly lastObservedAt: Milliseconds | undefined;
}

/** What is owed on one platform. */
export interface PlatformBacklog {
  readonly platform: string;
  readonly owed: number;
  /** Unix milliseconds. */
  readonly oldest: Milliseconds;
}

/** A larger file takes more than a few seconds to be read through, during which this process does nothing else. */
const MAX_CHECKED_BYTES = 512 * 1024 * 1024;
const MAX_DAMAGE_SHOWN = 3;
const BUSY_MILLIS = 2000;

/**
 * Looks into a database file beside the process that may hold it: SQLite lets others read, and nothing is written.
 * `read` may read more of the alerts. Undefined where there is no such file. Rejects with UserError where it cannot be
 * read.
 */
export async function inspectFile<R>(
  file: string,
  at: Milliseconds,
  read: (tables: AlertTables) => Promise<R>,
): Promise<FileInspection<R> | undefined> {
  if (!existsSync(file)) return undefined;
  try {
    const bytes = sizeOf(file) + sizeOf(`${file}-wal`);
    const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MILLIS });
    try {
      const executed = executedMigrations(database);
      const damage = bytes > MAX_CHECKED_BYTES ? undefined : damageOf(database);
      const known = Object.keys(migrations).length;
      const newer = newerMigration(database) !== undefined;
      const age = newer ? "newer" : executed.length < known ? "older" : "current";
      const readable = age === "current" && (damage === undefined || damage.length === 0);
      return {
        bytes,
        schema: executed.at(-1),
        age,
        damage,
        lastObservedAt: readable ? lastObservedAt(database) : undefined,
        alerts: readable ? await readAlerts(database, at, read) : undefined,
      };
    } finally {
      if (database.isOpen) database.close();
    }
  } catch (thrown) {
    throw toOperatorError(thrown, file);
  }
}

/** What SQLite itself finds wrong: https://www.sqlite.org/pragma.html#pragma_quick_check. */
export function damageOf(database: DatabaseSync): string[] {
  const rows = database.prepare(`PRAGMA quick_check(${MAX_DAMAGE_SHOWN})`).all();
  return rows.map((row) => String(row["quick_check"])).filter((line) => line !== "ok");
}

function lastObservedAt(database: DatabaseSync): Milliseconds | undefined {
  // Beside the watchers' snapshots lies what others keep, for no network or under names of their own.
  const row = database.prepare("SELECT max(at) AS at FROM watcher_snapshots WHERE watcher = 'sources'").get();
  return typeof row?.["at"] === "number" ? row["at"] : undefined;
}

async function readAlerts<R>(
  database: DatabaseSync,
  at: Milliseconds,
  read: (tables: AlertTables) => Promise<R>,
): Promise<FileInspection<R>["alerts"]> {
  const [{ kyselyOver }, { createAlertTables }] = await Promise.all([
    import("../sqlite/kysely-sqlite.ts"),
    import("../alert-tables/create-alert-tables.ts"),
  ]);
  const db = kyselyOver(database);
  const tables = createAlertTables(db);
  const alerts = { ...(await tables.counts(at)), waiting: await tables.outbox.depth(), read: await read(tables) };
  await db.destroy();
  return alerts;
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
