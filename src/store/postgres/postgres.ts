// PostgreSQL: a database on a server, which several processes may use at the same time.
// Next: pool.ts (connections, their limits and errors, and which of these allow to ask again), kysely-postgres.ts
// (queries), postgres-url.ts.

import { setTimeout as sleep } from "node:timers/promises";

import { type Kysely, sql } from "kysely";

import { z } from "zod";

import { UserError } from "../../errors.ts";
import type { Milliseconds } from "../../units/time.ts";
import type { AlertTables } from "../alert-tables/alert-tables.ts";
import { type DatabaseInspection, inspectTables, UNREADABLE } from "../alert-tables/inspect-tables.ts";
import type { DatabaseLoad } from "../create-store.ts";
import { CATCH_UP, LAST_WRITTEN, lostSince, MARK_OWED, markPlanned, RAISED_BY } from "../alert-tables/gone-back.ts";
import { migrate } from "../migrations/migrate.ts";
import {
  OLDEST_PROGRAM_MARK,
  refuseNewerSchema,
  refuseOtherSchema,
  schemaAge,
  type SchemaAge,
} from "../migrations/schema-age.ts";
import { serverName } from "../postgres-url.ts";
import { TURN, type WithDatabase } from "../queries.ts";
import { ClockDifference } from "../processes.ts";
import type { Schema } from "../schema.ts";
import type { Lease, LiveProcess } from "../store.ts";
import { WriteHealth } from "../write-health.ts";
import { kyselyOverPostgres, pipelined } from "./kysely-postgres.ts";
import { mayBeRetried, openPool, takesNoWrites, toOperatorError } from "./pool.ts";
import { holdLease, liveOn, serverProcesses } from "./processes.ts";
import { loadOf, serverState, type ServerState, WRITABLE } from "./server-state.ts";

/** `server_version_num` of PostgreSQL 14, the oldest version that is still maintained. */
export const OLDEST_SERVER = 140_000;

/**
 * Locks a row, so that transactions of alerts run one after the other over all processes, as they do on SQLite, which
 * has one writer. Numbers then have the order of commits, and no two processes claim the same
 * (docs/decisions/0023-postgresql.md). The row counts the turns.
 */
const TAKE_TURN = `update alert_counters set value = value + 1 where name = '${TURN}' returning value as number,
  (extract(epoch from clock_timestamp()) * 1000)::bigint as now`;

const Turn = z.object({ number: z.int(), now: z.int() });

/** The state of a database on a server, seen by a process that changes nothing. */
export interface ServerInspection<R> extends DatabaseInspection<R>, DatabaseLoad, Omit<ServerState, "migrated"> {
  readonly server: string;
  readonly bytes: number;
  /** The processes of Bellwether that use it. */
  readonly live: readonly LiveProcess[];
  /** A pooler gives each transaction another connection of the server. */
  readonly pooled: boolean;
}

interface ServerOptions {
  /** Names this process. */
  readonly self: string;
  /** Is told the server's time. */
  readonly clock?: Pick<ClockDifference, "ask"> | undefined;
  readonly writes: WriteHealth;
  readonly readsOnly?: boolean;
  /** How long the watchers take to catch up with what the database has lost. */
  readonly catchUp?: Milliseconds | undefined;
  /** The database lacks what this process has committed, in so long before. */
  readonly onGoneBack?: (lost: Milliseconds) => void;
}

/**
 * The access of this process to a database on a server. It rejects with UserError where the schema cannot be brought to
 * its newest version; `readsOnly`: where it has another one.
 */
export function openServer(url: string, options: ServerOptions) {
  const { self, writes, readsOnly, catchUp, onGoneBack, clock = new ClockDifference(Date.now) } = options;
  const server = serverName(url);
  const pool = openPool(url, writes);
  const db = kyselyOverPostgres(pool);
  /** The turn that was taken last; one at a time is. */
  let turn = { number: 0, now: 0 };
  /** The number of the last turn that was certainly committed. */
  let committed = 0;
  let answered = clock.ask();
  const onRow = (row: unknown): void => {
    turn = Turn.parse(row);
    answered(turn.now);
  };
  const turns = kyselyOverPostgres(pool, { statement: TAKE_TURN, onRow });
  let opened: Promise<unknown> | undefined;
  let closed = false;
  const open = async (): Promise<void> => {
    if (closed) throw new Error("The store is closed.");
    opened ??= prepare(url, db, readsOnly ? undefined : writes);
    try {
      await opened;
    } catch (thrown) {
      // The cause may pass: the next call tries again.
      opened = undefined;
      throw toOperatorError(thrown, server);
    }
  };
  // Only one connection of this process waits for the lock; the others are free for other calls.
  let last: Promise<unknown> = Promise.resolve();
  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
  const withDatabase: WithDatabase = async (work) => {
    await open();
    // In a transaction, since limits can only be set for one: a pooler gives each another connection.
    return persist(() => db.transaction().execute(work));
  };
  const processes = serverProcesses(url, self, clock, withDatabase);
  return {
    withDatabase,
    processes,
    hold: (trx: Kysely<Schema>, lease: Lease) => holdLease(trx, self, lease),
    transactions: {
      async write<T>(work: (trx: Kysely<Schema>) => Promise<T>) {
        await open();
        let begun = false;
        const transaction = async () => {
          answered = clock.ask();
          let lost: Milliseconds | undefined;
          const done = await turns.transaction().execute(async (trx) => {
            begun = true;
            const asking = await pipelined(trx);
            // A later number is in the history of this database, unless it has gone back.
            if (turn.number <= committed) lost = await markRepeats(asking, turn.now, catchUp);
            return work(asking);
          });
          committed = lost === undefined ? turn.number : turn.number + RAISED_BY;
          if (lost !== undefined) onGoneBack?.(lost);
          return done;
        };
        // Once it has begun, its work may have changed the memory of this process, so only its caller may repeat it.
        return inOrder(() => persist(transaction, () => !begun));
      },
      async read<T>(work: (trx: Kysely<Schema>) => Promise<T>) {
        await open();
        const snapshot = db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only");
        return persist(() => snapshot.execute(work));
      },
    },
    load: () => withDatabase(loadOf),
    claim: open,
    /** Rejects where the server takes no writes, as a standby does. */
    async check() {
      const { rows } = await withDatabase((trx) =>
        sql<{ writable: boolean }>`select ${WRITABLE} as writable`.execute(trx),
      );
      if (rows[0]?.writable !== true) throw takesNoWrites();
    },
    async close() {
      if (closed) return;
      closed = true;
      await processes.close();
      await pool.end();
    },
  };
}

