import type { Kysely } from "kysely";

import type { Milliseconds } from "../units/duration.ts";
import { putRows, type WithDatabase } from "./queries.ts";
import type { Schema } from "./schema.ts";
import type { InstallationChange, InstallationRow, InstallationTables } from "./store.ts";

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

export function createInstallations(withDatabase: WithDatabase, now: () => Milliseconds): InstallationTables {
  return {
    all: (platform) =>
      withDatabase((db) =>
        db.selectFrom("installations").selectAll().where("platform", "=", platform).orderBy("id").execute(),
      ),

    get: (platform, id) =>
      withDatabase((db) =>
        db
          .selectFrom("installations")
          .selectAll()
          .where("platform", "=", platform)
          .where("id", "=", id)
          .executeTakeFirst(),
      ),

    put: (row) =>
      withDatabase((db) => putRows(db, "installations", { key: ["platform", "id"], set: OVERWRITTEN }, [row])),

    change: (row, changes) => withDatabase((db) => changeUnlessChanged(db, row, changes)),

    useOnce: (state, endsAt) =>
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
