import { describe, expect, test } from "vitest";

import type { Payloads } from "../../../../src/adapters/adapter.ts";
import { expiredNotice } from "../../../../src/adapters/slack/respond/notices.ts";
import { command } from "../../../../src/bot/command.ts";
import { type Attachment, memoryAttachment, reply } from "../../../../src/reply/reply.ts";
import { paragraph } from "../../../../src/reply/block.ts";
import { plainText } from "../../../../src/reply/plain-text.ts";
import { number, text, toText } from "../../../../src/reply/text.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { choicesOf, labelsOf } from "../../../support/fake-slack/person.ts";
import { saying } from "../../../support/said.ts";
import { probe } from "../probe-commands.ts";
import { said } from "../shown.ts";
import { stage } from "../stage.ts";

/** An answer with a figure that is exact below the fold, a detail, and a file. */
function folded() {
  let asked = 0;
  return probe("probe fold", () => {
    asked += 1;
    return Promise.resolve(
      reply({
        title: `asked ${asked} times`,
        blocks: [
          paragraph(text`stake ${number("1234567.891", "1.23 M")}`),
          { ...paragraph("the small print"), detail: true },
        ],
        attachments: [memoryAttachment("a.csv", "text/csv", "a\n")],
      }),
    );
  });
}

/** Twelve rows of six columns, each with something to be done. */
function rows(attachments: readonly Attachment[] = []) {
  const columns = ["Name", "A", "B", "C", "D", "E"].map((title, index) => ({
    title,
    priority: index === 5 ? (1 as const) : (2 as const),
  }));
  return probe("probe rows", ({ options }) =>
    Promise.resolve(
      reply({
        title: typeof options["note"] === "string" ? `noted ${options["note"]}` : "rows",
        attachments,
        blocks: [
          {
            kind: "table",
            name: "rows",
            columns,
            rows: Array.from({ length: 40 }, (_, row) =>
              columns.map(({ title }) => toText(`${title.toLowerCase()}${row}`)),
            ),
            rowAction: {
              label: "Show",
              invocations: Array.from({ length: 40 }, (_, row) => ({
                command: "probe rows",
                options: { note: `row ${row}` },
              })),
              effect: "reply",
            },
          },
        ],
        actions: [
          {
            label: "Page",
            choices: [1, 2].map((page) => ({
              label: `Page ${page}`,
              invocation: { command: "probe rows", options: { note: `page ${page}` } },
            })),
            effect: "replace",
          },
        ],
      }),
    ),
  );
}

