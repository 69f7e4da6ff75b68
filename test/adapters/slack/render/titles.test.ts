import { expect, test } from "vitest";

import { renderSlack } from "../../../../src/adapters/slack/render/render.ts";
import type { Block } from "../../../../src/reply/block.ts";
import { reply } from "../../../../src/reply/reply.ts";
import { clockTime, text, time } from "../../../../src/reply/text.ts";
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

const at = fromSeconds(1_767_225_601n);

test.each([
  ["a moment", text`Lost since ${time(at)}`, "*Lost since* <!date^1767225601^{date_short_pretty} {time_secs}|"],
  ["a time of day", text`Lost since ${clockTime(at, "00:00 UTC")}`, "*Lost since* <!date^1767225601^{time_secs}|"],
])("a title with %s is in bold, its time the reader's, and the notification has it in UTC", (_what, title, shown) => {
  const { blocks, text: notification } = renderSlack(reply({ title }), { now: 1_767_229_200_000 });
  expect(blocks[0]).toMatchObject({ type: "section", text: { text: expect.stringContaining(shown) } });
  expect(notification).toMatch(/^Lost since 00:00(?::01)? UTC$/u);
});
