import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import type { Log } from "../../../src/log.ts";
import { silentLog } from "../../../src/log.ts";
import { watchDatabase } from "../../../src/main/health/database-watch.ts";
import { createStore, type DatabaseStore } from "../../../src/store/create-store.ts";
import { backUp } from "../../../src/store/file/backup.ts";
import { VirtualClock } from "../../api/virtual-clock.ts";
import { saying } from "../../support/said.ts";

let folder: string;
let file: string;
let store: DatabaseStore;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "bellwether-watch-"));
  file = path.join(folder, "b.db");
  store = createStore({ url: file, log: silentLog() });
  await store.ping();
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

/** Watches in virtual time; gives what was logged and what the operators were told. */
function watched() {
  const clock = new VirtualClock();
  const said: string[] = [];
  const write =
    (level: string): Log["info"] =>
    ({ why }, event) =>
      void said.push(`${level} ${event}${why === undefined ? "" : `: ${why as string}`}`);
  const log = { ...silentLog(), info: write("info"), error: write("error") } as Log;
  const ending = new AbortController();
  const ended = watchDatabase(
    { file: store.embedded!, clock, log, notify: async (what) => void said.push(`operators: ${what}`) },
    ending.signal,
  );
  return { clock, said, end: () => (ending.abort(), ended) };
}

it("a database that is deleted while the bot runs is noticed within 10 s, and once", async () => {
  const { clock, said, end } = watched();
  await clock.advance(30_000);
  expect(said).toEqual([]);
  await expect(store.ping()).resolves.toBeUndefined();
  rmSync(file);
  await expect(store.ping()).rejects.toMatchObject({ title: expect.stringMatching(saying("deleted")) });
  await clock.advance(10_000);
  expect(said).toEqual(["error database lost: deleted", "operators: deleted"]);
  await clock.advance(60_000);
  expect(said).toHaveLength(2);
  // What the process holds still works: the word to the operators goes through it.
  await store.payloads.put({ a: 1 }, 1000);
  await end();
});

it("a database that is overwritten in its place while the bot runs is noticed, also by a backup of this very run", async () => {
  const { clock, said, end } = watched();
  await store.payloads.put({ a: 1 }, 1000);
  const copy = `${file}.backup`;
  backUp(file, copy);
  await clock.advance(30_000);
  expect(said).toEqual([]);
  // As `cp` does: the same file, other bytes.
  writeFileSync(file, readFileSync(copy));
  await clock.advance(10_000);
  expect(said).toEqual(["error database lost: overwritten", "operators: overwritten"]);
  await expect(store.ping()).rejects.toMatchObject({ title: expect.stringMatching(saying("overwritten")) });
  await clock.advance(60_000);
  expect(said).toHaveLength(2);
  await end();
});

it("a plain copy of this run that is copied back is noticed, and what SQLite writes back itself is not", async () => {
  const { clock, said, end } = watched();
  const copy = readFileSync(file);
  for (let round = 0; round < 5; round += 1) {
    for (let n = 0; n < 300; n += 1) await store.payloads.put({ round, n, text: "x".repeat(8000) }, 1000);
    await clock.advance(10_000);
  }
  expect(said).toEqual([]);
  expect(readFileSync(file).length).toBeGreaterThan(copy.length);
  await store.payloads.put({ before: true }, 1000);
  writeFileSync(file, copy);
  await store.payloads.put({ after: true }, 1000);
  await clock.advance(10_000);
  expect(said).toEqual(["error database lost: overwritten", "operators: overwritten"]);
  await end();
});

it("a database that is replaced while the bot runs is noticed, and when it is back", async () => {
  const { clock, said, end } = watched();
  renameSync(file, `${file}.kept`);
  writeFileSync(file, "another one");
  await clock.advance(10_000);
  await expect(store.ping()).rejects.toMatchObject({ title: expect.stringMatching(saying("replaced")) });
  renameSync(`${file}.kept`, file);
  await clock.advance(10_000);
  expect(said).toEqual(["error database lost: replaced", "operators: replaced", "info database back"]);
  await expect(store.ping()).resolves.toBeUndefined();
  await end();
});
