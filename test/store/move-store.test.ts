import { existsSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { UserError } from "../../src/errors.ts";
import { silentLog } from "../../src/log.ts";
import { migrateStore } from "../../src/main/cli/migrate-store.ts";
import { createStore } from "../../src/store/create-store.ts";
import { moveStore } from "../../src/store/move-store/move-store.ts";
import { TABLES } from "../../src/store/schema.ts";
import {
  deleteRows,
  onServer,
  postgresMissing,
  scratchPostgres,
  type ScratchServerDatabase,
} from "../support/postgres.ts";
import { saying } from "../support/said.ts";
import { scratchDatabase } from "../support/scratch-database.ts";

/** Processes live on one database alone. */
const NAMES = Object.keys(TABLES).filter((table) => table !== "processes");

/** Fills every table: with nulls where they may be, the largest numbers, texts of many scripts, more rows than a batch. */
function fill(file: string, textEnd = ""): void {
  const database = new DatabaseSync(file);
  database.exec("BEGIN");
  for (const [index, table] of NAMES.entries()) {
    const columns = database.prepare(`PRAGMA table_info(${table})`).all();
    const insert = database.prepare(`INSERT INTO ${table} VALUES (${columns.map(() => "?").join(", ")})`);
    const count = table === "alert_deliveries" ? 1203 : 2 + (index % 3);
    for (let row = 0; row < count; row += 1) {
      const values = columns.map(({ name, type, notnull, pk }) => {
        if (notnull === 0 && pk === 0 && row % 2 === 1) return null;
        if (String(type).toLowerCase() === "text") return `${String(name)} ${row} äΩ😀 ' " \\ %${textEnd}`;
        if (String(type).toLowerCase() === "blob") return Uint8Array.of(0, row, 255, 39);
        return String(type).toLowerCase() === "integer" ? row : Number.MAX_SAFE_INTEGER - row;
      });
      insert.run(...values);
    }
  }
  database.exec("COMMIT");
  database.close();
}

function rowsOf(file: string): unknown {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = NAMES.map((table) => {
    const key = (TABLES as Readonly<Record<string, readonly string[]>>)[table]!.join(", ");
    return [table, database.prepare(`SELECT * FROM ${table} ORDER BY ${key}`).all()];
  });
  database.close();
  return Object.fromEntries(rows);
}

async function scratch() {
  const made = await scratchDatabase();
  onTestFinished(() => made.remove());
  return made;
}

it("all tables of the schema are among those that are copied", async () => {
  const { file } = await scratch();
  const database = new DatabaseSync(file, { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all();
  database.close();
  const own = tables.map(({ name }) => String(name)).filter((name) => !name.startsWith("kysely"));
  expect(own).toEqual([...NAMES, "processes"].toSorted());
});

describe.skipIf(postgresMissing !== undefined)(`a database that moves to a server ${postgresMissing ?? ""}`, () => {
  let server: ScratchServerDatabase;
  beforeAll(async () => {
    server = await scratchPostgres();
  });
  afterAll(() => server.drop());

  it("keeps every row of every table, there and back", async () => {
    const { file, folder } = await scratch();
    fill(file);
    const there = await moveStore(file, server.url);
    expect(there.equal).toBe(true);
    expect(there.to.map(({ table }) => table)).toEqual(NAMES);
    expect(there.to.find(({ table }) => table === "alert_deliveries")?.rows).toBe(1203);
    for (const { rows, sha256 } of there.to)
      expect([rows, sha256]).toEqual([expect.any(Number), expect.not.stringMatching(/^0+$/u)]);

    const back = path.join(folder, "back.db");
    expect(await moveStore(server.url, `file:${back}`)).toEqual({ ...there, from: there.to });
    expect(rowsOf(back)).toEqual(rowsOf(file));
    await deleteRows(server.url);
  });

  it("stores no NUL, and no fraction of a millisecond, on a server", async () => {
    const { file } = await scratch();
    fill(file, "\0");
    const database = new DatabaseSync(file);
    database.exec("UPDATE alert_deliveries SET run_at = 1700000000000.5");
    database.close();
    const { equal } = await moveStore(file, server.url);
    expect(equal).toBe(true);
    await deleteRows(server.url);
  });

  it("is not kept where it differs", async () => {
    const { file } = await scratch();
    fill(file);
    await onServer(
      server.url,
      `create function spoil() returns trigger language plpgsql as $$ begin new.data = 'x'; return new; end $$`,
      "create trigger spoil before insert on alert_silences for each row execute function spoil()",
    );
    const { equal, from, to } = await moveStore(file, server.url);
    expect(equal).toBe(false);
    expect(from.filter((one, index) => one.sha256 !== to[index]?.sha256).map(({ table }) => table)).toEqual([
      "alert_silences",
    ]);
    await onServer(server.url, "drop trigger spoil on alert_silences");
    expect((await moveStore(file, server.url)).equal).toBe(true);
  });

  it("overwrites nothing", async () => {
    const { file } = await scratch();
    await expect(moveStore(file, server.url)).rejects.toThrow(saying("not empty", "seen_ids"));
    await expect(moveStore(server.url, server.url)).rejects.toThrow(saying("same"));
    await deleteRows(server.url);
  });

  it("is used by no process meanwhile", async () => {
    const { file } = await scratch();
    const holder = createStore({ url: file, log: silentLog() });
    await holder.claim();
    await expect(moveStore(file, server.url)).rejects.toThrow(saying("in use"));
    await holder.close();
    await onServer(
      server.url,
      "insert into processes (id, alive_until) values ('a', (extract(epoch from clock_timestamp()) * 1000)::bigint + 60000)",
    );
    await expect(moveStore(file, server.url)).rejects.toThrow(saying("in use", "a process"));
    await onServer(server.url, "delete from processes");
  });

  it("is not made where there is none to copy", async () => {
    const { folder } = await scratch();
    const missing = path.join(folder, "missing.db");
    await expect(moveStore(missing, server.url)).rejects.toThrow(saying(missing));
    expect(existsSync(missing)).toBe(false);
  });
});

it.each([
  [[]],
  [["--from", "a.db"]],
  [["--to", "postgres://u:hunter2@h/b"]],
  [["postgres://u:hunter2@h/b"]],
  [["--from", "a.db", "--to", "b.db", "--force=hunter2"]],
])("npm run migrate-store -- %j is refused, and repeats no password", async (args) => {
  const thrown: unknown = await migrateStore(args).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(UserError);
  expect(thrown).toMatchObject({ message: expect.stringMatching(saying("--from", "--to")) });
  expect(JSON.stringify(thrown)).not.toContain("hunter2");
});
