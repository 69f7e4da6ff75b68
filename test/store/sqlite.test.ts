import { stat } from "node:fs/promises";
import path from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { silentLog } from "../../src/log.ts";
import { createStore } from "../../src/store/create-store.ts";
import { scratchDatabase } from "../support/scratch-database.ts";
import { alertContract } from "./alert-tables/alert-contract.ts";
import { outboxContract } from "./alert-tables/outbox-contract.ts";
import { storeContract, type StoreUnderTest, storeUnderTest } from "./contract.ts";
import { exportContract } from "./export-contract.ts";
import { installationContract } from "./installation-contract.ts";
import { looksContract } from "./looks-contract.ts";
import { openAnswerContract } from "./open-answer-contract.ts";

async function onFile(hold: "life" | "call"): Promise<StoreUnderTest> {
  const database = await scratchDatabase();
  return storeUnderTest(
    (now) => createStore({ url: `file:${database.file}`, log: silentLog(), hold, now }),
    () => database.remove(),
  );
}

it("a database that is not there yet is made, with its folders, for its owner alone", async () => {
  const database = await scratchDatabase();
  const file = path.join(database.folder, "deep/er/b.db");
  const store = createStore({ url: `file:${file}`, log: silentLog() });
  onTestFinished(async () => {
    await store.close();
    await database.remove();
  });
  await store.ping();
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

storeContract("SQLite, held for life", () => onFile("life"));
storeContract("SQLite, taken for each call", () => onFile("call"));
alertContract("SQLite", () => onFile("life"));
outboxContract("SQLite", () => onFile("life"));
exportContract("SQLite, held for life", () => onFile("life"));
installationContract("SQLite, held for life", () => onFile("life"));
looksContract("SQLite", () => onFile("life"));
openAnswerContract("SQLite, held for life", () => onFile("life"));
exportContract("SQLite, taken for each call", () => onFile("call"));
