import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** What a mere look may write: ids that were seen, requests that were met, and presses that are too long for their buttons. */
const WRITTEN_BY_LOOKING = new Set(["seen_ids", "used_states", "button_payloads"]);
/** How far a connection to Discord has come. It goes on by itself. */
const CONNECTION = "discord connection";

/** Every row of every other table of a database that may be open elsewhere, as `table: json`, in a fixed order. */
export function dumpTables(file: string): string[] {
  if (!existsSync(file)) return [];
  using tables = openTables(file);
  return tables.rows();
}

/** The same, for who asks often: they are read anew where somebody has written since. */
export function openTables(file: string): Disposable & { rows(): string[] } {
  const database = new DatabaseSync(file, { readOnly: true });
  // https://sqlite.org/pragma.html#pragma_data_version
  const version = database.prepare("PRAGMA data_version");
  let readAt: unknown;
  let rows: string[] = [];
  return {
    rows: () => {
      const now = version.get()?.["data_version"];
      if (now !== readAt) rows = rowsOf(database);
      readAt = now;
      return rows;
    },
    [Symbol.dispose]: () => database.close(),
  };
}

function rowsOf(database: DatabaseSync): string[] {
  const tables = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !WRITTEN_BY_LOOKING.has(name));
  return tables.flatMap((table) => {
    const query = database.prepare(`SELECT * FROM "${table}"`);
    query.setReadBigInts(true);
    const asText = (_key: string, value: unknown): unknown => (typeof value === "bigint" ? `${value}` : value);
    return query
      .all()
      .filter((row) => table !== "database_marks" || row["name"] !== CONNECTION)
      .map((row) => `${table}: ${JSON.stringify(row, asText)}`)
      .toSorted();
  });
}
