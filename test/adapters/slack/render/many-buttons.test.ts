import { expect, test } from "vitest";

import { renderSlack } from "../../../../src/adapters/slack/render/render.ts";
import { type Action, reply } from "../../../../src/reply/reply.ts";
import { charactersIn, judgeMessage } from "../../../support/fake-slack/judge.ts";

const link = (length: number): Action => ({ label: "See", url: `https://example.net/${"x".repeat(length)}` });
const ask = (length: number): Action => ({
  label: "Run",
  invocation: { command: "market show", options: { market: "m".repeat(length) } },
  effect: "reply",
  confirm: "Really? ".repeat(50),
});

test.each<[string, readonly Action[]]>([
  ["links as long as a button takes", Array.from({ length: 12 }, () => link(2900))],
  ["presses as long as a button takes, each of which asks first", Array.from({ length: 25 }, () => ask(480))],
  ["both", Array.from({ length: 25 }, (_, index) => (index % 2 === 0 ? link(1200) : ask(480)))],
])("many buttons stay below a whole message's limit: %s", (_what, actions) => {
  const given = reply({
    title: "Title",
    url: `https://example.net/${"t".repeat(1400)}`,
    blocks: [{ kind: "paragraph", text: [{ kind: "text", text: "word ".repeat(3000) }] }],
    footer: "f".repeat(900),
    actions,
  });
  const message = renderSlack(given, {
    asker: "U1",
    ask: { command: "market list", options: { network: "n".repeat(480) } },
    shareable: true,
  });
  expect(judgeMessage(message)).toEqual([]);
  expect(charactersIn(message.blocks)).toBeLessThan(10_000);
  // What is no button is said in words, or in the file that holds the whole reply.
  expect(message.files.map(({ name }) => name)).toContain("whole-reply.txt");
});

test("a press whose value does not fit is stored, and remains a button", () => {
  const { blocks, unstored } = renderSlack(reply({ title: "Title", actions: [link(2400), link(1355), ask(515)] }), {
    asker: "U1",
  });
  const [row] = blocks.filter((block) => block.type === "actions");
  expect(row?.elements).toHaveLength(3);
  const stored = [...unstored.values()].map((press) => press.kind === "ask" && press.ask.options["market"]);
  expect(stored).toEqual(["m".repeat(515)]);
});
