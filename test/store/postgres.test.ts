import { afterAll, beforeAll, describe } from "vitest";

import { silentLog } from "../../src/log.ts";
import { createStore } from "../../src/store/create-store.ts";
import { deleteRows, postgresMissing, scratchPostgres, type ScratchServerDatabase } from "../support/postgres.ts";
import { alertContract } from "./alert-tables/alert-contract.ts";
import { outboxContract } from "./alert-tables/outbox-contract.ts";
import { exportContract } from "./export-contract.ts";
import { installationContract } from "./installation-contract.ts";
import { storeContract, type StoreUnderTest } from "./contract.ts";

describe.skipIf(postgresMissing !== undefined)(`PostgreSQL ${postgresMissing ?? ""}`, () => {
  let database: ScratchServerDatabase;
  beforeAll(async () => {
    database = await scratchPostgres();
  });
  afterAll(() => database.drop());

  async function emptied(): Promise<StoreUnderTest> {
    const clock = { millis: 1_700_000_000_000 };
    const open = () => createStore({ url: database.url, log: silentLog(), now: () => clock.millis });
    const stores = [open()];
    return {
      store: stores[0]!,
      clock,
      async reopen() {
        const store = open();
        stores.push(store);
        return store;
      },
      async cleanUp() {
        await Promise.all(stores.map((store) => store.close()));
        await deleteRows(database.url);
      },
    };
  }

  storeContract("PostgreSQL", emptied);
  alertContract("PostgreSQL", emptied);
  outboxContract("PostgreSQL", emptied);
  exportContract("PostgreSQL", emptied);
  installationContract("PostgreSQL", emptied);
});
