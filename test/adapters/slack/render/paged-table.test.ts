import { expect, test } from "vitest";

import { renderTableBlock } from "../../../../src/adapters/slack/render/table.ts";
import { table } from "../../../../src/reply/block.ts";
import { text } from "../../../../src/reply/text.ts";
import { judgeMessage } from "../../../support/fake-slack/judge.ts";

function rendered(count: number, paged = true) {
  const rows = Array.from({ length: count }, (_, index) => index);
  const given = table({
    name: "prices",
    title: text`Prices`,
    rows,
    columns: [
      ["Market", (index) => `market ${index}`],
      ["Price", (index) => `${index},000.5`, "right"],
      ["Bid", (index) => (index === 3 ? "–" : String(index)), "right"],
    ],
  });
  const shown = renderTableBlock(given, 8000, { maxColumns: 20, maxRows: 99, folded: false, paged });
  expect(judgeMessage({ text: "x", blocks: shown?.blocks })).toEqual([]);
  return shown!;
}

test("up to 15 rows are a plain table, more are one with pages, but in an alert", () => {
  expect(rendered(15).blocks).toMatchObject([{ type: "table" }]);
  expect(rendered(60, false).blocks).toMatchObject([{ type: "table" }]);
  const shown = rendered(60);
  expect(shown.blocks).toMatchObject([{ type: "data_table", caption: "Prices", page_size: 15 }]);
  expect(shown.rows).toBe(60);
});

test("a column of numbers alone is sorted as such, and shown as it was", () => {
  const [block] = rendered(60).blocks;
  const { rows } = block as { rows: readonly unknown[][] };
  expect(rows[0]).toEqual(["Market", "Price", "Bid"].map((title) => ({ type: "raw_text", text: title })));
  expect(rows[3]).toEqual([
    { type: "raw_text", text: "market 2" },
    { type: "raw_number", value: 2000.5, text: "2,000.5" },
    { type: "raw_text", text: "2" },
  ]);
});
