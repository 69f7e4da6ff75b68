import { expect, test } from "vitest";

import { play } from "../../bench/markets/play.ts";
import { TABLES } from "../../bench/markets/tables.ts";

test.each(TABLES)("$ask, at $looks", async (table) => {
  expect(await play(table)).toEqual([]);
});
