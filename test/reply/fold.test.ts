import { expect, test } from "vitest";

import { field, paragraph, type Table } from "../../src/reply/block.ts";
import { tableToCsv } from "../../src/reply/csv.ts";
import { aboveFold, isFolded, unfolded } from "../../src/reply/fold.ts";
import { replyToJson } from "../../src/reply/json.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import { reply } from "../../src/reply/reply.ts";
import { number, text, toText } from "../../src/reply/text.ts";
import { replyTexts } from "../support/reply-texts.ts";

const mark = number("103,924.07300", "103,924.07");
const market = reply({
  title: text`BTC/USDT trades at ${mark}`,
  blocks: [
    { kind: "fields", fields: [field("Mark", mark), field("Size", number("2", "2"))] },
    { kind: "table", name: "bounds", columns: [{ title: "Max" }], rows: [[[mark]]] },
    { kind: "list", items: [text`${mark}`] },
    { ...paragraph(text`Never traded below ${mark}.`), detail: true },
  ],
});

test("above the fold numbers are short and details are missing; below it all is exact", () => {
  expect(isFolded(market)).toBe(true);
  expect(replyTexts(aboveFold(market)).map(plainText)).toEqual([
    "BTC/USDT trades at 103,924.07",
    "",
    "Mark",
    "103,924.07",
    "Size",
    "2",
    "",
    "Max",
    "103,924.07",
    "",
    "103,924.07",
    "",
  ]);
  expect(replyTexts(unfolded(market)).map(plainText)).toEqual([
    "BTC/USDT trades at 103,924.07",
    "",
    "Mark",
    "103,924.07300",
    "Size",
    "2",
    "",
    "Max",
    "103,924.07300",
    "",
    "103,924.07300",
    "Never traded below 103,924.07300.",
    "",
  ]);
});

test("a reply without details and without digits to spare has no fold", () => {
  expect(isFolded(reply({ title: "Fine", blocks: [paragraph(text`${number("2", "2")} nodes`)] }))).toBe(false);
  expect(isFolded(aboveFold(market))).toBe(false);
});

test("a count has its thousands apart wherever people read it, and is exact for machines", () => {
  const table: Table = {
    kind: "table",
    name: "blocks",
    columns: [{ title: "Block", align: "right" }],
    rows: [[toText(175_188_841n)], [toText(999n)]],
  };
  const said = reply({
    title: text`At block ${175_188_841n}`,
    blocks: [paragraph(text`${1234n} blocks ago.`), table],
    footer: text`block ${175_188_841n} of mainnet`,
  });
  const read = ["At block 175,188,841", "1,234 blocks ago.", "", "Block", "175,188,841", "999"];
  for (const form of [aboveFold(said), unfolded(said)]) {
    expect(replyTexts(form).map(plainText)).toEqual([...read, "block 175,188,841 of mainnet"]);
  }
  expect(isFolded(said)).toBe(false);
  expect(tableToCsv(table)).toBe("Block\n175188841\n999\n");
  expect(replyToJson(said).footer?.map((inline) => "text" in inline && inline.text)).toContain("175188841");
});

test("JSON has the headline as plain text, and keeps all blocks", () => {
  const json = replyToJson(market);
  expect(json.headline).toBe("BTC/USDT trades at 103,924.07");
  expect(json.blocks).toEqual(market.blocks);
});

test("a table has no column that says nothing in any row, or the same in all where only differences count", () => {
  const table: Table = {
    kind: "table",
    name: "markets",
    columns: [
      ...["Market", "Ends", "State", "Fee"].map((title) => ({ title })),
      { title: "Network", varies: true },
      { title: "Mode", varies: true },
    ],
    rows: [
      [text`BTC/USDT`, [], [], text`1 %`, text`mainnet`, text`2`],
      [text`ETH/USDT`, text` `, text`suspended`, text`1 %`, text`mainnet`, text`3`],
    ],
  };
  const given = reply({ title: "x", blocks: [table] });
  for (const shown of [aboveFold(given), unfolded(given)]) {
    const [block] = shown.blocks.flatMap((one) => (one.kind === "table" ? [one] : []));
    expect(block?.columns.map(({ title }) => title)).toEqual(["Market", "State", "Fee", "Mode"]);
    expect(block?.rows.map((row) => row.length)).toEqual([4, 4]);
  }
});
