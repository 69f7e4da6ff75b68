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
