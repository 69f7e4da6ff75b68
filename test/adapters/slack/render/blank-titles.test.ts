import { expect, test } from "vitest";

import { renderSlack } from "../../../../src/adapters/slack/render/render.ts";
import type { Block } from "../../../../src/reply/block.ts";
import { reply } from "../../../../src/reply/reply.ts";
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
