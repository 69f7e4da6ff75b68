import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { arrivals } from "./alert-tables/alert-rows.ts";
import { silentLog } from "../../src/log.ts";
import { createStore, type DatabaseStore } from "../../src/store/create-store.ts";
import { backUp, restore } from "../../src/store/file/backup.ts";
import { inspectFile } from "../../src/store/file/inspect-file.ts";
import { saying } from "../support/said.ts";

const WRITER = path.join(import.meta.dirname, "../support/store-writer.ts");

let folder: string;
let file: string;
let copy: string;
const children: ChildProcess[] = [];
const stores: DatabaseStore[] = [];
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "bellwether-backup-"));
  file = path.join(folder, "b.db");
  copy = path.join(folder, "kept/copy.db");
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const store of stores.splice(0)) await store.close();
  await rm(folder, { recursive: true });
});

function open(url = file): DatabaseStore {
  const store = createStore({ url, log: silentLog(), waitMillis: 0 });
  stores.push(store);
  return store;
}

/** Makes a database that holds one value; returns its key. */
async function filled(value: string): Promise<string> {
  const store = createStore({ url: file, log: silentLog(), waitMillis: 0 });
  const key = await store.payloads.put({ value }, 3_600_000);
  await store.close();
  return key;
}

describe("a backup", () => {
  it("may leave out what the watchers saw", async () => {
    const store = open();
    const of = { network: "mainnet", watcher: "sources" };
    await store.transaction(async ({ alerts, looks }) => {
      for (const at of [1, 2]) await alerts.watch.putSnapshot(of.network, of.watcher, at, "{}", "{}");
      await looks.pack(of, [1], { first_at: 1, last_at: 1, bytes: new Uint8Array(500_000) });
    });
    backUp(file, copy, false);
    backUp(file, path.join(folder, "whole.db"));
    expect(statSync(copy).size).toBeLessThan(statSync(path.join(folder, "whole.db")).size - 400_000);
    const kept = open(copy);
    const { tail, stored, snapshot } = await kept.read(async ({ alerts, looks }) => ({
      tail: await looks.tail(of, 9),
      stored: await looks.stored(),
      snapshot: await alerts.watch.snapshot(of.network, of.watcher),
    }));
    expect([tail, stored.bytes, snapshot?.at]).toEqual([[], 0, 2]);
  });

  it("of a database that a process writes to holds all that was written before, and disturbs nobody", async () => {
    const child = spawn(process.execPath, [WRITER, file, "0"], { stdio: ["ignore", "pipe", "inherit"] });
    children.push(child);
    const rows: string[] = [];
    let before: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      if (line !== "claimed") rows.push(line);
      if (rows.length === 100 && before.length === 0) {
        before = [...rows];
        backUp(file, copy);
      }
      // It went on writing meanwhile, and still does.
      if (rows.length === 150) break;
    }
    const store = open(copy);
    for (const row of before) {
      const [key = "", index] = row.split(" ");
      expect(await store.payloads.get(key)).toEqual({ index: Number(index) });
    }
    expect(child.exitCode).toBeNull();
  });

  it("is its owner's alone, whole, and one file", async () => {
    await filled("a");
    const { bytes, schema } = backUp(file, copy);
    expect(readdirSync(path.dirname(copy))).toEqual(["copy.db"]);
    expect(statSync(copy).mode & 0o077).toBe(0);
    expect(statSync(copy).size).toBe(bytes);
    expect(schema).toMatch(/^\d{4}-/u);
  });

  it("has no open answers, not even among its deleted bytes; the database keeps them", async () => {
    const key = await filled("a");
    const store = createStore({ url: file, log: silentLog(), waitMillis: 0 });
    const row = { id: "o", platform: "chat", workspace: "", process: "p", sealed: "the sealed token" };
    await store.openAnswers.put({ ...row, answering: 0, expires_at: Date.now() + 900_000 });
    backUp(file, copy);
    expect(await store.openAnswers.left("chat", "self")).toHaveLength(1);
    await store.close();
    expect(readFileSync(copy).includes("the sealed token")).toBe(false);
    const restored = open(copy);
    expect(await restored.openAnswers.left("chat", "self")).toEqual([]);
    expect(await restored.payloads.get(key)).toEqual({ value: "a" });
  });

  it("overwrites nothing, and leaves nothing behind where it fails", async () => {
    await filled("a");
    backUp(file, copy);
    const first = readFileSync(copy);
    expect(() => backUp(file, copy)).toThrow(saying(copy));
    expect(() => backUp(file, copy)).toThrowErrorMatchingSnapshot();
    expect(readFileSync(copy).equals(first)).toBe(true);
    expect(() => backUp(path.join(folder, "none.db"), copy)).toThrow(saying("none.db"));
    writeFileSync(
      file,
      "not a database, but long enough to be taken for one by whoever looks only at its size".repeat(99),
    );
    expect(() => backUp(file, path.join(folder, "other.db"))).toThrow(saying(file));
    expect(readdirSync(folder).filter((name) => name.startsWith("other"))).toEqual([]);
  });
});

/** Makes an index point to what it does not hold: no page is damaged, and `quick_check` finds nothing. */
function damageIndex(): void {
  const database = new DatabaseSync(file, { defensive: false });
  database.exec(`
    PRAGMA writable_schema = ON;
    UPDATE sqlite_master SET sql = 'CREATE INDEX button_payloads_expiry ON button_payloads (value)'
    WHERE name = 'button_payloads_expiry'`);
  database.close();
}

