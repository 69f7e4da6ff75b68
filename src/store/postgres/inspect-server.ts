import { type Kysely, sql } from "kysely";

import type { Milliseconds } from "../../units/duration.ts";
import { type AlertTables, inspectAlerts } from "../alert-tables/alert-tables.ts";
import type { DatabaseLoad } from "../create-store.ts";
import type { DatabaseInspection } from "../file/inspect-file.ts";
import type { Schema } from "../schema.ts";
import { WriteHealth } from "../write-health.ts";
import { kyselyOverPostgres } from "./kysely-postgres.ts";
import { openPool } from "./pool.ts";
import { executedMigrations, schemaAgeOn } from "./postgres.ts";
import { toOperatorError } from "./postgres-faults.ts";
import { serverName } from "./postgres-url.ts";
import { liveOn } from "./processes.ts";
import { loadOf, MAY_MIGRATE, MAY_WRITE } from "./server-state.ts";

/** The state of a database on a server, seen by a process that changes nothing. */
export interface ServerInspection<R> extends DatabaseInspection<R>, DatabaseLoad {
  readonly server: string;
  /** `server_version_num`: 180004 is 18.4. */
  readonly version: number;
  readonly bytes: number;
  /** It takes writes: it follows no other server, and nobody has forbidden them. */
  readonly writable: boolean;
  /** This user may make and change tables, as the next migration must. */
  readonly mayMigrate: boolean;
  /** This user may change the rows of all tables. */
  readonly mayWrite: boolean;
  /** The processes of Bellwether that live on it. */
  readonly live: readonly string[];
  /** A pooler gives each transaction another connection of the server. */
  readonly pooled: boolean;
}

/** Rejects with UserError or StorageError where the server cannot be asked. `read` may read more of the alerts. */
export async function inspectServer<R>(
  url: string,
  at: Milliseconds,
  read: (tables: AlertTables) => Promise<R>,
): Promise<ServerInspection<R>> {
  const server = serverName(url);
  const db = kyselyOverPostgres(openPool(url, new WriteHealth()));
  try {
    const { rows } = await sql<Facts>`
      select current_setting('server_version_num')::int as version,
        pg_database_size(current_database()) as bytes,
        to_regclass('kysely_migration') is not null as migrated,
        not (pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean) as writable,
        ${MAY_MIGRATE} as may_migrate, ${MAY_WRITE} as may_write
    `.execute(db);
    const [facts] = rows;
    if (facts === undefined) throw new Error("The server answered nothing.");
    const { migrated, may_migrate: mayMigrate, may_write: mayWrite, ...rest } = facts;
    const executed = migrated ? await executedMigrations(db) : [];
    const { age } = await schemaAgeOn(db, migrated);
    const readable = age === "current";
    return {
      server,
      ...rest,
      mayMigrate,
      mayWrite,
      ...(await loadOf(db)),
      pooled: await isPooled(db),
      live: readable ? await liveOn(db) : [],
      schema: executed.at(-1),
      age,
      lastObservedAt: readable ? await lastObservedAt(db) : undefined,
      alerts: readable ? await inspectAlerts(db, at, read) : undefined,
    };
  } catch (thrown) {
    throw toOperatorError(thrown, server);
  } finally {
    await db.destroy();
  }
}

interface Facts {
  readonly version: number;
  readonly bytes: number;
  readonly migrated: boolean;
  readonly writable: boolean;
  readonly may_migrate: boolean;
  readonly may_write: boolean;
}

/** Two connections that are open at the same time are served by one process: a pooler is between them. */
async function isPooled(db: Kysely<Schema>): Promise<boolean> {
  const pidOf = async (on: Kysely<Schema>): Promise<number | undefined> =>
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(on)).rows[0]?.pid;
  return db.connection().execute(async (one) => {
    const first = await pidOf(one);
    return db.connection().execute(async (other) => (await pidOf(other)) === first);
  });
}

async function lastObservedAt(db: Kysely<Schema>): Promise<Milliseconds | undefined> {
  const row = await db
    .selectFrom("watcher_snapshots")
    .select((eb) => eb.fn.max<number | null>("at").as("at"))
    .where("watcher", "=", "sources")
    .executeTakeFirst();
  return row?.at ?? undefined;
}
