import * as fc from "fast-check";
import { expect, test } from "vitest";

import { tableToCsv } from "../../../../../src/adapters/web/public/reply/csv.js";
import { tableToCsv as botCsv } from "../../../../../src/reply/csv.ts";
import { number, text } from "../../../../../src/reply/text.ts";
import { anyReply } from "../../../../support/arbitrary-reply.ts";
import { runs } from "../../../../support/runs.ts";

test("a table is copied as the bot writes it into files", () => {
  fc.assert(
    fc.property(anyReply, ({ blocks }) => {
      for (const table of blocks.flatMap((block) => (block.kind === "table" ? [block] : []))) {
        expect(tableToCsv(table)).toBe(botCsv(table));
      }
    }),
    runs(300),
  );
});

test("numbers are copied exactly, percents have their sign in the header, and a formula does not run", () => {
  const table = {
    columns: [
      { title: "Market" },
      { title: "Mark", align: "right" as const },
      { title: "Share", align: "right" as const },
    ],
    rows: [
      [text`=1+1`, text`${number("1,234.50000", "1,234.5")}`, text`6.72 %`],
      [text`–`, text`–1`, text`–`],
    ],
  };
  expect(tableToCsv(table)).toBe("Market,Mark,Share (%)\n'=1+1,1234.50000,6.72\n,–1,\n");
  expect(tableToCsv(table)).toBe(botCsv(table));
});
