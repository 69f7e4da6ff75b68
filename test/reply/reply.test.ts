import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { memoryAttachment, safeFileName } from "../../src/reply/reply.ts";
import { tableToCsv } from "../../src/reply/csv.ts";
import { ReplyJson } from "../../src/reply/document.ts";
import { replyFromJson, replyToJson } from "../../src/reply/json.ts";
import { oneLine, plainText } from "../../src/reply/plain-text.ts";
import { code, id, link, shortenId, strong, text, time, toText } from "../../src/reply/text.ts";
import { nanoseconds } from "../../src/units/time.ts";
import { anyReply } from "../support/arbitrary-reply.ts";

describe("text", () => {
  test("makes one run of words and plain values side by side, and nothing of what is undefined", () => {
    expect(text`Mark ${strong("1")} of ${"*x*"}${undefined}, ${text`block ${7n} at ${code("a")}`}.`).toEqual([
      { kind: "text", text: "Mark " },
      { kind: "strong", text: "1" },
      { kind: "text", text: " of *x*, block 7 at " },
      { kind: "code", text: "a" },
      { kind: "text", text: "." },
    ]);
    const at = nanoseconds(1_700_000_000_000_000_000n);
    expect(plainText(text`${code("a")} ${id("b")} ${time(at)} ${link("c", "https://example.org/")} ${2n ** 64n}`)).toBe(
      "a b 2023-11-14 22:13:20 UTC c (https://example.org/) 18446744073709551616",
    );
  });

  test.each(["javascript:alert(1)", "data:text/html,x", "//evil.example", "https:", "file:///etc/passwd"])(
    "%s never becomes a link",
    (url) => {
      expect(link("click", url)).toEqual({ kind: "text", text: "click" });
    },
  );

  test("shortens only what is long", () => {
    expect(shortenId("abcd")).toBe("abcd");
    expect(shortenId("0123456789abcdef0123456789abcdef")).toBe("01234567…cdef");
  });
});

test.each([
  ["a \n \n b\r\nc", "a b c"],
  ["a  b", "a  b"],
  // Read once: a node's text may be as long as its whole answer.
  [`${" ".repeat(200_000)}a\n`, `${" ".repeat(200_000)}a `],
])("lines become one, case %#", (plain, line) => {
  expect(oneLine(plain)).toBe(line);
});

describe("a table as CSV", () => {
  const table = (cells: string[][]) => ({
    columns: (cells[0] ?? []).map((title) => ({ title })),
    rows: cells.slice(1).map((row) => row.map((cell) => toText(cell))),
  });

  test("can be read back by somebody else's parser", () => {
    const cell = fc.string({ unit: "grapheme" }).filter((value) => value !== "–" && !/^[=+\-@\t\r]/u.test(value));
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { minLength: 2, maxLength: 6 }), (cells) => {
        const wanted = cells.map((row) => [...row]);
        // A lone CR or LF at either end of a quoted cell is data, too.
        expect(parse(tableToCsv(table(wanted)), { relax_column_count: true, record_delimiter: "\n" })).toEqual(wanted);
      }),
    );
  });

  test("has plain numbers in its columns of numbers, percent in their headers, and nothing for a dash", () => {
    const columns = [
      { title: "Market" },
      { title: "Mark", align: "right" as const },
      { title: "Share", align: "right" as const },
      { title: "Stake", align: "right" as const },
    ];
    const rows = [
      ["1,000", "1,514.52", "6.70 %", "-1,234,567.000000000000000001 USDT"],
      ["–", "12", "-0.02 % outside", "1000000000 raw"],
      ["a – b", "none", "–", "1,2345"],
      ["50 %", "–", "", "+1,000"],
    ].map((row) => row.map((cell) => toText(cell)));
    expect(tableToCsv({ columns, rows })).toBe(
      [
        "Market,Mark,Share (%),Stake",
        '"1,000",1514.52,6.70,\'-1234567.000000000000000001 USDT',
        ",12,'-0.02 outside,1000000000 raw",
        'a – b,none,,"1,2345"',
        "50 %,,,+1000",
        "",
      ].join("\n"),
    );
  });

  test("gives a spreadsheet no formula to run, and leaves numbers alone", () => {
    expect(tableToCsv(table([["a"], ["=1+1"], ["-5"], ["-5+cmd"], ["@x"], ["+1,000.5"]]))).toBe(
      "a\n'=1+1\n-5\n'-5+cmd\n'@x\n\"+1,000.5\"\n",
    );
  });
});

describe("a reply as JSON", () => {
  test("comes back as it was, whatever it holds", () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        const wire: unknown = JSON.parse(JSON.stringify(replyToJson(reply)));
        const again = replyFromJson(ReplyJson.parse(wire), (file) => ({
          ...memoryAttachment(file.name, file.mediaType, ""),
          ...file,
        }));
        expect(again.blocks).toEqual(reply.blocks);
        expect(again.title).toEqual(reply.title);
        expect(again.footer).toEqual(reply.footer);
        expect(again.actions).toEqual(reply.actions);
        expect(again.attachments.map((file) => file.sha256)).toEqual(reply.attachments.map((file) => file.sha256));
      }),
    );
  });
});

test.each([
  ["ledger.csv", "ledger.csv"],
  ["../../etc/passwd", "etc-passwd"],
  ["..", "file"],
  ["a b\u0000c", "a-b-c"],
  ["", "file"],
  ["x".repeat(300), "x".repeat(120)],
])("the file name %j becomes %j", (given, safe) => {
  expect(safeFileName(given)).toBe(safe);
});
