import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { silentLog } from "../../src/log.ts";
import { createStore } from "../../src/store/create-store.ts";
import { alertContract } from "./alert-tables/alert-contract.ts";
import { outboxContract } from "./alert-tables/outbox-contract.ts";
import { storeContract, type StoreUnderTest, storeUnderTest } from "./contract.ts";
import { exportContract } from "./export-contract.ts";
import { installationContract } from "./installation-contract.ts";

async function inFolder(hold: "life" | "call"): Promise<StoreUnderTest> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "bellwether-store-"));
  return storeUnderTest(
    (now) => createStore({ url: `file:${folder}/deep/er/b.db`, log: silentLog(), hold, now }),
    () => rm(folder, { recursive: true }),
  );
}

storeContract("SQLite, held for life", () => inFolder("life"));
storeContract("SQLite, taken for each call", () => inFolder("call"));
alertContract("SQLite", () => inFolder("life"));
outboxContract("SQLite", () => inFolder("life"));
exportContract("SQLite, held for life", () => inFolder("life"));
installationContract("SQLite, held for life", () => inFolder("life"));
exportContract("SQLite, taken for each call", () => inFolder("call"));
