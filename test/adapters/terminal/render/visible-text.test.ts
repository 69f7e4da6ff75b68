import stringWidth from "string-width";
import { describe, expect, test } from "vitest";

import { isPlain, visibleText } from "../../../../src/adapters/terminal/render/visible-text.ts";

describe("control characters are shown instead of acting", () => {
  test.each([
    ["colours", "\u001B[31mred\u001B[0m", "␛[31mred␛[0m"],
    ["a window's title", "\u001B]0;x\u0007", "␛]0;x␇"],
    ["one-byte control sequences", "\u009B2J", "<U+009B>2J"],
    ["nothing and delete", "\u0000\u007F", "␀␡"],
    ["a lone carriage return", "12\r99", "12␍99"],
    ["a tab", "a\tb", "a  b"],
    ["text turned around", "\u202Egnp.exe\u202C", "<U+202E>gnp.exe<U+202C>"],
    ["isolates and marks of direction", "\u2066a\u2069\u200F\u061C", "<U+2066>a<U+2069><U+200F><U+061C>"],
    ["what takes no room", "a\u200Bb\u2060c\uFEFF\u00AD", "a<U+200B>b<U+2060>c<U+FEFF><U+00AD>"],
    ["a joiner that joins nothing", "a\u200Db", "a<U+200D>b"],
    ["what looks like space and is a letter", "\u3164", "<U+3164>"],
    ["tags", "\u{E0041}", "<U+E0041>"],
    ["half a character", "\uD83D \uDE00", "<U+D83D> <U+DE00>"],
    ["other line breaks", "\u0085\u2028\u2029", "<U+0085><U+2028><U+2029>"],
    ["a tower of marks", `e${"\u0301".repeat(6)}`, `e${"\u0301".repeat(4)}<U+0301><U+0301>`],
    ["a mark without a letter", "\u0301x \u20E3", "◌\u0301x ◌\u20E3"],
  ])("%s", (_what, data, shown) => {
    expect(visibleText(data)).toBe(shown);
  });
});

test.each(["plain", "é e\u0301", "東京", "עברית عربى", "👩‍👩‍👧‍👦 🇩🇪 1️⃣ 👍🏽", "क्‍ष", "–…•"])(
  "what harms nobody stays as it is: %s",
  (data) => {
    expect(visibleText(data)).toBe(data);
  },
);

test("line breaks stay where they may, and are shown where they may not", () => {
  expect(visibleText("a\r\nb\nc", "keep")).toBe("a\nb\nc");
  expect(visibleText("a\r\nb\nc")).toBe("a␤b␤c");
});

test("what counts as plain is one column wide and comes back as it is", () => {
  const plain = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code)).filter(isPlain);
  expect(plain).toHaveLength(95 + 1 + 24);
  for (const character of plain) expect([stringWidth(character), visibleText(character)]).toEqual([1, character]);
  expect(isPlain(plain.join(""))).toBe(true);
  expect(isPlain(`${plain.join("")}\n`)).toBe(false);
});
