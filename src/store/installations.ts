import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

import type { Kysely } from "kysely";

import type { Milliseconds } from "../units/duration.ts";
import { databaseFile } from "./file/database-url.ts";
import { isPostgresUrl } from "./postgres-url.ts";
import { putRows } from "./queries.ts";
import type { Schema } from "./schema.ts";
import type { InstallationChange, InstallationRow } from "./store.ts";

/** Installations in many workspaces. */
export function createInstallations(db: Kysely<Schema>, now: () => Milliseconds) {
  return {
    /** All installations, also those that were removed. */
    all: (platform: string) =>
      db.selectFrom("installations").selectAll().where("platform", "=", platform).orderBy("id").execute(),

    get: (platform: string, id: string) =>
      db
        .selectFrom("installations")
        .selectAll()
        .where("platform", "=", platform)
        .where("id", "=", id)
        .executeTakeFirst(),

    /** Adds an installation, or replaces an earlier one in the same place. */
    put: (row: InstallationRow) => putRows(db, "installations", { key: ["platform", "id"] }, [row]),

    /** Returns false, and changes nothing, where its tokens have changed since the row was read. */
    async change({ platform, id, sealed }: InstallationRow, changes: InstallationChange) {
      const { numUpdatedRows } = await db
        .updateTable("installations")
        .set(changes)
        .where("platform", "=", platform)
        .where("id", "=", id)
        .where("sealed", "=", sealed)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Notes that a state was used, which may be used once and expires at `endsAt`. False where it was used before. */
    async useOnce(state: string, endsAt: Milliseconds) {
      await db.deleteFrom("used_states").where("ends_at", "<=", now()).execute();
      const { numInsertedOrUpdatedRows } = await db
        .insertInto("used_states")
        .values({ state, ends_at: endsAt })
        .onConflict((conflict) => conflict.column("state").doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },
  };
}

const BUSY_MILLIS = 2000;

/**
 * The installations of a platform, also where another process holds the database; nothing is written. Undefined where
 * they cannot be read: there is no database yet, or of another version.
 */
export async function readInstallations(
  url: string,
  platform: string,
): Promise<readonly InstallationRow[] | undefined> {
  try {
    await using db = isPostgresUrl(url) ? await onServer(url) : await inFile(databaseFile(url));
    if (db === undefined) return undefined;
    return await createInstallations(db, Date.now).all(platform);
  } catch {
    // Another check reports what is wrong with the database.
    return undefined;
  }
}

async function onServer(url: string) {
  const [{ kyselyOverPostgres }, { openPool }, { WriteHealth }] = await Promise.all([
    import("./postgres/kysely-postgres.ts"),
    import("./postgres/pool.ts"),
    import("./write-health.ts"),
  ]);
  return kyselyOverPostgres(openPool(url, new WriteHealth()));
}

async function inFile(file: string) {
  if (!existsSync(file)) return undefined;
  const { kyselyOver } = await import("./sqlite/kysely-sqlite.ts");
  return kyselyOver(new DatabaseSync(file, { readOnly: true, timeout: BUSY_MILLIS }));
}