/** Marks what may be told again, so that the others find nothing amiss; returns how much is lost. */
async function markRepeats(trx: Kysely<Schema>, now: Milliseconds, catchUp = CATCH_UP): Promise<Milliseconds> {
  const [last] = (await sql.raw<{ at: number | null }>(LAST_WRITTEN).execute(trx)).rows;
  const lost = lostSince(last?.at, now);
  await Promise.all([MARK_OWED, ...markPlanned(lost, now, catchUp)].map((one) => sql.raw(one).execute(trx)));
  return lost;
}

const ATTEMPTS = 3;
/** Before the second attempt; doubled before the next. */
const PAUSE: Milliseconds = 50;

/** Asks again where a failed connection or another process prevented all of the work. */
async function persist<T>(ask: () => Promise<T>, mayAgain = () => true): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (thrown) {
      if (attempt === ATTEMPTS || !mayBeRetried(thrown) || !mayAgain()) throw thrown;
    }
    // Jitter, so that two processes with conflicting transactions do not repeat them at the same time.
    await sleep(PAUSE * 2 ** (attempt - 1) * (1 + Math.random()));
  }
}

/** Checks the server's version, and brings the schema up to date; without `writes` nothing is written. */
async function prepare(url: string, db: Kysely<Schema>, writes: WriteHealth | undefined): Promise<void> {
  const found = await serverState(db);
  if (found.version < OLDEST_SERVER) {
    throw new UserError(`The database server is too old (${found.version}): Bellwether needs PostgreSQL 14.`, {
      remedy: "Use a newer server in DATABASE_URL.",
    });
  }
  const schema = await schemaAgeOn(db, found.migrated);
  if (writes === undefined) return refuseOtherSchema(schema, "The database");
  refuseNewerSchema(schema, "The database", "Run that version, or name another database in DATABASE_URL.");
  if (schema.age === "older" && !found.mayMigrate) {
    throw new UserError("The user in DATABASE_URL may not make or change the bot's tables.", {
      remedy:
        "Make it the owner of the database and of its tables; for an empty database CREATE on the schema is enough.",
    });
  }
  if (!found.mayWrite) {
    throw new UserError("The user in DATABASE_URL may not write to all of the bot's tables.", {
      remedy: "Name the user who owns them, or grant it SELECT, INSERT, UPDATE and DELETE on them all.",
    });
  }
  if (schema.age === "older") await migrateServer(url, writes);
}

/** The age of a database's schema; `migrated`: whether it has one. */
export async function schemaAgeOn(db: Kysely<Schema>, migrated: boolean): Promise<SchemaAge> {
  if (!migrated) return schemaAge([], undefined);
  const { rows } = await sql<{ marked: boolean }>`select to_regclass('database_marks') is not null as marked`.execute(
    db,
  );
  const mark = db.selectFrom("database_marks").select("value").where("name", "=", OLDEST_PROGRAM_MARK);
  const row = rows[0]?.marked === true ? await mark.executeTakeFirst() : undefined;
  return schemaAge(await executedMigrations(db), row?.value);
}

/** The names of the migrations applied to a database, in order. */
export async function executedMigrations(db: Kysely<Schema>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.map(({ name }) => name).toSorted();
}

/** A migration of large tables takes longer than any other call. */
const MIGRATION_TIMEOUT = 600_000;

/** Several processes may do this at once: the first one migrates, the others wait and find nothing left to do. */
async function migrateServer(url: string, writes: WriteHealth): Promise<void> {
  await using db = kyselyOverPostgres(openPool(url, writes, MIGRATION_TIMEOUT));
  await db.transaction().execute(async (trx) => {
    const limit = sql.lit(MIGRATION_TIMEOUT);
    await sql`select set_config('statement_timeout', ${limit}::text, true), set_config('lock_timeout', ${limit}::text, true)`.execute(
      trx,
    );
    // The migrator would make its own tables before it takes the lock.
    const lock = { lockTable: "", lockRowId: "" };
    await trx.getExecutor().adapter.acquireMigrationLock(trx, lock);
    await migrate(trx);
    await trx
      .insertInto("alert_counters")
      .values({ name: TURN, value: 0 })
      .onConflict((conflict) => conflict.column("name").doNothing())
      .execute();
  });
}

/** The processes of Bellwether that use a database on a server; none where it cannot be asked. */
export async function processesOn(url: string): Promise<readonly LiveProcess[]> {
  await using db = kyselyOverPostgres(openPool(url, new WriteHealth()));
  return await liveOn(db).catch(() => []);
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
