import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

import {
  type DatabaseConnection,
  Kysely,
  SqliteAdapter,
  type LimitNode,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqliteStatement,
} from "kysely";
import { LRUCache } from "lru-cache";

import type { Schema } from "../schema.ts";
import { WriteHealth } from "../write-health.ts";
import { isDiskFault } from "./sqlite-faults.ts";

/**
 * SQLite can roll back changes of the schema, so a killed migration leaves nothing behind:
 * https://www.sqlite.org/lang_transaction.html
 */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * SQLite may plan by the value of a bound LIMIT, and then compiles the statement anew each time one is bound; a claim
 * of nothing then takes 67 µs instead of 1. It does not plan by the value of a sum. (The switch against all of this is
 * not in node:sqlite: SQLITE_DBCONFIG_ENABLE_QPSG, https://www.sqlite.org/queryplanner-ng.html#qpsg.)
 */
class LastingPlanCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    this.append("limit 0 + ");
    this.visitNode(node.limit);
  }
}

class NodeSqliteDriver extends SqliteDriver {
  readonly #database: DatabaseSync;
  readonly #writes: WriteHealth;

  constructor(database: DatabaseSync, writes: WriteHealth) {
    super({ database: cachingStatements(database, writes) });
    this.#database = database;
    this.#writes = writes;
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await super.commitTransaction(connection);
    this.#writes.committed();
  }

  /**
   * A full or failing disk makes SQLite roll back by itself (https://www.sqlite.org/lang_transaction.html, "Response To
   * Errors Within A Transaction"); doing so again would fail, and its error would hide the cause.
   */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.isTransaction) await super.rollbackTransaction(connection);
    this.#writes.rolledBack();
  }
}

/** Queries over an open database; destroying them closes the database. `writes` records whether writing works. */
export function kyselyOver(database: DatabaseSync, writes = new WriteHealth()): Kysely<Schema> {
  return new Kysely<Schema>({
    dialect: {
      createDriver: () => new NodeSqliteDriver(database, writes),
      createQueryCompiler: () => new LastingPlanCompiler(),
      createAdapter: () => new TransactionalSqliteAdapter(),
      createIntrospector: (db) => new SqliteIntrospector(db),
    },
  });
}

/** A few statements run again and again, among others that differ in their number of rows. */
const MAX_CACHED_STATEMENTS = 200;

function cachingStatements(database: DatabaseSync, writes: WriteHealth): SqliteDatabase {
  const cached = new LRUCache<string, SqliteStatement>({ max: MAX_CACHED_STATEMENTS });
  return {
    close: () => database.close(),
    prepare(sql) {
      const known = cached.get(sql);
      if (known !== undefined) return known;
      const statement = trackingHealth(database.prepare(sql), { sql, database, writes });
      cached.set(sql, statement);
      return statement;
    },
  };
}

/** Begins a statement that changes rows. */
const WRITE_STATEMENT = /^\s*(?:insert|update|delete|replace)\b/iu;

/**
 * A button's payload and that a request was met are written before each answer, and need not wait for the disk. A power
 * cut may lose the last ones; the death of the process loses none. The next commit of anything else makes them durable
 * (https://www.sqlite.org/pragma.html#pragma_synchronous: NORMAL with WAL).
 */
const UNSYNCED_STATEMENT = /^\s*insert into "(?:button_payloads|used_states)"/iu;

/** A statement as Kysely runs it; its writes and disk faults are recorded. */
function trackingHealth(
  statement: StatementSync,
  { sql, database, writes }: { sql: string; database: DatabaseSync; writes: WriteHealth },
): SqliteStatement {
  const changing = WRITE_STATEMENT.test(sql);
  const runSynced: SqliteStatement["run"] = (parameters) => statement.run(...parameters.map(bindable));
  const run = UNSYNCED_STATEMENT.test(sql) ? unsynced(runSynced, database) : runSynced;
  const attempt = <T>(work: () => T, changes: (done: T) => number | bigint): T => {
    try {
      const done = work();
      if (changing) writes.changed(changes(done), database.isTransaction);
      return done;
    } catch (thrown) {
      if (isDiskFault(thrown)) writes.failed(thrown);
      throw thrown;
    }
  };
  return {
    reader: statement.columns().length > 0,
    all: (parameters) =>
      attempt(
        () => statement.all(...parameters.map(bindable)),
        (rows) => rows.length,
      ),
    run: (parameters) =>
      attempt(
        () => run(parameters),
        ({ changes }) => changes,
      ),
    iterate: (parameters) => statement.iterate(...parameters.map(bindable)),
  };
}

function unsynced(run: SqliteStatement["run"], database: DatabaseSync): SqliteStatement["run"] {
  return (parameters) => {
    // Inside of a transaction, SQLite refuses to change this, and its commit is durable.
    if (database.isTransaction) return run(parameters);
    database.exec("PRAGMA synchronous = NORMAL");
    try {
      return run(parameters);
    } finally {
      database.exec("PRAGMA synchronous = FULL");
    }
  };
}

/**
 * node:sqlite takes an object in the first place for named parameters without an error, so objects are refused here.
 */
function bindable(value: unknown): SQLInputValue {
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "bigint") {
    return value;
  }
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`A value of type ${typeof value} cannot be stored.`);
}
