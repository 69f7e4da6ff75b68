import { expect, test } from "vitest";

import { renderDiscord } from "../../src/adapters/discord/render/render.ts";
import { renderSlack } from "../../src/adapters/slack/render/render.ts";
import { memoryAttachment, nameFiles, reply, type Reply } from "../../src/reply/reply.ts";
import type { Table } from "../../src/reply/block.ts";
import { toText } from "../../src/reply/text.ts";

/** So many rows that no message shows all of them. */
const table: Table = {
  kind: "table",
  name: "stake",
  columns: [{ title: "Party" }, { title: "Remark" }],
  rows: Array.from({ length: 90 }, (_, row) => [toText(`party ${row}`), toText("x".repeat(120))]),
  total: 1204,
};
const attached = (name: string) => [memoryAttachment(name, "text/csv", "party\n")];
const withTable = (more: Partial<Reply>): Reply => ({ ...reply({ title: "Stake", blocks: [table] }), ...more });

test.each<[string, Reply, readonly string[], string]>([
  ["one of its rows", withTable({}), ["stake.csv"], "90 rows in stake.csv"],
  [
    "none where the reply has one of all rows",
    withTable({ attachments: attached("stake.csv") }),
    ["stake.csv"],
    "all of it in stake.csv",
  ],
  [
    "one beside another file",
    withTable({ attachments: attached("all.csv") }),
    ["all.csv", "stake.csv"],
    "90 rows in stake.csv",
  ],
])("a table that a message cuts gets a CSV: %s", (_which, given, names, held) => {
  expect(nameFiles(given).held).toEqual([held]);
  const messages = [renderDiscord(given, { asker: "1", keeps: true }, "whole"), renderSlack(given, { asker: "U1" })];
  for (const { files } of messages) expect(files.map(({ name }) => name)).toEqual(names);
  expect(JSON.stringify(renderDiscord(given, { asker: "1", keeps: true }, "whole").components)).toContain(held);
  expect(JSON.stringify(renderSlack(given, { asker: "U1", show: "whole" }).blocks)).toContain(held);
});
