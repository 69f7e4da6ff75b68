import { mkdir, mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { UserError } from "../../../src/errors.ts";
import { silentLog } from "../../../src/log.ts";
import { createStore } from "../../../src/store/create-store.ts";
import { saying } from "../../support/said.ts";

describe("a database file that cannot be used is one clear sentence", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "bellwether-faults-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function refusal(file: string): Promise<string> {
    const store = createStore({ url: `file:${file}`, log: silentLog() });
    const said = await Promise.allSettled([store.claim(), store.ping(), store.seen.find("mainnet", "market", "", 1)]);
    await store.close();
    const reasons = said.map((one) => (one.status === "rejected" ? (one.reason as unknown) : undefined));
    for (const reason of reasons) expect(reason).toBeInstanceOf(UserError);
    const [first] = reasons as UserError[];
    expect(reasons.map((reason) => (reason as UserError).message)).toEqual(Array(3).fill(first?.message));
    expect(first?.message.match(/\. /gu)).toBeNull();
    const sentences = `${first?.message} ${first?.remedy}`;
    expect(sentences.replace(/\(E[A-Z]+\)/u, "(…)")).toMatchSnapshot();
    return sentences;
  }

  it("a folder that cannot be made", async () => {
    await writeFile(path.join(folder, "file"), "");
    const file = path.join(folder, "file", "b.db");
    expect(await refusal(file)).toMatch(saying(file, /E[A-Z]+/u, "DATABASE_URL"));
  });

  it("a folder in the place of the file", async () => {
    const file = path.join(folder, "b.db");
    await mkdir(file);
    expect(await refusal(file)).toMatch(saying(file));
  });

  it("a file of another kind", async () => {
    const file = path.join(folder, "letter.txt");
    await writeFile(file, "Dear all, this is no database at all, but it is long enough to have a header.".repeat(20));
    expect(await refusal(file)).toMatch(saying(file, "DATABASE_URL"));
  });

  it.each([
    ["an empty file", "", "empty"],
    ["a database without tables", "VACUUM", "empty"],
    ["another program's database", "CREATE TABLE notes (text TEXT)", "another program"],
    [
      "another program's database with migrations",
      "CREATE TABLE kysely_migration (name TEXT, timestamp TEXT); INSERT INTO kysely_migration VALUES ('001-notes', '')",
      "another program",
    ],
  ])("%s, which stays as it is", async (_name, sql, why) => {
    const file = path.join(folder, "b.db");
    await writeFile(file, "");
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
    const before = await readFile(file);
    expect(await refusal(file)).toMatch(saying(file, why, "DATABASE_URL"));
    expect(await readFile(file)).toEqual(before);
  });

  it("not its own file without tables, as a first start leaves it that is killed", async () => {
    const file = path.join(folder, "b.db");
    const first = createStore({ url: file, log: silentLog() });
    await first.claim();
    await first.close();
    const second = createStore({ url: file, log: silentLog() });
    await expect(second.ping()).resolves.toBeUndefined();
    await second.close();
  });

  it("a damaged database", async () => {
    const file = path.join(folder, "b.db");
    const store = createStore({ url: file, log: silentLog() });
    await store.seen.note("mainnet", "market", [{ id: "a", label: undefined }]);
    await store.close();
    const handle = await open(file, "r+");
    await handle.write(Buffer.alloc(1000, 0xff), 0, 1000, 100);
    await handle.close();
    expect(await refusal(file)).toMatch(saying(file, "backup"));
  });

  it("another process's database: it is named", async () => {
    const file = path.join(folder, "b.db");
    const holder = createStore({ url: file, log: silentLog() });
    await holder.claim();
    const second = createStore({ url: file, log: silentLog(), waitMillis: 30 });
    await expect(second.claim()).rejects.toThrow(saying(file, process.pid));
    await holder.close();
    await expect(second.ping()).resolves.toBeUndefined();
    await second.close();
  });
});
