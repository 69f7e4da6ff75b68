import type { Kysely } from "kysely";

import { putRows } from "./queries.ts";
import type { Schema } from "./schema.ts";
import type { InstallationChange, InstallationRow } from "./store.ts";

/** Installations in many workspaces. */
export function createInstallations(db: Kysely<Schema>) {
  return {
    /** All installations, also those that were removed. */
    all: (platform: string) =>
      db.selectFrom("installations").selectAll().where("platform", "=", platform).orderBy("id").execute(),

    get: (platform: string, id: string) =>
      db
        .selectFrom("installations")
        .selectAll()
        .where((eb) => eb.and({ platform, id }))
        .executeTakeFirst(),

    /** Adds an installation, or replaces an earlier one in the same place. */
    put: (row: InstallationRow) => putRows(db, "installations", { key: ["platform", "id"] }, [row]),

    /** Returns false, and changes nothing, where its tokens have changed since the row was read. */
    async change({ platform, id, sealed }: InstallationRow, changes: InstallationChange) {
      const { numUpdatedRows } = await db
        .updateTable("installations")
        .set(changes)
        .where((eb) => eb.and({ platform, id, sealed }))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}
