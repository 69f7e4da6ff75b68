import { tmpdir } from "node:os";

// How the golden files of `toMatchSnapshot` show texts: one a line, and without what differs from run to run.

const CHANGING: readonly (readonly [RegExp, string])[] = [
  [new RegExp(String.raw`${RegExp.escape(tmpdir())}/bellwether-(?:[\w-]*-)?\w{6}(?![\w-])`, "gu"), "<folder>"],
  [/\b127\.0\.0\.1:\d+/gu, "<address>"],
  [/\b(process|port|Port) \d+/gu, "$1 <n>"],
  [/\b\d+ ms\b/gu, "<n> ms"],
];

const wordsOf = (value: unknown): unknown => (value instanceof Error ? value.message : value);

export default {
  test: (value: unknown): boolean =>
    [value].flat().every((one) => typeof wordsOf(one) === "string") && (!Array.isArray(value) || value.length > 0),
  serialize: (value: unknown): string =>
    CHANGING.reduce((text, [what, name]) => text.replaceAll(what, name), [value].flat().map(wordsOf).join("\n")),
};