describe("Details", () => {
  test("shows the rest in the message's place, and Less takes it back; nothing is asked again", async () => {
    await using scene = await stage({ extra: [folded()] });
    const ann = scene.fake.person("ann");
    const { last } = await ann.run(scene.channel, "probe fold");
    expect(said(last)).toMatch(saying("1.23 M", "a.csv", "your direct messages"));
    expect(said(last)).not.toContain("small print");
    const before = said(last);
    await scene.restart();
    await ann.press(last, "Details");
    expect(said(last)).toMatch(saying("asked 1 times", "1234567.891", "small print", "a.csv"));
    expect(last).toMatchObject({ edits: 1, onlyFor: ann.id });
    await ann.press(last, "Less");
    expect(said(last)).toBe(before);
    expect(ann.directMessages().flatMap(({ files }) => files)).toHaveLength(1);
  });

  test("of a shared answer are a copy for whoever presses, who shared it too: the channel sees no more of it", async () => {
    await using scene = await stage({ extra: [folded()] });
    const [ann, bob] = [scene.fake.person("ann"), scene.fake.person("bob")];
    const { last } = await ann.run(scene.channel, "probe fold");
    const shared = (await ann.press(last, "Share")).last;
    expect(said(shared)).not.toContain("small print");
    const copy = (await bob.press(shared, "Details")).last;
    expect(copy.onlyFor).toBe(bob.id);
    expect(said(copy)).toMatch(saying("small print"));
    expect(shared.edits).toBe(0);
    // The copy is Bob's.
    await bob.press(copy, "Less");
    expect(said(copy)).not.toContain("small print");
    const own = (await ann.press(shared, "Details")).last;
    expect(said(own)).toMatch(saying(`Shared by <@${ann.id}>`, "small print"));
    expect([own.onlyFor, shared.edits]).toEqual([ann.id, 0]);
  });

  test("a shared table has no choice of its rows, nor any button but links and Details", async () => {
    await using scene = await stage({ extra: [rows()] });
    const ann = scene.fake.person("ann");
    const { last } = await ann.run(scene.channel, "probe rows");
    expect(choicesOf(last.blocks)).not.toEqual([]);
    const shared = (await ann.press(last, "Share")).last;
    expect([labelsOf(shared.blocks), choicesOf(shared.blocks)]).toEqual([["Details"], []]);
    const { blocks } = (await ann.press(shared, "Details")).last;
    expect([labelsOf(blocks), choicesOf(blocks)]).toEqual([["Less"], []]);
  });

  test.each([
    ["are shown through the Web API in the app's own conversation", "probe fold private:no", 0],
    ["come as a direct message in a channel", "probe fold", 1],
    ["come as a direct message in a channel that sees the answer", "probe fold private:no", 1],
  ])("at an address that is closed %s", async (_name, line, direct) => {
    await using scene = await stage({ extra: [folded()] });
    scene.fake.expected.add("used_url");
    const ann = scene.fake.person("ann");
    const { last } = await ann.run(direct === 0 ? scene.fake.state.direct(ann.id).id : scene.channel, line);
    const before = ann.directMessages().length;
    scene.fake.fail({ method: "respond", answer: { error: "used_url" } });
    ann.startPress(last, "Details");
    await until(() => last.edits === 1 - direct && ann.directMessages().length === before + direct, "the details");
    const shown = direct === 0 ? last : ann.directMessages().at(-1)!;
    expect(said(shown)).toMatch(saying("small print"));
  });

  test("is no longer there after a day: run it again", async () => {
    let late = 0;
    const payloads = (own: Payloads): Payloads => ({
      put: (value, ttlMillis) => own.put(value, ttlMillis - late),
      get: (key) => own.get(key),
    });
    await using scene = await stage({ extra: [folded()], payloads });
    const ann = scene.fake.person("ann");
    late = 86_400_000;
    const { last } = await ann.run(scene.channel, "probe fold");
    const pressed = await ann.press(last, "Details");
    expect(pressed.last.onlyFor).toBe(ann.id);
    expect(said(pressed.last)).toMatch(saying(plainText(expiredNotice("").title), "/bell"));
    expect(last.edits).toBe(0);
  });

  test("opens and closes where the store takes nothing more: the reply is kept already", async () => {
    let full = false;
    const payloads = (own: Payloads): Payloads => ({
      ...own,
      put: (value, ttlMillis) => (full ? Promise.reject(new Error("full")) : own.put(value, ttlMillis)),
    });
    await using scene = await stage({ extra: [folded()], payloads });
    const ann = scene.fake.person("ann");
    const { last } = await ann.run(scene.channel, "probe fold");
    full = true;
    await ann.press(last, "Details");
    expect(said(last)).toContain("small print");
    await ann.press(last, "Less");
    expect(said(last)).not.toContain("small print");
    expect(labelsOf(last.blocks)).toContain("Details");
  });

  test("is not offered where the store keeps nothing: a file has the rest", async () => {
    const payloads = (own: Payloads): Payloads => ({ ...own, put: () => Promise.reject(new Error("full")) });
    await using scene = await stage({ extra: [folded()], payloads });
    const ann = scene.fake.person("ann");
    const { last } = await ann.run(scene.channel, "probe fold");
    expect(said(last)).toMatch(saying("1.23 M", "whole-reply.txt"));
    expect(said(last)).not.toContain("small print");
    expect(labelsOf(last.blocks)).not.toContain("Details");
    const files = ann.directMessages().flatMap((message) => message.files);
    expect(files.map(({ name }) => name)).toEqual(["SIMULATED-a.csv", "whole-reply.txt"]);
    expect(files.at(-1)?.bytes?.toString()).toMatch(saying("1234567.891", "small print"));
  });

  test("is not needed where neither the store nor Slack takes it: the message says what fits, and what shows the rest", async () => {
    const payloads = (own: Payloads): Payloads => ({ ...own, put: () => Promise.reject(new Error("full")) });
    await using scene = await stage({ extra: [folded()], payloads });
    const ann = scene.fake.person("ann");
    for (let count = 0; count < 2; count += 1) {
      scene.fake.fail({ method: "files.getUploadURLExternal", answer: { error: "missing_scope" } });
    }
    const { last } = await ann.run(scene.channel, "probe fold");
    expect(said(last)).toMatch(saying("SIMULATED-a.csv", "whole-reply.txt", "files:write", "/bell probe fold"));
    expect(said(last)).toMatch(saying("1234567.891", "small print"));
    expect(last.text).toMatch(/^⚠️/u);
  });
});

