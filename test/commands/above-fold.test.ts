import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { formatLine, parseLine } from "../../src/bot/grammar/grammar.ts";
import type { Block } from "../../src/reply/block.ts";
import { facts, field, MAX_FACTS } from "../../src/reply/block.ts";
import { aboveFold } from "../../src/reply/fold.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import type { Reply } from "../../src/reply/reply.ts";
import { COMMONEST } from "../support/commonest.ts";
import { fillIn, LINES } from "../support/gallery/lines.ts";
import { NOON } from "../support/talk.ts";
import { talkToSimulator } from "./conversation.ts";

/** What an answer may take before the fold, but for the rows of its tables, which each surface cuts. */
const MAX_CHARACTERS = 1200;

describe("above the fold there are at most six facts, each with a value, and 1,200 characters", () => {
  test.each([...Object.entries(LINES), ["the commonest", COMMONEST.map(({ line }) => line)] as const])(
    "in answers about %s",
    async (_name, lines) => {
      const talk = await talkToSimulator();
      const wrong: string[] = [];
      for (const line of lines) {
        const { blocks, title } = aboveFold(await talk.askFor(await fillIn(line, talk)));
        const fields = blocks.flatMap((block) => (block.kind === "fields" ? block.fields : []));
        const absent = fields.filter(({ value }) => /^(?:–|none|never|no|)$/u.test(plainText(value)));
        const length = plainLines({ title, blocks: blocks.filter(({ kind }) => kind !== "table") }).join("\n").length;
        if (fields.length > MAX_FACTS) wrong.push(`${line}: ${fields.length} facts`);
        if (absent.length > 0)
          wrong.push(`${line}: ${absent.map(({ name }) => plainText(name)).join()} without a value`);
        if (length > MAX_CHARACTERS) wrong.push(`${line}: ${length} characters`);
        if (plainText(title) === "") wrong.push(`${line}: no headline`);
      }
      expect(wrong).toEqual([]);
    },
  );
});

test("each row of a table has its action, which is a line that the bot takes", async () => {
  const talk = await talkToSimulator();
  let rowActions = 0;
  for (const { line } of COMMONEST) {
    const reply = await talk.askFor(await fillIn(line, talk));
    for (const block of reply.blocks) {
      if (block.kind !== "table" || block.rowAction === undefined) continue;
      rowActions += 1;
      expect(block.rowAction.invocations).toHaveLength(block.rows.length);
      for (const ask of block.rowAction.invocations) {
        expect(parseLine(formatLine(ask), talk.bot.commands, NOON)).toMatchObject({ command: ask.command });
      }
    }
  }
  expect(rowActions).toBeGreaterThan(1);
});

test("fields: the first six with a value are facts, and none is lost", () => {
  const given = fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.option(fc.string(), { nil: undefined })));
  fc.assert(
    fc.property(given, (pairs) => {
      const fields = pairs.map(([name, value]) => field(name, value));
      const blocks = facts(fields);
      const above = blocks.flatMap((block) => (block.kind === "fields" && !("detail" in block) ? block.fields : []));
      const all = blocks.flatMap((block) => (block.kind === "fields" ? block.fields : []));
      const known = fields.filter(({ value }) => plainText(value) !== "–");
      expect(above).toEqual(known.slice(0, MAX_FACTS));
      expect(new Set(all)).toEqual(new Set(fields));
    }),
  );
});

/** The plainest way to lay out what is above the fold: the headline, then each fact, item and row in a line. */
function plainLines(reply: Pick<Reply, "title" | "blocks">): string[] {
  const { title, blocks } = aboveFold({ tone: "neutral", actions: [], attachments: [], ...reply });
  return [plainText(title), ...blocks.flatMap(linesOf)];
}

function linesOf(block: Block): string[] {
  switch (block.kind) {
    case "paragraph":
      return [plainText(block.text)];
    case "fields":
      return block.fields.map(({ name, value }) => `${plainText(name)}: ${plainText(value)}`);
    case "list":
      return block.items.map(plainText);
    case "table":
      return block.rows.map((row) =>
        row
          .filter((_, at) => (block.columns[at]?.priority ?? 1) === 1)
          .map(plainText)
          .join(" · "),
      );
    case "code":
      return [block.text];
    case "chart":
      return [block.alt];
  }
}
