import { type Kysely, sql } from "kysely";

export type Migration = (db: Kysely<unknown>) => Promise<void>;

/** Statements that both databases understand, one after the other; a semicolon stands between two, and nowhere else. */
export function inSql(statements: string): Migration {
  return async (db) => {
    for (const one of statements.split(";")) await sql.raw(one).execute(db);
  };
}
