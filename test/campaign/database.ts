import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

import { Client, types } from "pg";

/** Reads the bot's own database beside the bot. Rows as they are; whole numbers of either engine as numbers. */
export interface DatabaseReader {
  rows<T>(sql: string): Promise<readonly T[]>;
  close(): Promise<void>;
}

/** `bigint`: https://github.com/postgres/postgres/blob/REL_18_STABLE/src/include/catalog/pg_type.dat */
const BIGINTS: ReadonlySet<number> = new Set([20]);

/** Opens a database of a campaign by its DATABASE_URL. */
export async function openReader(url: string): Promise<DatabaseReader> {
  if (url.startsWith("file:")) {
    const database = new DatabaseSync(new URL(url).pathname, { readOnly: true });
    return {
      rows: async <T>(sql: string) => database.prepare(sql).all() as unknown as T[],
      close: async () => database.close(),
    };
  }
  const connect = async (): Promise<Client> => {
    const client = new Client({
      connectionString: url,
      types: {
        getTypeParser: (type, format) => (BIGINTS.has(type) ? Number : types.getTypeParser(type, format)),
      },
    });
    client.on("error", () => undefined);
    await client.connect();
    return client;
  };
  let client = await connect();
  return {
    async rows<T>(sql: string) {
      for (let tries = 1; ; tries += 1) {
        try {
          return (await client.query(sql)).rows as T[];
        } catch (thrown) {
          // A campaign cuts all connections, and restarts the server, beside whoever reads.
          if (tries === TRIES) throw thrown;
          await client.end().catch(() => undefined);
          await sleep(TRY_AGAIN_MILLIS);
          client = await connect().catch(() => client);
        }
      }
    },
    close: () => client.end(),
  };
}

/** So long a server that is restarted may take. */
const [TRIES, TRY_AGAIN_MILLIS] = [50, 200];

/** The rows of one query. */
export async function readRows<T>(url: string, sql: string): Promise<readonly T[]> {
  const reader = await openReader(url);
  try {
    return await reader.rows<T>(sql);
  } finally {
    await reader.close();
  }
}

const TABLES = `select tablename from pg_tables where schemaname = 'public' and tablename not like 'kysely%'`;

/** Keeps all rows of a server's database as they are at one moment, for `goBack`. */
export const KEEP = [
  "begin isolation level repeatable read",
  "drop schema if exists kept cascade; create schema kept",
  `do $$ declare name text; begin
    for name in ${TABLES} loop execute format('create table kept.%I as table public.%I', name, name); end loop;
  end $$`,
  "commit",
];

/** What clients see of a failover to a server that was behind: their connections end, and the rows are those kept. */
export const GO_BACK = [
  "begin",
  `do $$ declare name text; begin
    for name in ${TABLES} loop execute format('lock table public.%I', name); end loop;
    for name in ${TABLES} loop
      execute format('delete from public.%I', name);
      execute format('insert into public.%I select * from kept.%I', name, name);
    end loop;
  end $$`,
  "commit",
];

/** Ends all other connections to a database of a server. */
export const CUT_CONNECTIONS =
  "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()";
