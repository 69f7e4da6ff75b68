import { describe, expect, test } from "vitest";

import { compose, finish } from "../../../../src/adapters/slack/render/compose.ts";
import { renderSlack } from "../../../../src/adapters/slack/render/render.ts";
import { silentLog } from "../../../../src/log.ts";
import { memoryAttachment, reply } from "../../../../src/reply/reply.ts";
import { details, paragraph } from "../../../../src/reply/block.ts";
import { id, named, number, text, time, toText } from "../../../../src/reply/text.ts";
import { nanoseconds } from "../../../../src/units/time.ts";
import { judgeMessage } from "../../../support/fake-slack/judge.ts";
import { labelsOf } from "../../../support/fake-slack/person.ts";
import type { Block } from "../../../support/fake-slack/state.ts";
import { saying } from "../../../support/said.ts";
import { shownText } from "../shown.ts";

test("buttons whose meaning the store does not take are counted", async () => {
  const invocation = { command: "time", options: { note: "x".repeat(900) } };
  const actions = ["One", "Two"].map((label) => ({ label, invocation, effect: "reply" as const }));
  const payloads = { put: () => Promise.reject(new Error("full")), get: () => Promise.resolve(undefined) };
  const { body } = await compose(
    reply({ title: "x", actions: [...actions, { label: "Docs", url: "https://example.net/" }] }),
    {},
    { payloads, log: silentLog(), ttlMillis: 1 },
  );
  const shown = shownText(body.blocks);
  expect(shown).toMatch(saying(2));
  expect(shown).toContain("Docs");
  expect(shown).not.toContain("One");
});

test("choices of rows that only the message without its details has are stored, or counted with its buttons", async () => {
  const rows = [[toText("1")], [toText("2")]];
  const invocations = rows.map((_row, index) => ({ command: "order", options: { id: String(index) } }));
  const rowAction = { label: "Show", invocations, effect: "reply" as const };
  const table = { kind: "table" as const, name: "t", columns: [{ title: "A" }], rows, rowAction };
  const given = reply({
    title: "x",
    blocks: [table, ...details([paragraph("1")], "One"), ...details([paragraph("2")], "Two")],
  });
  const second = renderSlack(given, { asker: "U1", show: 1 });
  expect(
    second.unstored
      .values()
      .map(({ kind }) => kind)
      .toArray(),
  ).toEqual(["share"]);
  const write = async (takes: (payload: unknown) => boolean) => {
    const put = (payload: unknown) => (takes(payload) ? Promise.resolve("key") : Promise.reject(new Error("full")));
    const payloads = { put, get: () => Promise.resolve(undefined) };
    return shownText((await finish(second, {}, { payloads, log: silentLog(), ttlMillis: 1 })).blocks);
  };
  expect(await write(() => false)).toMatch(saying("missing", 2));
  const halfKept = await write((payload) => !JSON.stringify(payload).includes('"share"'));
  expect(halfKept).toMatch(saying("missing", 1));
  expect(halfKept).toContain("Show");
});

test("what fits beside everything else is shown whole", () => {
  const words = [2900, 2900, 2200].map((length) => paragraph("x".repeat(length)));
  const table = { kind: "table" as const, columns: [{ title: "A" }], rows: [[toText("1")]], name: "t" };
  expect(renderSlack(reply({ title: "x", blocks: [...words, table] })).files).toEqual([]);
});

test.each([
  ["an id by its ends", id("ab".repeat(32))],
  ["a long cell by its beginning", toText("word ".repeat(100))],
])("a table that shows %s says where all of it is", (_name, cell) => {
  const table = { kind: "table" as const, columns: [{ title: "A" }], rows: [[toText(cell)]], name: "t" };
  const { blocks, files } = renderSlack(reply({ title: "x", blocks: [table] }));
  expect(shownText(blocks)).toContain("t.csv");
  expect(files.map(({ name }) => name)).toEqual(["t.csv"]);
});

test("a cell that names a channel mentions it, so that its name is shown; no other platform's, and no group", () => {
  const cells = [
    named("channel", "slack", "C0123ABCD"),
    named("channel", "discord", "1122"),
    named("role", "slack", "S0123ABCD"),
  ];
  const rows = cells.map((cell) => [text`told in ${cell} <here>`]);
  const { blocks } = renderSlack(
    reply({ title: "x", blocks: [{ kind: "table", columns: [{ title: "A" }], rows, name: "t" }] }),
  );
  expect(judgeMessage({ text: "x", blocks })).toEqual([]);
  expect(blocks.flatMap((block) => (block.type === "table" ? block.rows.slice(1) : []))).toEqual([
    [
      {
        type: "rich_text",
        elements: [
          {
            type: "rich_text_section",
            elements: [
              { type: "text", text: "told in " },
              { type: "channel", channel_id: "C0123ABCD" },
              { type: "text", text: " <here>" },
            ],
          },
        ],
      },
    ],
    [{ type: "raw_text", text: "told in 1122 &lt;here&gt;" }],
    [{ type: "raw_text", text: "told in S0123ABCD &lt;here&gt;" }],
  ]);
});

