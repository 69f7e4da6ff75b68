import * as fc from "fast-check";
import stringWidth from "string-width";
import { expect, test } from "vitest";

import { PHONE_LINE } from "../../../../src/adapters/discord/limits.ts";
import { timeColumn } from "../../../../src/adapters/chat/bounds.ts";
import { renderTable } from "../../../../src/adapters/discord/render/table.ts";
import type { Table } from "../../../../src/reply/block.ts";
import { columnCount } from "../../../../src/reply/columns.js";
import { commandLine, strong, time, toText } from "../../../../src/reply/text.ts";
import { fromMillis } from "../../../../src/units/time.ts";
import { anyTable } from "../../../support/arbitrary-reply.ts";
import { runs } from "../../../support/runs.ts";

/** Rows that took more than a line. */
const wide: readonly Table[] = [
  [toText("東".repeat(100))],
  [toText("Name"), Array.from({ length: 3 }, () => time(fromMillis(1_772_443_400_000)))],
  [toText(commandLine("a".repeat(PHONE_LINE)))],
  [[strong(`${"1".repeat(PHONE_LINE - 18)} `), time(fromMillis(1_772_443_400_000))]],
].map((row) => ({ kind: "table", name: "rows", columns: row.map(() => ({ title: "Title" })), rows: [row] }));

test("any table has rows of phone lines, and takes no more than its room", () => {
  fc.assert(
    fc.property(anyTable, fc.integer({ min: 20, max: 3900 }), fc.boolean(), (table, max, apart) => {
      const { markdown, rows } = renderTable(table, { max, held: undefined, onId: () => {}, apart });
      expect(markdown.length).toBeLessThanOrEqual(max);
      // A row that stands alone, beside a button or with a time that matters may wrap its first cell, once; without a
      // button the others stand behind it.
      const all = [...Array(columnCount(table)).keys()];
      const mayWrap = apart || table.rows.length === 1 || timeColumn(table, all) !== undefined;
      const most = 2 * PHONE_LINE + (apart ? 0 : "- ".length + " · ".length + PHONE_LINE);
      const tooWide = rows.lines.flatMap((row) =>
        row.split("\n").filter((line, index) => widthOf(line) > (mayWrap && index === 0 ? most : PHONE_LINE)),
      );
      expect(tooWide).toEqual([]);
    }),
    { ...runs(100), examples: wide.map((one) => [one, 1000, false]) },
  );
});

/** The columns of a line without its markup, its times as Discord writes them in English; blanks beside bold words are none. */
function widthOf(line: string): number {
  const shown = line
    .replaceAll(/<t:-?\d+:d>/gu, "11/22/2026")
    .replaceAll(/<t:-?\d+:T>/gu, "1:00:00 PM")
    .replaceAll(/<t:-?\d+:R>/gu, "12 minutes ago")
    .replaceAll(/^-# | ?\*\* ?|`/gu, "")
    .replaceAll(/\[([^\]]*)\]\(https?:[^)]*\)/gu, "$1")
    .replaceAll(/\\(.)/gu, "$1");
  return stringWidth(shown);
}
