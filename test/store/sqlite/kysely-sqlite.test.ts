import { constants, DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";

import { createOutbox } from "../../../src/store/alert-tables/outbox.ts";
import { kyselyOver } from "../../../src/store/sqlite/kysely-sqlite.ts";
import { scratchDatabase } from "../../support/scratch-database.ts";

test("a query with a limit is compiled once, however often it runs", async () => {
  const scratch = await scratchDatabase();
  const database = new DatabaseSync(scratch.file);
  const db = kyselyOver(database);
  let compiled = 0;
  // SQLite asks it while it compiles, and at no other time: https://www.sqlite.org/c3ref/set_authorizer.html
  database.setAuthorizer((action) => {
    if (action === constants.SQLITE_SELECT) compiled += 1;
    return constants.SQLITE_OK;
  });
  const outbox = createOutbox(db);
  await outbox.due("discord", 1, 5);
  const once = compiled;
  expect(once).toBeGreaterThan(0);
  for (const limit of [5, 6, 7]) await outbox.due("discord", 2, limit);
  expect(compiled).toBe(once);
  await db.destroy();
  await scratch.remove();
});

test("a button's payload does not wait for the disk, except in a transaction; all else does", async () => {
  const scratch = await scratchDatabase();
  const database = new DatabaseSync(scratch.file);
  const db = kyselyOver(database);
  const said: (string | null)[] = [];
  database.setAuthorizer((action, name, value) => {
    if (action === constants.SQLITE_PRAGMA && name === "synchronous") said.push(value);
    return constants.SQLITE_OK;
  });
  const put = (on: typeof db, key: string): Promise<unknown> =>
    on.insertInto("button_payloads").values({ key, value: "1", expires_at: 1 }).execute();

  await put(db, "alone");
  expect(said.splice(0)).toEqual(["NORMAL", "FULL"]);
  await expect(put(db, "alone")).rejects.toThrow(/UNIQUE/u);
  expect(said.splice(0)).toEqual(["NORMAL", "FULL"]);
  await db.transaction().execute((trx) => put(trx, "with others"));
  await db.insertInto("saved_parties").values({ owner: "o", id: "p", name: null, saved_at: 1 }).execute();
  expect(said).toEqual([]);

  await db.destroy();
  await scratch.remove();
});
