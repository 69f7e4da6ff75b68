import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";

import { afterEach, beforeEach, expect, it } from "vitest";

import { silentLog } from "../../../src/log.ts";
import { createStore } from "../../../src/store/create-store.ts";

let folder: string;
let file: string;
const clock = { millis: 1_700_000_000_000 };
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "bellwether-payloads-"));
  file = path.join(folder, "b.db");
});
afterEach(() => rm(folder, { recursive: true }));

const open = () => createStore({ url: file, log: silentLog(), now: () => clock.millis });

/** One value out of the closed database. */
function ask(sql: string): unknown {
  const database = new DatabaseSync(file);
  try {
    return Object.values(database.prepare(sql).get() ?? {})[0];
  } finally {
    database.close();
  }
}

it("takes expired payloads off the disk", async () => {
  const store = open();
  for (let index = 0; index < 50; index += 1) await store.payloads.put({ index }, 1000);
  clock.millis += 3_600_000;
  const key = await store.payloads.put("fresh", 1000);
  expect(await store.payloads.get(key)).toBe("fresh");
  await store.close();
  expect(ask("SELECT count(*) FROM button_payloads")).toBe(1);
});

it("keeps 100,000 at most, and deletes those that expire first", async () => {
  const store = open();
  await store.ping();
  await store.close();
  const later = clock.millis + 1_000_000;
  ask(`INSERT INTO button_payloads
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100010)
       SELECT 'k' || i, '1', ${later} + i FROM n RETURNING key`);
  const again = open();
  const key = await again.payloads.put("new", 9_000_000);
  expect(await again.payloads.get("k10")).toBeUndefined();
  expect(await again.payloads.get("k11")).toBe(1);
  expect(await again.payloads.get(key)).toBe("new");
  await again.close();
  expect(ask("SELECT count(*) FROM button_payloads")).toBe(100_001);
});
