import type { Kysely } from "kysely";

/** The installations of an app in many workspaces, with their sealed tokens. */
export async function installations({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("installations")
    .addColumn("platform", "text", (column) => column.notNull())
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("enterprise", "text")
    .addColumn("name", "text")
    .addColumn("org_wide", "integer", (column) => column.notNull())
    .addColumn("bot_user", "text")
    .addColumn("scopes", "text", (column) => column.notNull())
    .addColumn("sealed", "text", (column) => column.notNull())
    .addColumn("expires_at", "bigint")
    .addColumn("installed_by", "text")
    .addColumn("installed_at", "bigint", (column) => column.notNull())
    .addColumn("removed_at", "bigint")
    .addPrimaryKeyConstraint("installations_key", ["platform", "id"])
    .execute();
  await schema
    .createTable("used_states")
    .addColumn("state", "text", (column) => column.primaryKey().notNull())
    .addColumn("ends_at", "bigint", (column) => column.notNull())
    .execute();
}
