import { afterAll, beforeAll, describe } from "vitest";

import { silentLog } from "../../src/log.ts";
import { createStore } from "../../src/store/create-store.ts";
import { onServer, postgresMissing, scratchPostgres, type ScratchServerDatabase } from "../support/postgres.ts";
import { alertContract } from "./alert-tables/alert-contract.ts";
import { outboxContract } from "./alert-tables/outbox-contract.ts";
import { exportContract } from "./export-contract.ts";
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
        await onServer(database.url, DELETE_ALL);
      },
    };
  }

  storeContract("PostgreSQL", emptied);
  alertContract("PostgreSQL", emptied);
  outboxContract("PostgreSQL", emptied);
  exportContract("PostgreSQL", emptied);
});

/** Faster than truncating: the tables hold few rows. */
const DELETE_ALL = `do $$ declare name text; begin
  for name in select tablename from pg_tables where schemaname = 'public' and tablename not like 'kysely%' loop
    execute format('delete from %I%s', name, case name when 'alert_counters' then ' where name <> ''turn''' else '' end);
  end loop;
end $$`;
