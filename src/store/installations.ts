import type { Kysely } from "kysely";

import type { Milliseconds } from "../units/duration.ts";
import { putRows, type WithDatabase } from "./queries.ts";
import type { Schema } from "./schema.ts";
import type { InstallationChange, InstallationRow } from "./store.ts";

/** What a new installation in the same place overwrites. */
const OVERWRITTEN = [
  "enterprise",
  "name",
  "org_wide",
  "bot_user",
  "scopes",
  "sealed",
  "expires_at",
  "installed_by",
  "installed_at",
  "removed_at",
] as const satisfies readonly (keyof InstallationRow)[];

/** Installations in many workspaces. */
export function createInstallations(withDatabase: WithDatabase, now: () => Milliseconds) {
  return {
    /** Also those that were removed. */
    all: (platform: string) =>
      withDatabase((db) =>
        db.selectFrom("installations").selectAll().where("platform", "=", platform).orderBy("id").execute(),
      ),

    get: (platform: string, id: string) =>
      withDatabase((db) =>
        db
          .selectFrom("installations")
          .selectAll()
          .where("platform", "=", platform)
          .where("id", "=", id)
          .executeTakeFirst(),
      ),

    /** In place of an earlier one. */
    put: (row: InstallationRow) =>
      withDatabase((db) => putRows(db, "installations", { key: ["platform", "id"], set: OVERWRITTEN }, [row])),

    /** False, and nothing changes, where its tokens are no longer as they were read. */
    change: (row: InstallationRow, changes: InstallationChange) =>
      withDatabase((db) => changeUnlessChanged(db, row, changes)),

    /** Notes that something was used which serves once, and which nobody takes after `endsAt`. False where it was before. */
    useOnce: (state: string, endsAt: Milliseconds) =>
      withDatabase(async (db) => {
        await db.deleteFrom("used_states").where("ends_at", "<=", now()).execute();
        const { numInsertedOrUpdatedRows } = await db
          .insertInto("used_states")
          .values({ state, ends_at: endsAt })
          .onConflict((conflict) => conflict.column("state").doNothing())
          .executeTakeFirst();
        return numInsertedOrUpdatedRows === 1n;
      }),
  };
}

async function changeUnlessChanged(
  db: Kysely<Schema>,
  { platform, id, sealed }: InstallationRow,
  changes: InstallationChange,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("installations")
    .set(changes)
    .where("platform", "=", platform)
    .where("id", "=", id)
    .where("sealed", "=", sealed)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
