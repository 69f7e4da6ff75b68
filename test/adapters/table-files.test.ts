import { expect, test } from "vitest";

import { renderDiscord } from "../../src/adapters/discord/render/render.ts";
import { renderSlack } from "../../src/adapters/slack/render/render.ts";
import { paragraph, type Table } from "../../src/reply/block.ts";
import { reply, type Reply } from "../../src/reply/reply.ts";
import { toText } from "../../src/reply/text.ts";

/** A reply with a table of so many rows, wider than a phone. */
function withRows(count: number): Reply {
  const columns = ["Market", "State", "Mark", "Bid", "Offer", "Spread"];
  const table: Table = {
    kind: "table",
    name: "markets",
    columns: columns.map((title) => ({ title })),
    rows: Array.from({ length: count }, (_, row) => columns.map((column) => toText(`${column}-${row}-of-a-row`))),
  };
  return reply({ title: "Markets", blocks: [paragraph("All of them."), table] });
}

test.each([
  ["Discord", (one: Reply) => renderDiscord(one, { asker: "1", keeps: true }, "whole").files],
  ["Slack", (one: Reply) => renderSlack(one, { asker: "U1" }).files],
])("on %s a table that does not fit has its CSV, and no file says the same again", (_platform, filesOf) => {
  for (const count of [60, 400, 2000]) {
    const names = filesOf(withRows(count)).map(({ name }) => name);
    expect(names).not.toContain("whole-reply.txt");
    expect(names.length).toBeLessThanOrEqual(1);
  }
  expect(filesOf(withRows(2000)).map(({ name }) => name)).toEqual(["markets.csv"]);
});
