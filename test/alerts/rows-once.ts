import type { AlertTables } from "../../src/store/alert-tables/alert-tables.ts";
import type { Store } from "../../src/store/store.ts";

/**
 * A store that refuses what SQLite takes and PostgreSQL does not: one statement that puts the same row twice
 * (https://www.postgresql.org/docs/current/sql-insert.html, "cannot affect row a second time").
 */
export function rowsOnce<S extends Pick<Store, "transaction">>(store: S): S {
  return {
    ...store,
    transaction: (work: Parameters<Store["transaction"]>[0]) =>
      store.transaction((tables) => work({ ...tables, alerts: strict(tables.alerts) })),
  };
}

function strict(tables: AlertTables): AlertTables {
  const { watch, outbox, items } = tables;
  return {
    ...tables,
    watch: {
      ...watch,
      putMachines: (rows) => watch.putMachines(once(rows, ({ network, rule, subject }) => [network, rule, subject])),
      putEpisodes: (rows) => watch.putEpisodes(once(rows, ({ id }) => [id])),
      putNotificationStates: (rows) =>
        watch.putNotificationStates(once(rows, ({ episode, destination }) => [episode, destination])),
    },
    outbox: {
      ...outbox,
      addMessages: (rows, at) =>
        outbox.addMessages(
          once(rows, ({ id }) => [id]),
          at,
        ),
      putReceipts: (rows) => outbox.putReceipts(once(rows, ({ delivery }) => [delivery])),
    },
    items: { ...items, add: (rows) => items.add(once(rows, ({ id }) => [id])) },
  };
}

function once<T>(rows: readonly T[], keyOf: (row: T) => string[]): readonly T[] {
  const keys = rows.map((row) => JSON.stringify(keyOf(row)));
  const met = new Set<string>();
  const twice = keys.find((key) => met.size === met.add(key).size);
  if (twice !== undefined) throw new Error(`one statement puts the row ${twice} twice`);
  return rows;
}
