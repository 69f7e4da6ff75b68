import { expect, test } from "vitest";

import { renderTable } from "../../../../src/adapters/discord/render/table.ts";
import { renderDiscord } from "../../../../src/adapters/discord/render/render.ts";
import { PHONE_LINE } from "../../../../src/adapters/discord/limits.ts";
import type { Block, Table } from "../../../../src/reply/block.ts";
import { detailPages } from "../../../../src/reply/fold.ts";
import { reply } from "../../../../src/reply/reply.ts";
import { id, strong, text, time, toText } from "../../../../src/reply/text.ts";
import { fromMillis } from "../../../../src/units/time.ts";
import { talkToSimulator } from "../../../commands/conversation.ts";
import { codeLines, componentsIn, refusals, textsIn } from "../judge.ts";

test("a table with nothing to see takes no fence, which would swallow what follows it", () => {
  const blocks: Block[] = [
    { kind: "table", name: "rows", columns: [{ title: " " }], rows: [[[{ kind: "text", text: " " }]], [[]]] },
    { kind: "paragraph", text: [{ kind: "text", text: "What follows" }] },
    { kind: "code", text: "code" },
  ];
  const { components } = renderDiscord(reply({ title: "Title", blocks }));
  expect(textsIn(components).flatMap(codeLines)).toEqual(["code"]);
});

test("code is broken at blanks alone, and what is copied in one piece never", () => {
  const signature = `0x${"5da2e085".repeat(200)}`;
  const blocks: Block[] = [{ kind: "code", text: `${signature}\none two three four five six seven eight` }];
  const { components } = renderDiscord(reply({ title: "Title", blocks }));
  expect(textsIn(components).flatMap(codeLines)).toEqual([signature, "one two three four five six", "seven eight"]);
});

const columns = [{ title: "Market" }, { title: "Mark", align: "right" as const }, { title: "State" }];

test("a row without room for all of it keeps its state rather than its numbers, and as much of its words as there is room for", () => {
  const rows: [string, string, string, RegExp][] = [
    ["BTC/USDT", "103,924.0", "active", /BTC\/USDT\W+103,924\.0\W+active/u],
    ["BTC/USDT-230630", "94,462.91234", "terminated", /BTC\/USDT-230630\W+… · terminated/u],
    ["BTC/USDT-230630", "94,462.9", "held back by the network", /BTC\/USDT-230630\W+… · held back b.*…/u],
    ...Array.from({ length: 9 }, (_, index): [string, string, string, RegExp] => [
      `M${index}`,
      "1",
      "active",
      /active/u,
    ]),
  ];
  const table: Table = {
    kind: "table",
    name: "rows",
    columns,
    rows: rows.map(([a, b, c]) => [text`${strong(a)}`, toText(b), toText(c)]),
  };
  const lines = textsIn(renderDiscord(reply({ title: "Title", blocks: [table] })).components)
    .join("\n")
    .split("\n");
  for (const [name, , , expected] of rows) {
    const fitting = lines.filter((line) => line.includes(name) && expected.test(line));
    expect(fitting).not.toEqual([]);
    expect(fitting[0]!.replaceAll("*", "").length).toBeLessThanOrEqual(PHONE_LINE);
  }
});

test.each([1, 3])(
  "each of %i rows with a button names the whole of its thing, and below it what else has room",
  (count) => {
    const rows = Array.from({ length: count }, (_, index) => [
      text`market.price of BTC/USDT, above ${String(95_000 + index)} on mainnet`,
      toText("active"),
      toText(`6pq6${index}`),
      toText("2026-01-15 12:00:05 UTC by somebody with a long name"),
    ]);
    const invocations = rows.map((_row, index) => ({ command: "alerts edit", options: { id: `6pq6${index}` } }));
    const table: Table = {
      kind: "table",
      name: "rows",
      columns: [{ title: "Tells" }, { title: "State" }, { title: "Id" }, { title: "Since", priority: 2 }],
      rows,
      rowAction: { label: "Change…", invocations, effect: "reply" },
    };
    const lines = textsIn(renderDiscord(reply({ title: "Title", blocks: [table] })).components)
      .join("\n")
      .split("\n");
    for (let index = 0; index < count; index += 1) {
      const at = lines.indexOf(`**market.price of BTC/USDT, above ${95_000 + index} on mainnet**`);
      expect(lines[at + 1]).toBe(`-# active · 6pq6${index}`);
    }
  },
);

