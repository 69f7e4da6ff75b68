import { rm } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";

import { afterEach, beforeEach, expect, it } from "vitest";

import { silentLog } from "../../../src/log.ts";
import { createStore } from "../../../src/store/create-store.ts";
import { scratchFolder } from "../../support/scratch-database.ts";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = (await scratchFolder()).folder;
  file = path.join(folder, "b.db");
});
afterEach(() => rm(folder, { recursive: true }));

const ann = { id: "112233445566778899", name: "ann o'hara" };
const bob = { id: "998877665544332211", name: "ann" };
const CHANNEL = "discord/99/555/";
const direct = ({ id }: typeof ann): string => `discord//user%3A${id}/`;

interface Column {
  readonly name: string;
  readonly type: string;
}

/** All tables but the list of migrations, with their columns. */
function tablesOf(database: DatabaseSync): readonly { readonly table: string; readonly columns: readonly Column[] }[] {
  const tables = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'kysely%'")
    .all();
  return tables.map(({ name }) => {
    const columns = database.prepare("SELECT name, type FROM pragma_table_info(?)").all(String(name));
    return {
      table: String(name),
      columns: columns.map((one) => ({ name: String(one["name"]), type: String(one["type"]) })),
    };
  });
}

/** A row that names a person in each text column, as the program writes it there. */
function plant(database: DatabaseSync, who: typeof ann, seq: number, destination: string): void {
  const data = JSON.stringify({
    by: who,
    subscription: { by: who, mention: `user:${who.id}` },
    silence: { by: who.name },
  });
  const text: Record<string, string> = {
    destination,
    owner: `discord:${who.id}`,
    chosen_by: who.name,
    person: who.id,
    platform: "discord",
    code: `c${seq}`,
    invocation: JSON.stringify({ options: { party: who.id } }),
    detail: `s${seq} added, by ${who.name}: node.down; before: by ${who.name}`,
    key: `${destination}|${seq}`,
    value: JSON.stringify({ kind: "ask", asker: who.id }),
    delivery: `d${seq}`,
  };
  for (const { table, columns } of tablesOf(database)) {
    const values = columns.map(({ name, type }) => {
      if (!/text/iu.test(type)) return seq;
      // An id of a row: its own in each row.
      if (name === "id" && table === "alert_deliveries") return `d${seq}`;
      return text[name] ?? (name === "data" || name === "last_error" ? data : `${name} ${seq}`);
    });
    database.prepare(`INSERT INTO ${table} VALUES (${columns.map(() => "?").join(", ")})`).run(...values);
  }
}

/** Every value of every table, by table. */
function all(database: DatabaseSync): Map<string, string> {
  return new Map(
    tablesOf(database).map(({ table }) => [table, JSON.stringify(database.prepare(`SELECT * FROM ${table}`).all())]),
  );
}

it("erases a person from every table, and nobody else", async () => {
  const store = createStore({ url: file, log: silentLog() });
  await store.ping();
  const database = new DatabaseSync(file);
  plant(database, ann, 1, CHANNEL);
  plant(database, ann, 2, direct(ann));
  plant(database, bob, 3, direct(bob));
  plant(database, bob, 4, CHANNEL);
  const before = all(database);
  expect([...before.values()].filter((rows) => rows.includes(ann.id)).length).toBeGreaterThan(10);
  const revision = () => store.transaction(({ alerts }) => alerts.subscriptions.revision());
  const revisionBefore = await revision();

  await store.parties.erase({ owner: `discord:${ann.id}`, platform: "discord", ...ann });
  const after = all(database);
  const naming = (words: string) => [...after].filter(([, rows]) => rows.includes(words)).map(([table]) => table);
  expect(naming(ann.id)).toEqual([]);
  expect(naming(ann.name)).toEqual([]);
  // Whoever reads subscriptions from memory reads them anew.
  expect(await revision()).toBeGreaterThan(revisionBefore);
  const rowsOf = (table: string, among: Map<string, string>) =>
    JSON.parse(among.get(table)!) as Record<string, unknown>[];
  for (const [table, rows] of before) {
    if (table === "alert_counters") continue;
    const others = (JSON.parse(rows) as Record<string, unknown>[]).filter((row) =>
      JSON.stringify(row).includes(bob.id),
    );
    expect({ table, rows: rowsOf(table, after) }).toEqual({ table, rows: expect.arrayContaining(others) as unknown });
  }
  // What belongs to a channel stays; what went to the person alone is gone, receipts included.
  expect(rowsOf("alert_subscriptions", after).map(({ destination }) => destination)).toEqual([
    CHANNEL,
    direct(bob),
    CHANNEL,
  ]);
  expect(rowsOf("alert_receipts", after).map(({ delivery }) => delivery)).toEqual(["d1", "d3", "d4"]);
  database.close();
  await store.close();
});

it("erases from the console the parties alone: its id names no person", async () => {
  const store = createStore({ url: file, log: silentLog() });
  await store.parties.save("web:console", { id: "f8ac", name: undefined });
  await store.answers.keep({ platform: "discord", workspace: "1", markets: "caller", by: "console", at: 1 });
  await store.parties.erase({ owner: "web:console", platform: undefined, id: "console", name: "console" });
  expect(await store.parties.list("web:console")).toEqual([]);
  expect(await store.answers.all()).toMatchObject([{ by: "console" }]);
  await store.close();
});
