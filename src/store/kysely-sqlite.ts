import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

import { Kysely, SqliteAdapter, SqliteDialect, type SqliteDatabase, type SqliteStatement } from "kysely";
import { LRUCache } from "lru-cache";

import type { Schema } from "./schema.ts";

/** SQLite can undo changes of the schema, so a killed migration leaves nothing behind: https://www.sqlite.org/lang_transaction.html */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class NodeSqliteDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalSqliteAdapter();
  }
}

/** Queries over an open database; destroying it closes the database. */
export function kyselyOver(database: DatabaseSync): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: new NodeSqliteDialect({ database: preparing(database) }) });
}

/** Statements are prepared once: the same few run all the time, among others that differ in how many rows they take. */
const KEPT_STATEMENTS = 200;

function preparing(database: DatabaseSync): SqliteDatabase {
  const kept = new LRUCache<string, SqliteStatement>({ max: KEPT_STATEMENTS });
  return {
    close: () => database.close(),
    prepare(sql) {
      const known = kept.get(sql);
      if (known !== undefined) return known;
      const statement = statementOver(database.prepare(sql));
      kept.set(sql, statement);
      return statement;
    },
  };
}

function statementOver(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...parameters.map(bindable)),
    run: (parameters) => statement.run(...parameters.map(bindable)),
    iterate: (parameters) => statement.iterate(...parameters.map(bindable)),
  };
}

/** node:sqlite takes an object in the first place for named parameters, silently: nothing of that kind may get through. */
function bindable(value: unknown): SQLInputValue {
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "bigint") {
    return value;
  }
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`A value of type ${typeof value} cannot be stored.`);
}
