import { type Kysely, sql } from "kysely";

import type { DatabaseLoad } from "../create-store.ts";
import { type Schema, TABLES } from "../schema.ts";

/** Fewer dead rows do no harm. */
const MANY_DEAD = 10_000;

/** Causes of a slow database on a server, as far as this user may see them. */
export async function loadOf(db: Kysely<Schema>): Promise<DatabaseLoad> {
  const { rows } = await sql<{ oldest: number; waiting: number }>`
    select coalesce(max(extract(epoch from clock_timestamp() - xact_start) * 1000), 0)::bigint as oldest,
      coalesce(max(extract(epoch from clock_timestamp() - query_start) * 1000)
        filter (where wait_event_type = 'Lock'), 0)::bigint as waiting
    from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
  `.execute(db);
  const dead = await sql<{ table: string; share: number }>`
    select relname as table, (n_dead_tup::float8 / (n_live_tup + n_dead_tup)) as share
    from pg_stat_user_tables where n_dead_tup >= ${MANY_DEAD} order by share desc limit 1
  `.execute(db);
  return { oldestTransaction: rows[0]?.oldest ?? 0, waiting: rows[0]?.waiting ?? 0, dead: dead.rows[0] };
}

/** Those of Bellwether's tables that exist. */
const THERE = sql`select from pg_class
  where relkind = 'r' and pg_table_is_visible(oid) and relname in (${sql.join(Object.keys(TABLES))})`;

/** Whether this user may make tables, and change those that exist, as migrations do. */
const MAY_MIGRATE = sql<boolean>`(coalesce(has_schema_privilege(current_schema(), 'create'), false)
  and not exists (${THERE} and not pg_has_role(relowner, 'usage')))`;

/** Whether this user may read and change the rows of all tables that exist. */
const MAY_WRITE = sql<boolean>`not exists (${THERE} and not (has_table_privilege(oid, 'select')
  and has_table_privilege(oid, 'insert') and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete')))`;

/** Whether the server takes writes: it follows no other server, and nobody has forbidden them. */
export const WRITABLE = sql<boolean>`not (pg_is_in_recovery()
  or current_setting('default_transaction_read_only')::boolean)`;

/** A server, and what this user may do there. */
export interface ServerState {
  /** `server_version_num`: 180004 is 18.4. */
  readonly version: number;
  /** The database has a schema of Bellwether's. */
  readonly migrated: boolean;
  /** See WRITABLE. */
  readonly writable: boolean;
  /** This user may make and change tables, as the next migration must. */
  readonly mayMigrate: boolean;
  /** This user may change the rows of all tables. */
  readonly mayWrite: boolean;
}

export async function serverState(db: Kysely<Schema>): Promise<ServerState> {
  const { rows } = await sql<ServerState>`
    select current_setting('server_version_num')::int as version, to_regclass('kysely_migration') is not null as migrated,
      ${WRITABLE} as writable, ${MAY_MIGRATE} as "mayMigrate", ${MAY_WRITE} as "mayWrite"
  `.execute(db);
  const [state] = rows;
  if (state === undefined) throw new Error("The server answered nothing.");
  return state;
}
