import { expect, test } from "vitest";

import { h, type VNode } from "../../src/adapters/web/public/vnode/vnode.js";
import { fitColumns } from "./fit-columns.ts";
import { linesRead } from "./read.ts";

const cells = (tag: "td" | "th", words: readonly string[], from = 1): VNode =>
  h("tr", {}, ...words.map((word, at) => h(tag, tag === "th" ? { "data-priority": String(at + from) } : {}, word)));
const table = (first: readonly string[], second: readonly string[]): VNode =>
  h(
    "section",
    { "data-table": "0" },
    h("table", {}, h("thead", {}, cells("th", first)), h("tbody", {}, cells("td", second))),
    h("button", { "data-columns": true, hidden: true }, "Show all columns"),
  );

test.each<[string, VNode, readonly string[]]>([
  ["words are broken at blanks", h("p", {}, "one two three four five"), ["one two three", "four five"]],
  ["a word without blanks goes on below", h("p", {}, "1".repeat(20)), ["1".repeat(15), "11111"]],
  ["elements within a line run on", h("p", {}, "at ", h("strong", {}, "12"), " %"), ["at 12 %"]],
  ["blocks begin lines", h("div", {}, "a", h("div", {}, "b"), "c"), ["a", "b", "c"]],
  ["an empty line of a terminal is one", h("pre", {}, "a\n\nb"), ["a", "", "b"]],
  [
    "hidden and folded parts are not read",
    h("div", {}, h("p", { hidden: true }, "a"), h("details", {}, h("summary", {}, "More"), h("p", {}, "b"))),
    ["More"],
  ],
  [
    "an id is read by its ends",
    h("p", {}, h("code", { class: "short" }, "ab…yz"), h("code", { class: "whole" }, "abcxyz")),
    ["ab…yz"],
  ],
  [
    "the name of the app is no line of the message",
    h("article", {}, h("header", {}, h("b", {}, "Bellwether"), h("span", { class: "app" }, "APP")), h("p", {}, "a")),
    ["a"],
  ],
  [
    "a button beside a text takes its room",
    h("div", { class: "beside" }, h("div", {}, "one two three"), h("button", {}, "Go")),
    ["one two  Go", "three"],
  ],
  [
    "rows are cut at the edge",
    table(["Market", "Mark"], ["BTC/USDT", "103,924"]),
    ["Market    Mark", "BTC/USDT  103,9"],
  ],
])("%s", (_what, node, lines) => {
  expect(linesRead(node, 15)).toEqual(lines);
});

test("columns without room are left out and offered, the least important ones first", () => {
  const wide = table(["Name", "Figure", "Remark"], ["a".repeat(12), "1".repeat(12), "b".repeat(12)]);
  const read = (pixels: number): readonly string[] => linesRead(fitColumns(wide, pixels), 80);
  expect(read(600)).toEqual(["Name          Figure        Remark", "aaaaaaaaaaaa  111111111111  bbbbbbbbbbbb"]);
  expect(read(300)).toEqual(["Name          Figure", "aaaaaaaaaaaa  111111111111", "Show all columns"]);
  expect(read(200)).toEqual(["Name", "aaaaaaaaaaaa", "Show all columns"]);
});
