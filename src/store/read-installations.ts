import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

import { databaseFile } from "./file/database-url.ts";
import { createInstallations } from "./installations.ts";
import { isPostgresUrl } from "./postgres-url.ts";
import type { InstallationRow } from "./store.ts";

const BUSY_MILLIS = 2000;

/**
 * The installations of a platform, also where another process holds the database; nothing is written. Undefined where
 * they cannot be read: there is no database yet, or of another version.
 */
export async function readInstallations(
  url: string,
  platform: string,
): Promise<readonly InstallationRow[] | undefined> {
  try {
    await using db = isPostgresUrl(url) ? await onServer(url) : await inFile(databaseFile(url));
    if (db === undefined) return undefined;
    return await createInstallations((work) => work(db), Date.now).all(platform);
  } catch {
    // Another check reports what is wrong with the database.
    return undefined;
  }
}

async function onServer(url: string) {
  const [{ kyselyOverPostgres }, { openPool }, { WriteHealth }] = await Promise.all([
    import("./postgres/kysely-postgres.ts"),
    import("./postgres/pool.ts"),
    import("./write-health.ts"),
  ]);
  return kyselyOverPostgres(openPool(url, new WriteHealth()));
}

async function inFile(file: string) {
  if (!existsSync(file)) return undefined;
  const { kyselyOver } = await import("./sqlite/kysely-sqlite.ts");
  return kyselyOver(new DatabaseSync(file, { readOnly: true, timeout: BUSY_MILLIS }));
}
