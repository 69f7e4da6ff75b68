import {
  CompiledQuery,
  type DatabaseConnection,
  type DataTypeNode,
  DummyDriver,
  HandleEmptyInListsPlugin,
  Kysely,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  type PostgresPool,
  PostgresQueryCompiler,
  replaceWithNoncontingentExpression,
  sql,
  Transaction,
  type TransactionSettings,
} from "kysely";

import type { Schema } from "../schema.ts";
import { TRANSACTION_LIMITS } from "./pool.ts";

/** Orders texts by their bytes, as SQLite does, in every language of a server. */
class BytewiseQueryCompiler extends PostgresQueryCompiler {
  protected override visitDataType(node: DataTypeNode): void {
    super.visitDataType(node);
    if (node.dataType === "text") this.append(' collate "C"');
  }
}

/** An arbitrary number, the same in every version, so that one process at a time migrates. */
const MIGRATION_LOCK = 4_217_093_551_847;

/**
 * Locks for the transaction rather than for the session, of which a pooler has many. The migrator runs in a transaction
 * that has taken the lock already: see `migratePostgres`.
 */
class TransactionLockAdapter extends PostgresAdapter {
  override async acquireMigrationLock(db: Kysely<unknown>): Promise<void> {
    await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(db);
  }

  override async releaseMigrationLock(): Promise<void> {
    // The end of the transaction releases it.
  }
}

/** The first statement of each transaction, and what takes its row. */
interface First {
  readonly statement: string;
  readonly onRow: (row: unknown) => void;
}

/** Begins each transaction with its limits and a first statement, in one round trip. */
class LimitedDriver extends PostgresDriver {
  readonly #first: First | undefined;

  constructor(pool: PostgresPool, first: First | undefined) {
    super({ pool });
    this.#first = first;
  }

  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const { isolationLevel, accessMode } = settings;
    const begin = ["begin", isolationLevel && `isolation level ${isolationLevel}`, accessMode]
      .filter(Boolean)
      .join(" ");
    const ask = (statement: string) => connection.executeQuery(CompiledQuery.raw(statement));
    const first = this.#first;
    try {
      const [, asked] = await Promise.all([ask(`${begin}; ${TRANSACTION_LIMITS}`), first && ask(first.statement)]);
      first?.onRow(asked?.rows[0]);
    } catch (thrown) {
      // Kysely rolls back only what has begun; here, it may have begun before a later statement failed.
      await connection.executeQuery(CompiledQuery.raw("rollback")).catch(() => undefined);
      throw thrown;
    }
  }
}

/** All but what runs the queries. */
const DIALECT = {
  createDriver: () => new DummyDriver(),
  createQueryCompiler: () => new BytewiseQueryCompiler(),
  createAdapter: () => new TransactionLockAdapter(),
  createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
};

/** Queries over a pool; each transaction begins with the statement of `first`. Destroying them ends the pool. */
export function kyselyOverPostgres(pool: PostgresPool, first?: First): Kysely<Schema> {
  // PostgreSQL has no `in ()`.
  const plugins = [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })];
  const dialect = { ...DIALECT, createDriver: () => new LimitedDriver(pool, first) };
  return new Kysely<Schema>({ dialect, plugins });
}

/**
 * The same transaction, where queries that are asked together (`Promise.all`) cost one round trip: the connection sends
 * each at once (see `pipeline` in pool.ts), in order, while Kysely itself would wait for the answer to the one before.
 */
export async function pipelined(trx: Transaction<Schema>): Promise<Transaction<Schema>> {
  const own = trx.getExecutor();
  const connection = await own.provideConnection(async (one) => one);
  const executor = own.withConnectionProvider({ provideConnection: (use) => use(connection) });
  return new Transaction<Schema>({
    config: { dialect: DIALECT },
    dialect: DIALECT,
    driver: DIALECT.createDriver(),
    executor,
  });
}
