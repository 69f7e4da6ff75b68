import { expect, test } from "vitest";

import { renderSlack } from "../../../../src/adapters/slack/render/render.ts";
import type { Block } from "../../../../src/reply/block.ts";
import { reply } from "../../../../src/reply/reply.ts";
import { text, time } from "../../../../src/reply/text.ts";
import { fromSeconds } from "../../../../src/units/time.ts";
import { judgeMessage } from "../../../support/fake-slack/judge.ts";

const blank = [{ kind: "strong", text: "\r\n" }] as const;
const long = [{ kind: "text", text: "word ".repeat(700) }] as const;

test.each<Block>([
  { kind: "list", title: blank, items: [long] },
  { kind: "fields", title: blank, fields: [{ name: long, value: long }] },
  { kind: "table", title: blank, name: "nothing", columns: [], rows: [] },
])("a title of blanks takes no block of its own: $kind", (block) => {
  const message = renderSlack(reply({ title: "Title", blocks: [block] }), {});
  expect(judgeMessage(message)).toEqual([]);
});

test.each([
  ["the same day", 1_767_229_200_000, "00:00 UTC"],
  ["another day", 1_767_139_200_000, "2026-01-01 00:00 UTC"],
])("a title with a time is a header, which names UTC, seen on %s", (_when, now, shown) => {
  const title = text`Silenced until ${time(fromSeconds(1_767_225_600n))}`;
  expect(JSON.stringify(renderSlack(reply({ title }), { now }).blocks[0])).toMatch(
    new RegExp(`"header".*Silenced until ${shown}"`, "u"),
  );
});