it("a database whose index is damaged is found out by inspection and by backup", async () => {
  await filled("a");
  backUp(file, path.join(folder, "before.db"));
  damageIndex();
  const seen = await inspectFile(file, Date.now(), () => Promise.resolve(undefined));
  expect(seen?.damage).toEqual([expect.stringContaining("button_payloads_expiry")]);
  expect(() => backUp(file, copy)).toThrow(saying(file));
  expect(existsSync(copy)).toBe(false);
});

describe("a restoration", () => {
  it("brings back what the backup holds and keeps what was there", async () => {
    const old = await filled("old");
    backUp(file, copy);
    const late = await filled("late");
    const { before } = await restore(file, copy, "before");
    expect(before).toBe(`${file}.before`);
    expect(await open().payloads.get(old)).toEqual({ value: "old" });
    expect(
      await open()
        .payloads.get(late)
        .catch(() => "held"),
    ).toBe("held");
    expect(await open(`${file}.before`).payloads.get(late)).toEqual({ value: "late" });
  });

  it("takes nothing of the old one's write-ahead log over", async () => {
    const old = await filled("old");
    backUp(file, copy);
    // A killed process leaves a log that is not written back.
    const child = spawn(process.execPath, [WRITER, file, "0"], { stdio: ["ignore", "pipe", "inherit"] });
    children.push(child);
    const written: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      written.push(line);
      if (written.length === 20) child.kill("SIGKILL");
    }
    if (child.signalCode === null) await once(child, "exit");
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
    await restore(file, copy, "before");
    expect(existsSync(`${file}-wal`)).toBe(false);
    const [key = ""] = written[1]?.split(" ") ?? [];
    const store = open();
    expect(await store.payloads.get(old)).toEqual({ value: "old" });
    expect(await store.payloads.get(key)).toBeUndefined();
    expect(await open(`${file}.before`).payloads.get(key)).toEqual({ index: 0 });
  });

  it("makes a database where there is none, and refuses while somebody holds it", async () => {
    const key = await filled("old");
    backUp(file, copy);
    await rm(file);
    expect(await restore(file, copy, "before")).toEqual({ before: undefined, owed: 0 });
    const store = open();
    expect(await store.payloads.get(key)).toEqual({ value: "old" });
    await expect(restore(file, copy, "again")).rejects.toThrow(saying(file, process.pid));
    expect(await store.payloads.get(key)).toEqual({ value: "old" });
  });

  it("marks owed messages as possible repeats: they may have been sent since the backup", async () => {
    const store = createStore({ url: file, log: silentLog() });
    await store.transaction(async ({ alerts }) => {
      const row = {
        destination: "fake//ops/",
        platform: "fake",
        phase: "trigger",
        urgency: 0,
        message: "m",
        episode: null,
        run_at: 5,
        created_at: 5,
        data: "{}",
      } as const;
      await alerts.outbox.add([
        { ...row, id: "owed" },
        { ...row, id: "sent" },
      ]);
      await alerts.outbox.markArrived(arrivals(["sent"], 0, 6));
    });
    await store.close();
    backUp(file, copy);
    expect(await restore(file, copy, "before")).toMatchObject({ owed: 1 });
    const rows = await open().transaction(({ alerts }) => alerts.outbox.get(["owed", "sent"]));
    expect(rows.map((row) => [row.id, row.uncertain_since])).toEqual([
      ["owed", 5],
      ["sent", null],
    ]);
  });

  it.each<[string, (backup: string) => void, RegExp]>([
    ["is missing", () => undefined, saying("backup.db")],
    ["is no database", (backup) => writeFileSync(backup, "x".repeat(5000)), saying("backup.db")],
    ["is another program's", (backup) => new DatabaseSync(backup).exec("CREATE TABLE t (x)"), saying("backup.db")],
    [
      "is of a newer version",
      (backup) =>
        new DatabaseSync(backup).exec(
          "CREATE TABLE kysely_migration (name TEXT); INSERT INTO kysely_migration VALUES ('9999-later')",
        ),
      saying("9999-later"),
    ],
  ])("leaves everything as it is where the backup %s", async (_name, prepare, message) => {
    const key = await filled("mine");
    const backup = path.join(folder, "backup.db");
    prepare(backup);
    await expect(restore(file, backup, "before")).rejects.toThrow(message);
    await expect(restore(file, backup, "before")).rejects.toThrowErrorMatchingSnapshot();
    expect(await open().payloads.get(key)).toEqual({ value: "mine" });
    expect(readdirSync(folder).filter((name) => /restor|before/u.test(name))).toEqual([]);
  });
});

describe("an inspection", () => {
  const noMore = (): Promise<undefined> => Promise.resolve(undefined);

  it("sees the size, the schema and what is owed, while somebody holds the database", async () => {
    const store = open();
    await store.ping();
    const seen = await inspectFile(file, Date.now(), noMore);
    expect(seen).toMatchObject({ age: "current", damage: [], alerts: { waiting: [], dead: [], held: 0 } });
    expect(seen?.bytes).toBeGreaterThan(10_000);
    expect(await inspectFile(path.join(folder, "none.db"), 0, noMore)).toBeUndefined();
  });

  it("finds damage", async () => {
    await filled("a".repeat(50_000));
    const bytes = readFileSync(file);
    bytes.fill(0xff, 8192, 12_288);
    writeFileSync(file, bytes);
    const seen = await inspectFile(file, Date.now(), noMore).catch((thrown: unknown) => String(thrown));
    expect(JSON.stringify(seen)).toMatch(/damage":\["[^\]]+|is damaged/u);
  });
});
