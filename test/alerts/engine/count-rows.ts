import { DatabaseSync } from "node:sqlite";

/** How many rows each table of the alerts has. */
export function rowsOf(file: string): Record<string, number> {
  const database = new DatabaseSync(file, { readOnly: true });
  const tables = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND (name LIKE 'alert%' OR name LIKE 'watcher%')")
    .all()
    .map((row) => String(row["name"]));
  const counts = tables.map((name) => [
    name,
    Number(database.prepare(`SELECT count(*) AS n FROM "${name}"`).get()?.["n"]),
  ]);
  database.close();
  return Object.fromEntries(counts) as Record<string, number>;
}
