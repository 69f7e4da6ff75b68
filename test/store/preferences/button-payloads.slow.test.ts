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

it("keeps 128 MiB at most, and deletes those that expire first", async () => {
  const store = open();
  await store.ping();
  await store.close();
  const later = clock.millis + 1_000_000;
  ask(`INSERT INTO button_payloads
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 140)
       SELECT 'k' || i, '"' || printf('%.*c', 1048574, 'x') || '"', ${later} + i FROM n RETURNING key`);
  const again = open();
  await again.payloads.put("new", 9_000_000);
  expect(await again.payloads.get("k12")).toBeUndefined();
  expect(await again.payloads.get("k13")).toHaveLength(1_048_574);
  await again.close();
});
