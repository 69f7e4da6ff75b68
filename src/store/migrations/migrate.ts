import type { Kysely } from "kysely";
import { Migrator } from "kysely/migration";

import type { Schema } from "../schema.ts";
import { migrations } from "./index.ts";

/** Brings the schema to its newest version, or to `to`, in one transaction. Rejects with the migration's error. */
export async function migrate(db: Kysely<Schema>, to?: string): Promise<void> {
  const all = Object.fromEntries(Object.entries(migrations).map(([name, up]) => [name, { up }]));
  const migrator = new Migrator({ db, provider: { getMigrations: async () => all } });
  const { error } = to === undefined ? await migrator.migrateToLatest() : await migrator.migrateTo(to);
  if (error !== undefined) throw error;
}
