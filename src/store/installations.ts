import type { Kysely } from "kysely";

import type { Milliseconds } from "../units/duration.ts";
import { putRows } from "./queries.ts";
import type { Schema } from "./schema.ts";
import type { InstallationChange, InstallationRow } from "./store.ts";

const PRUNE_EVERY: Milliseconds = 600_000;

/** Installations in many workspaces. `pruned`: when what was used was pruned last. */
export function createInstallations(db: Kysely<Schema>, now: () => Milliseconds, pruned: { at: Milliseconds }) {
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

    /** Notes that a state was used, which may be used once and expires at `endsAt`. False where it was used before. */
    async useOnce(state: string, endsAt: Milliseconds) {
      const at = now();
      if (at - pruned.at >= PRUNE_EVERY) {
        pruned.at = at;
        await db.deleteFrom("used_states").where("ends_at", "<=", at).execute();
      }
      const { numInsertedOrUpdatedRows } = await db
        .insertInto("used_states")
        .values({ state, ends_at: endsAt })
        .onConflict((conflict) =>
          conflict.column("state").doUpdateSet({ ends_at: endsAt }).where("used_states.ends_at", "<=", at),
        )
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },
  };
}