test.each([27, 75, 84])("each of %i rows can be chosen below a table, or is said to be asked for by name", (count) => {
  const rows = Array.from({ length: count }, (_, index) => [toText(`row ${index}`)]);
  const invocations = rows.map((_row, index) => ({ command: "market show", options: { market: `m${index}` } }));
  const table: Table = {
    kind: "table",
    name: "rows",
    columns: [{ title: "Row" }],
    rows,
    rowAction: { label: "Show", invocations, effect: "reply" },
  };
  const message = renderDiscord(reply({ title: "Title", blocks: [table] }));
  expect(refusals({ flags: message.flags, components: message.components })).toEqual([]);
  const offered = componentsIn(message.components).flatMap((one) =>
    "options" in one ? (one.options as { label: string }[]) : [],
  );
  expect(offered.map(({ label }) => label)).toEqual(rows.slice(0, 75).map((_row, index) => `row ${index}`));
  const words = textsIn(message.components).join("\n");
  expect(/other 9.*market show/u.test(words)).toBe(count > 75);
});

test.each([
  ["short", 0, "deadbeef"],
  ["long in a few rows", 1, "alert given up · a node lags behind"],
  ["long in most rows", 7, "alert given up · node a1.example.org:3008 down, mainnet"],
])("each row keeps its time where the words are %s", (_name, long, words) => {
  const rows = Array.from({ length: 8 }, (_, index) => [
    toText(index < long ? words : `sent ${index}`),
    toText(time(fromMillis((1_772_443_400 + index) * 1000))),
    toText("about"),
  ]);
  const table: Table = {
    kind: "table",
    name: "rows",
    columns: [{ title: "Step" }, { title: "When" }, { title: "About", priority: 2 }],
    rows,
  };
  const lines = textsIn(renderDiscord(reply({ title: "Title", blocks: [table] })).components)
    .join("\n")
    .split("\n");
  for (const index of rows.keys())
    expect(lines.filter((line) => line.includes(`<t:${1_772_443_400 + index}:`))).toHaveLength(1);
  const shown = lines.map((line) =>
    line.replaceAll(/<t:\d+:d>/gu, "11/22/2026").replaceAll(/<t:\d+:T>/gu, "1:00:00 PM"),
  );
  // A row with its bullet may wrap.
  for (const line of shown.slice(1, -1))
    expect(line.replaceAll(/\*\*|^-# |\\/gu, "").length).toBeLessThanOrEqual(
      line.startsWith("- ") ? 3 * PHONE_LINE : PHONE_LINE,
    );
});

test("what market show has below the fold is all behind Details, and takes no file", async () => {
  const { askFor } = await talkToSimulator();
  const answer = await askFor("market show BTC/USDT");
  const pages = detailPages(answer).map((_, page) => renderDiscord(answer, { keeps: true }, page));
  expect(pages.flatMap(({ files }) => files)).toEqual([]);
  const texts = pages.map(({ components }) => textsIn(components).join("\n"));
  // Each page has the lines of two screens of a phone at most, not 44.
  expect(texts.map((said) => said.split("\n").length <= 24)).toEqual([true, true, true, true]);
  const shown = texts.join("\n");
  for (const { columns: all } of answer.blocks.filter((block) => block.kind === "table"))
    for (const { title } of all) expect(shown).toContain(title);
});

test("market list has mark and spread of each market that trades, and first the state of those that its headline names, in a phone's line each", async () => {
  const { askFor } = await talkToSimulator();
  const { components } = renderDiscord(await askFor("market list"));
  const lines = textsIn(components).flatMap((shown) => shown.split("\n"));
  const rows = lines.filter((line) => line.startsWith("**")).map((line) => line.replaceAll("**", ""));
  expect(rows.filter((row) => row.includes("…"))).toEqual([]);
  expect(textsIn(components)[0]).toContain("RICE/USDC: suspended, XMR/USDT: pending");
  expect(rows.slice(0, 2)).toEqual([
    expect.stringMatching(/^RICE\/USDC · [\d.]+ · suspended$/u),
    "XMR/USDT · – · pending",
  ]);
  expect(rows.filter((row) => row.replaceAll("\\", "").length > PHONE_LINE)).toEqual([]);
});

test("an id that is given whole below its row is one line of printable text, whatever it holds", () => {
  const table: Table = {
    kind: "table",
    name: "rows",
    columns: [{ title: "Id" }],
    rows: [[[id("\uDE00 0123456789\n\u001B[2J abcdef")]]],
  };
  const { markdown } = renderTable(table, { max: 1000, held: undefined, onId: () => undefined, wholeIds: true });
  expect(markdown.isWellFormed()).toBe(true);
  expect(markdown).not.toContain("\u001B");
  expect(markdown).toContain("0123456789");
});