describe("choices", () => {
  test("a table has four columns first, the most important, and a choice of its rows; Details has all", async () => {
    await using scene = await stage({ extra: [rows()] });
    const ann = scene.fake.person("ann");
    const { last } = await ann.run(scene.channel, "probe rows");
    const table = last.blocks.find(({ type }) => type === "table") as unknown as { rows: { text: string }[][] };
    expect(table.rows[0]?.map((cell) => cell.text)).toEqual(["Name", "A", "B", "E"]);
    expect(said(last)).toMatch(saying("15 of 40"));
    expect(choicesOf(last.blocks)).toContain("Show one: name14");
    // So many does every menu hold.
    expect(choicesOf(last.blocks)).toContain("Show one: name24");
    expect(choicesOf(last.blocks)).not.toContain("Show one: name25");
    const chosen = await ann.press(last, "Show one: name14");
    expect(said(chosen.last)).toContain("noted row 14");
    await ann.press(last, "Details");
    const [whole] = last.blocks.flatMap((block) => (block.type === "data_table" ? [block] : []));
    expect((whole as unknown as typeof table).rows).toHaveLength(41);
    expect(whole).toMatchObject({ page_size: 15 });
    expect(said((await ann.press(last, "Show one: name39")).last)).toContain("noted row 39");
  });

  test("has a choice of each row that it shows where neither details nor files arrive", async () => {
    const isShare = (value: unknown): boolean => JSON.stringify(value).startsWith('{"v":1,"press":{"kind":"share"');
    const payloads = (own: Payloads): Payloads => ({
      ...own,
      put: (value, ttlMillis) => (isShare(value) ? Promise.reject(new Error("full")) : own.put(value, ttlMillis)),
    });
    await using scene = await stage({ extra: [rows([memoryAttachment("a.csv", "text/csv", "a\n")])], payloads });
    const ann = scene.fake.person("ann");
    for (let count = 0; count < 3; count += 1) {
      scene.fake.fail({ method: "files.getUploadURLExternal", answer: { error: "missing_scope" } });
    }
    const { last } = await ann.run(scene.channel, "probe rows");
    expect(said(last)).toContain("name39");
    expect(said((await ann.press(last, "Show one: name39")).last)).toContain("noted row 39");
  });

  test("where Slack takes no table with pages, Details shows it without them", async () => {
    await using scene = await stage({ extra: [rows()] });
    const ann = scene.fake.person("ann");
    const { last } = await ann.run(scene.channel, "probe rows");
    scene.fake.fail({ method: "respond", answer: { error: "invalid_blocks" } });
    await ann.press(last, "Details");
    const typesOf = ({ blocks }: typeof last): string[] => blocks.map(({ type }) => type);
    expect(typesOf(last)).toContain("table");
    expect(typesOf(last)).not.toContain("data_table");
    expect(said(last)).toContain("name39");
  });

  test("pages are one choice, which takes the message's place, also after a restart", async () => {
    await using scene = await stage({ extra: [rows()] });
    const ann = scene.fake.person("ann");
    const { last } = await ann.run(scene.channel, "probe rows");
    await scene.restart();
    await ann.press(last, "Page: Page 2");
    expect(said(last)).toContain("noted page 2");
    expect(last.edits).toBe(1);
  });

  test("a menu holds what the buttons leave, links too, and asks no question", async () => {
    const many = command({
      ...probe("probe many", ({ options }) =>
        Promise.resolve(
          reply({
            title: typeof options["note"] === "string" ? `noted ${options["note"]}` : "many",
            actions: [
              ...["one", "two", "three", "four", "five", "six"].map((note) => ({
                label: note,
                invocation: { command: "probe many", options: { note } },
                effect: "reply" as const,
              })),
              { label: "Docs", url: "https://example.net/" },
              {
                label: "Delete",
                invocation: { command: "probe many", options: { note: "gone" } },
                effect: "reply",
                confirm: "Delete it?",
              },
            ],
          }),
        ),
      ),
    });
    await using scene = await stage({ extra: [many] });
    const ann = scene.fake.person("ann");
    const { last } = await ann.run(scene.channel, "probe many");
    const shown = ["one", "two", "three", "four", "five", "Delete"];
    expect(labelsOf(last.blocks)).toEqual([...shown, "six", "Docs", "Refresh", "Share"]);
    expect(said((await ann.press(last, "six")).last)).toContain("noted six");
    const link = ann.startPress(last, "Docs");
    await until(() => link.envelope.acknowledgedAfter !== undefined, "the acknowledgement");
    await ann.press(last, "Refresh");
    expect(link.uses).toBe(0);
  });
});