test("more fields than a message has room for: as many as fit, and a file with all", () => {
  const value = toText("value ".repeat(40));
  const fields = Array.from({ length: 70 }, (_, index) => ({ name: toText(`name ${index}`), value }));
  const { blocks, files } = renderSlack(reply({ title: "x", blocks: [{ kind: "fields", fields }] }));
  expect(judgeMessage({ text: "x", blocks })).toEqual([]);
  expect(shownText(blocks)).toContain("whole-reply.txt");
  expect(files.map(({ name }) => name)).toEqual(["whole-reply.txt"]);
});

test.each(["javascript:alert(1)", "no address", `https://example.net/${"x".repeat(3000)}`])(
  "a link that Slack would not take is said in words: %s",
  (url) => {
    const { blocks } = renderSlack(reply({ title: "x", actions: [{ label: "Docs", url }] }));
    expect(blocks.filter(({ type }) => type === "actions")).toEqual([]);
    expect(judgeMessage({ text: "x", blocks })).toEqual([]);
    expect(shownText(blocks)).toMatch(saying(1));
  },
);

describe("asking again is offered", () => {
  const file = memoryAttachment("a.csv", "text/csv", "a\n");
  const own = { label: "Refresh", invocation: { command: "time", options: {} }, effect: "replace" as const };
  test.each<[string, Parameters<typeof reply>[0], string, string[]]>([
    ["with an answer", { title: "x" }, "time", ["Refresh"]],
    ["with a failure of the network's", { title: "x", failure: "network" }, "time", ["Ask again"]],
    ["not with a mistake, which stays one", { title: "x", failure: "caller" }, "time", []],
    ["not with help, which stays as it is", { title: "x" }, "help", []],
    ["not where a file would be made again", { title: "x", attachments: [file] }, "time", []],
    ["once, where the answer offers it itself", { title: "x", actions: [own] }, "time", ["Refresh"]],
  ])("%s", (_name, parts, command, labels) => {
    const { blocks } = renderSlack(reply(parts), { asker: "U1", ask: { command, options: {} } });
    expect(labelsOf(blocks as readonly Block[])).toEqual(labels);
  });
});

describe("files are a press away", () => {
  const file = memoryAttachment("t.csv", "text/csv", "a\n");
  const ask = { command: "stake", options: {} };
  const again = { label: "Refresh", invocation: { ...ask, options: { party: "all" } }, effect: "replace" as const };
  const table = { kind: "table" as const, columns: [{ title: "A" }], rows: [[toText("1")]], name: "t" };
  test.each<[string, Parameters<typeof reply>[0], boolean]>([
    ["of an answer that offers itself again", { title: "x", attachments: [file], actions: [again] }, true],
    ["not of one that does not: its file was asked for", { title: "x", attachments: [file], blocks: [table] }, false],
  ])("%s", (_name, parts, later) => {
    const { blocks, filesLater } = renderSlack(reply(parts), { asker: "U1", ask });
    expect([filesLater, labelsOf(blocks as readonly Block[]).includes("Send as file")]).toEqual([later, later]);
  });
});

test("a notification has the digits that people read, and no words from below the fold", () => {
  const said = reply({
    title: text`34 parties stake ${number("26356629.594235439901082339", "26,356,629.59")}`,
    blocks: details([paragraph("Below the fold")]),
  });
  expect(renderSlack(said).text).toBe("34 parties stake 26,356,629.59");
});

test("a notification names UTC, where the blocks draw the reader's zone", async () => {
  const at = (millis: number) => time(nanoseconds(BigInt(millis) * 1_000_000n));
  const given = reply({
    title: text`Lost since ${at(60_000)}`,
    blocks: [paragraph(text`Until ${at(7_320_000)}: deploy`)],
  });
  const payloads = { put: () => Promise.resolve("key"), get: () => Promise.resolve(undefined) };
  const { body } = await compose(given, {}, { payloads, log: silentLog(), ttlMillis: 1, now: () => 120_000 });
  expect(body.text).toBe("Lost since 00:01 UTC: Until 02:02 UTC: deploy");
  expect(JSON.stringify(body.blocks)).toMatch(/Lost since\* <!date\^60\^.*Until <!date\^7320\^/su);
});

test("a table in a modal names its columns once, and leaves out what a row does not have", () => {
  const columns = ["Market", "Bid", "State", "Mark", "Mode"].map((title) => ({ title }));
  const rows = ["AAVE/USDC", "BTC/USDT"].map((name, index) => [
    name,
    "158",
    ...(index === 0 ? ["–", "–"] : ["suspended", "157"]),
    "2",
  ]);
  const table = {
    kind: "table" as const,
    name: "markets",
    columns,
    rows: rows.map((row) => row.map((one) => toText(one))),
  };
  const { blocks } = renderSlack(reply({ title: "x", blocks: [table] }), { inView: true, asker: "U1" });
  expect(shownText(blocks).split("\n")).toEqual(
    expect.arrayContaining([
      "Market · Bid · State · Mark",
      "• *AAVE/USDC* · 158",
      "• *BTC/USDT* · 158 · suspended · 157",
    ]),
  );
});

test("columns without titles are named by no empty line, which Slack refuses", () => {
  const table = { kind: "table" as const, name: "rows", columns: [{ title: "" }], rows: [[toText("one")]] };
  const { blocks, text: said } = renderSlack(reply({ title: "x", blocks: [table] }), { inView: true, asker: "U1" });
  expect(judgeMessage({ text: said, blocks })).toEqual([]);
});
