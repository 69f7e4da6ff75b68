import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { silentLog } from "../../src/log.ts";
import { createStore } from "../../src/store/create-store.ts";
import { deleteRows, postgresMissing, scratchPostgres, type ScratchServerDatabase } from "../support/postgres.ts";
import { delivery } from "./alert-tables/alert-rows.ts";
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

  it("is not made, nor brought up to date, by what only reads it", async () => {
    const empty = await scratchPostgres();
    const store = createStore({ url: empty.url, log: silentLog(), hold: "read" });
    const read = store.installations.all("slack");
    await expect(read).rejects.toThrow("schema of another version");
    const client = new Client(empty.url);
    await client.connect();
    const { rows } = await client.query<object>("select relname from pg_class where relname = 'installations'");
    await client.end();
    await store.close();
    await empty.drop();
    expect(rows).toEqual([]);
  });

  it("puts a look with its snapshot in one statement, so that it costs no round trip", async () => {
    const under = await emptied();
    const { store } = under;
    const put = (look?: string) =>
      store.transaction(({ alerts }) => alerts.watch.putSnapshot("mainnet", "sources", 5, "{}", look));
    await put();
    const query = vi.spyOn(Client.prototype, "query");
    await put();
    const without = query.mock.calls.length;
    await put('{"at":"5"}');
    const withLook = query.mock.calls.length - without;
    query.mockRestore();
    const tail = await store.read(({ looks }) => looks.tail({ network: "mainnet", watcher: "sources" }, 10));
    await under.cleanUp();
    expect(tail).toHaveLength(1);
    expect(without).toBeGreaterThanOrEqual(3);
    expect(withLook).toBe(without);
  });

  it("is asked several things at once, and does nothing where one of them fails", async () => {
    const under = await emptied();
    const { store } = under;
    await store.ping();
    const { query: send } = Client.prototype as { query: (this: Client, ...given: unknown[]) => Promise<unknown> };
    let [waiting, most] = [0, 0];
    const query = vi.spyOn(Client.prototype, "query").mockImplementation(function (this: Client, ...given: unknown[]) {
      most = Math.max(most, (waiting += 1));
      return send.apply(this, given).finally(() => (waiting -= 1)) as never;
    });
    const both = await store.transaction(({ alerts: { outbox } }) =>
      Promise.all([outbox.add([delivery("a")]), outbox.get(["a"]), outbox.get(["b"])]),
    );
    query.mockRestore();
    expect(both).toMatchObject([undefined, [], []]);
    expect(most).toBe(4);
    const failing = store.transaction(({ alerts: { outbox } }) =>
      Promise.all([
        outbox.update("a", { attempts: 5 }),
        outbox.add([delivery("b", "d1", { data: null as never })]),
        outbox.update("a", { attempts: 6 }),
      ]),
    );
    await expect(failing).rejects.toThrow("null value");
    const left = await store.transaction(({ alerts: { outbox } }) => outbox.get(["a"]));
    await under.cleanUp();
    expect(left).toMatchObject([{ attempts: 0 }]);
  });
});
