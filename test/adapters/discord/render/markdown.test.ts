import { describe, expect, test } from "vitest";

import { decodePress, encodePress } from "../../../../src/adapters/discord/render/press.ts";
import { parsePressPayload, type Press, pressPayload } from "../../../../src/adapters/chat/press.ts";
import {
  escapeMarkdown,
  inlineCode,
  insideFence,
  linkTarget,
  renderText,
} from "../../../../src/adapters/discord/render/markdown.ts";
import { oneLine } from "../../../../src/reply/plain-text.ts";
import { named } from "../../../../src/reply/text.ts";
import { markdownNodes } from "../judge.ts";

describe("data stays text", () => {
  test.each([
    ["@everyone"],
    ["@here"],
    ["<@123456789012345678>"],
    ["<@&123456789012345678>"],
    ["<#123456789012345678>"],
    ["</time:123456789012345678>"],
    ["<t:1700000000:R>"],
    ["<:name:123456789012345678>"],
    ["[safe](https://evil.example)"],
    ["https://evil.example/@everyone"],
    ["**bold** __under__ ~~gone~~ ||spoiler|| `code`"],
    ["# heading"],
    ["-# small"],
    ["> quote"],
    ["```js\nalert(1)\n```"],
  ])("%s", (given) => {
    const nodes = markdownNodes(escapeMarkdown(oneLine(given)));
    expect(nodes.filter((node) => node.type !== "text" && node.type !== "br")).toEqual([]);
  });
});

test.each([
  [named("channel", "discord", "123456789012345678"), "<#123456789012345678>"],
  [named("role", "discord", "123456789012345678"), "<@&123456789012345678>"],
  [named("channel", "slack", "C0123456789"), "`C0123456789`"],
  [named("channel", "discord", "1> @everyone"), "`1> @everyone`"],
  [named("role", "discord", "user:123456789012345678"), "`user:123456789012345678`"],
])("a place of Discord has its name, and any other its id", (place, markup) => {
  expect(renderText([place]).markdown).toBe(markup);
  // What does not fit is left out: a part of an id names nothing.
  expect(renderText([place], { max: 12 }).markdown).not.toContain("<");
});

test("code cannot be escaped from: backticks inside take a longer fence or a look-alike", () => {
  expect([inlineCode("a"), inlineCode("a`b"), inlineCode("`a`"), inlineCode("a```b"), inlineCode(" ")]).toEqual([
    "`a`",
    "``a`b``",
    "`` `a` ``",
    "`a\u2035\u2035\u2035b`",
    "",
  ]);
  expect(insideFence("`````")).not.toContain("```");
});

test("the address of a link cannot end early", () => {
  expect(linkTarget("https://example.net/a(b) c")).toBe("https://example.net/a%28b%29%20c");
});

describe("a button's press", () => {
  const asker = "123456789012345678";
  test.each<[string, Press]>([
    [
      "a page",
      {
        kind: "ask",
        ask: { command: "snapshots", options: { first: 20, after: "bGFzdA==" } },
        effect: "replace",
        asker,
      },
    ],
    [
      "a flag",
      { kind: "ask", ask: { command: "time", options: { private: true } }, effect: "reply", asker: undefined },
    ],
    [
      "a question first",
      { kind: "ask", ask: { command: "my forget", options: {} }, effect: "replace", asker, confirm: "Sure?" },
    ],
    ["an id", { kind: "ids", ids: [{ name: "Market", value: "ab".repeat(32) }] }],
  ])("of %s comes back from its custom_id", (_what, press) => {
    expect(decodePress(encodePress(press, 3) ?? "")).toEqual(press);
  });

  test("that does not fit goes into the store and comes back", () => {
    const press: Press = {
      kind: "ask",
      ask: { command: "order", options: { id: "ab".repeat(64) } },
      effect: "replace",
      asker,
    };
    expect(encodePress(press, 0)).toBeUndefined();
    expect(parsePressPayload(JSON.parse(JSON.stringify(pressPayload(press))))).toEqual(press);
  });

  test.each(["", "0a0:1", "2s0:", "1s0:", "1a0:{", "1a0:1,2,3,4", "hello", "1i0:1", '1a0:1,0,"x",{"a":{}}'])(
    "of another make is not understood: %s",
    (customId) => {
      expect(decodePress(customId)).toBeUndefined();
    },
  );
});
