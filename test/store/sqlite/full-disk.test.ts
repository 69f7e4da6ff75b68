import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { StorageError } from "../../../src/errors.ts";
import { silentLog } from "../../../src/log.ts";
import { createStore, type DatabaseStore } from "../../../src/store/create-store.ts";
import { migrate } from "../../../src/store/migrations/migrate.ts";
import { kyselyOver } from "../../../src/store/sqlite/kysely-sqlite.ts";
import { WriteHealth } from "../../../src/store/write-health.ts";
import { serialTransactions, type WithDatabase } from "../../../src/store/queries.ts";
import { createTables } from "../../../src/store/tables.ts";
import { saying } from "../../support/said.ts";

/** Filling a database's last page makes SQLite fail as on a full disk. */
function fill(database: DatabaseSync): void {
  const { page_count: pages } = database.prepare("PRAGMA page_count").get() as { page_count: number };
  database.exec(`PRAGMA max_page_count = ${pages}`);
}

/** More than the database's pages can take. */
const TOO_MANY_IDS = Array.from({ length: 400 }, (_, index) => ({ id: `id-${index}`, label: "x".repeat(60) }));

describe("queries on a full disk", () => {
  async function opened() {
    const database = new DatabaseSync(":memory:");
    const writes = new WriteHealth();
    const db = kyselyOver(database, writes);
    await migrate(db);
    const withDatabase: WithDatabase = (work) => work(db);
    const tables = createTables(
      { withDatabase, transactions: serialTransactions(withDatabase), hold: async () => undefined },
      Date.now,
    );
    const note = (ids: typeof TOO_MANY_IDS) => tables.seen.note("mainnet", "market", ids);
    return { database, writes, tables, note, close: () => db.destroy() };
  }

  it("a transaction fails with the cause, not with a rollback that came too late", async () => {
    const { database, tables, close } = await opened();
    fill(database);
    const failing = tables.transaction(({ alerts }) =>
      alerts.watch.putSnapshot("mainnet", "chain", 1000, "x".repeat(1_000_000)),
    );
    await expect(failing).rejects.toThrow("database or disk is full");
    expect(database.isTransaction).toBe(false);
    await close();
  });

  it("the last write counts as failed until another one gets through, whatever is read between", async () => {
    const { database, writes, tables, note, close } = await opened();
    await note([{ id: "one", label: "One" }]);
    expect(writes.fault).toBeUndefined();
    fill(database);
    await expect(note(TOO_MANY_IDS)).rejects.toThrow("full");
    await tables.ping();
    await tables.transaction(({ alerts }) => alerts.watch.flapping());
    await tables.parties.forget("nobody", "nothing");
    expect(writes.fault).toMatchObject({ errcode: 13 });
    database.exec("PRAGMA max_page_count = 100000");
    await note(TOO_MANY_IDS);
    expect(writes.fault).toBeUndefined();
    await close();
  });

  it("a transaction that was undone proves nothing", async () => {
    const { database, writes, tables, note, close } = await opened();
    fill(database);
    await expect(note(TOO_MANY_IDS)).rejects.toThrow("full");
    const undone = tables.transaction(async ({ alerts }) => {
      await alerts.watch.putSnapshot("mainnet", "chain", 1000, "{}");
      throw new Error("changed my mind");
    });
    await expect(undone).rejects.toThrow("changed my mind");
    await tables.transaction(({ alerts }) => alerts.watch.flapping());
    expect(writes.fault).toBeDefined();
    await close();
  });
});

describe("a store on a full disk", () => {
  let folder: string;
  let store: DatabaseStore;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "bellwether-full-"));
    store = createStore({ url: `file:${path.join(folder, "b.db")}`, log: silentLog() });
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  it("says what is full, to people without its path", async () => {
    const other = new DatabaseSync(":memory:");
    other.exec("CREATE TABLE t (x)");
    fill(other);
    const failing = store.transaction(async () => {
      other.prepare("INSERT INTO t VALUES (?)").run("x".repeat(20_000));
    });
    const trouble: unknown = await failing.catch((thrown: unknown) => thrown);
    expect(trouble).toBeInstanceOf(StorageError);
    expect(trouble).toMatchObject({
      title: expect.stringMatching(/^(?!.*[/\\]).*\bdisk\b/u),
      message: expect.stringMatching(saying(store.embedded?.file ?? "")),
      cause: { message: "database or disk is full" },
    });
    other.close();
  });
});
