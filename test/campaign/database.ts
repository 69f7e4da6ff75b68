import { DatabaseSync } from "node:sqlite";

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
  const client = new Client({
    connectionString: url,
    types: {
      getTypeParser: (type, format) => (BIGINTS.has(type) ? Number : types.getTypeParser(type, format)),
    },
  });
  client.on("error", () => undefined);
  await client.connect();
  return {
    rows: async <T>(sql: string) => (await client.query(sql)).rows as T[],
    close: () => client.end(),
  };
}

/** The rows of one query. */
export async function readRows<T>(url: string, sql: string): Promise<readonly T[]> {
  const reader = await openReader(url);
  try {
    return await reader.rows<T>(sql);
  } finally {
    await reader.close();
  }
}
