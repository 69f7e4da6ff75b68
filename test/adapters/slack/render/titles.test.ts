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

test("a title with a time is drawn in the reader's zone, as the fields below it are; a header would say UTC", () => {
  const at = fromSeconds(1_767_225_600n);
  const titleOf = (style: "absolute" | "utc"): string =>
    JSON.stringify(renderSlack(reply({ title: text`Silenced until ${time(at, style)}` }), {}).blocks[0]);
  expect(titleOf("absolute")).toMatch(/"section".*\*Silenced until\* <!date\^1767225600\^/u);
  expect(titleOf("utc")).toMatch(/"header".*Silenced until 2026-01-01 00:00:00 UTC/u);
});
