import { afterAll, beforeAll, describe } from "vitest";

import { silentLog } from "../../src/log.ts";
import { createStore } from "../../src/store/create-store.ts";
import { deleteRows, postgresMissing, scratchPostgres, type ScratchServerDatabase } from "../support/postgres.ts";
import { alertContract } from "./alert-tables/alert-contract.ts";
import { outboxContract } from "./alert-tables/outbox-contract.ts";
import { exportContract } from "./export-contract.ts";
import { installationContract } from "./installation-contract.ts";
import { looksContract } from "./looks-contract.ts";
import { openAnswerContract } from "./open-answer-contract.ts";
import { storeContract, type StoreUnderTest, storeUnderTest } from "./contract.ts";

describe.skipIf(postgresMissing !== undefined)(`PostgreSQL ${postgresMissing ?? ""}`, () => {
  let database: ScratchServerDatabase;
  beforeAll(async () => {
    database = await scratchPostgres();
  });
  afterAll(() => database.drop());

  const emptied = async (): Promise<StoreUnderTest> =>
    storeUnderTest(
      (now) => createStore({ url: database.url, log: silentLog(), now }),
      () => deleteRows(database.url),
    );

  storeContract("PostgreSQL", emptied);
  alertContract("PostgreSQL", emptied);
  outboxContract("PostgreSQL", emptied);
  exportContract("PostgreSQL", emptied);
  installationContract("PostgreSQL", emptied);
  openAnswerContract("PostgreSQL", emptied);
  looksContract("PostgreSQL", emptied);
});
