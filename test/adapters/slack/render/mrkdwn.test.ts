import { expect, test } from "vitest";

import {
  escapeMrkdwn,
  inlineCode,
  insideFence,
  linkMarkup,
  renderText,
} from "../../../../src/adapters/slack/render/mrkdwn.ts";
import { named } from "../../../../src/reply/text.ts";

/** Zero-width spaces are shown as ·, since they cannot be seen. */
const shown = (markup: string): string => markup.replaceAll("\u200B", "·");

test.each([
  ["<!channel> <@U1> <http://a.b|c>", "&lt;!channel&gt; &lt;@U1&gt; &lt;http://a.b|c&gt;"],
  ["&lt;!here&gt;", "&amp;lt;!here&amp;gt;"],
  ["*bold* _italic_ ~struck~ `code`", "∗bold∗ ＿italic＿ ∼struck∼ ˋcodeˋ"],
  ["snake_case a*b*c 2 * 3 ~ 4", "snake_case a*b*c 2 * 3 ~ 4"],
  ["(*bold*), “_x_”", "(∗bold∗), “＿x＿”"],
  ["> quoted\n> again", "·&gt; quoted\n·&gt; again"],
  ["• one\n- two\n3. three", "·• one\n·- two\n·3. three"],
  ["a > b, 3. of May", "a &gt; b, 3. of May"],
  [":tada: :+1: :100: at 12:30:45", ":·tada: :·+1: :·100: at 12:30:45"],
])("%s is %s as mrkdwn", (plain, markup) => {
  expect(shown(escapeMrkdwn(plain))).toBe(markup);
});

test("a long word behind a colon is read once", () => {
  const plain = `:${"a".repeat(200_000)}!`;
  expect(escapeMrkdwn(plain)).toBe(plain);
});

test.each([
  ["a`b", "`aˋb`"],
  ["<@U1>", "`&lt;@U1&gt;`"],
  [" ", " "],
])("%s is %s as code", (plain, markup) => {
  expect(inlineCode(plain)).toBe(markup);
});

test.each([
  [named("channel", "slack", "C0123456789"), "<#C0123456789>"],
  [named("channel", "slack", "C1|x> <!here>"), "`C1|x&gt; &lt;!here&gt;`"],
  // It would notify its members.
  [named("role", "slack", "S0123456789"), "`S0123456789`"],
  [named("channel", "discord", "123456789012345678"), "`123456789012345678`"],
])("a channel of Slack has its name, and anything else its id", (place, markup) => {
  expect(renderText([place], { max: 100 }).mrkdwn).toBe(markup);
  expect(renderText([place], { max: 9 }).mrkdwn).not.toContain("<");
});

test("a fence is not ended by what stands in it", () => {
  expect(insideFence("```\n<!here>")).toBe("ˋˋˋ\n&lt;!here&gt;");
});

test.each([
  ["docs", "https://example.net/?a=1&b=2", "<https://example.net/?a=1&amp;b=2|docs>"],
  ["a|b > c", "https://example.net/", "<https://example.net/|a∣b &gt; c>"],
  ["*b* `c`", "https://example.net/", "<https://example.net/|·*b·* ·`c·`>"],
  ["x", 'https://example.net/<|> `"', "<https://example.net/%3C%7C%3E%20%60%22|x>"],
])("a link says %s and leads to %s", (label, url, markup) => {
  expect(shown(linkMarkup(label, url))).toBe(markup);
});
