import type { Milliseconds } from "../units/duration.ts";
import { putRows, type WithDatabase } from "./queries.ts";
import type { InstallationChange, InstallationRow } from "./store.ts";

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
      withDatabase((db) => putRows(db, "installations", { key: ["platform", "id"] }, [row])),

    /** False, and nothing changes, where its tokens are no longer as they were read. */
    change: ({ platform, id, sealed }: InstallationRow, changes: InstallationChange) =>
      withDatabase(async (db) => {
        const { numUpdatedRows } = await db
          .updateTable("installations")
          .set(changes)
          .where("platform", "=", platform)
          .where("id", "=", id)
          .where("sealed", "=", sealed)
          .executeTakeFirst();
        return numUpdatedRows > 0n;
      }),

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
