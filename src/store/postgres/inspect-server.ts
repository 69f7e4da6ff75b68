import { type Kysely, sql } from "kysely";

import type { Milliseconds } from "../../units/duration.ts";
import type { AlertTables } from "../alert-tables/alert-tables.ts";
import type { DatabaseLoad } from "../create-store.ts";
import { type DatabaseInspection, inspectTables, UNREADABLE } from "../alert-tables/inspect-tables.ts";
import type { Schema } from "../schema.ts";
import { WriteHealth } from "../write-health.ts";
import { kyselyOverPostgres } from "./kysely-postgres.ts";
import { openPool } from "./pool.ts";
import { executedMigrations, schemaAgeOn } from "./postgres.ts";
import { toOperatorError } from "./postgres-faults.ts";
import { serverName } from "../postgres-url.ts";
import { liveOn } from "./processes.ts";
import { loadOf, serverState, type ServerState } from "./server-state.ts";

/** The state of a database on a server, seen by a process that changes nothing. */
export interface ServerInspection<R> extends DatabaseInspection<R>, DatabaseLoad, Omit<ServerState, "migrated"> {
  readonly server: string;
  readonly bytes: number;
  /** The processes of Bellwether that use it. */
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
  await using db = kyselyOverPostgres(openPool(url, new WriteHealth()));
  try {
    const { migrated, ...state } = await serverState(db);
    const executed = migrated ? await executedMigrations(db) : [];
    const { age } = await schemaAgeOn(db, migrated);
    const readable = age === "current";
    return {
      server,
      ...state,
      ...(await loadOf(db)),
      bytes: await sizeOf(db),
      pooled: await isPooled(db),
      live: readable ? await liveOn(db) : [],
      schema: executed.at(-1),
      age,
      ...(readable ? await inspectTables(db, at, read) : UNREADABLE),
    };
  } catch (thrown) {
    throw toOperatorError(thrown, server);
  }
}

async function sizeOf(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(db);
  return rows[0]?.bytes ?? 0;
}

/** Whether one process of the server serves two connections that are open at the same time, as behind a pooler. */
async function isPooled(db: Kysely<Schema>): Promise<boolean> {
  const pidOf = async (on: Kysely<Schema>): Promise<number | undefined> =>
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(on)).rows[0]?.pid;
  return db.connection().execute(async (one) => {
    const first = await pidOf(one);
    return db.connection().execute(async (other) => (await pidOf(other)) === first);
  });
}
