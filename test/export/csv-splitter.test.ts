import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { CsvSplitter, fieldText, MalformedCsv } from "../../src/export/csv-splitter.ts";
import { saying } from "../support/said.ts";
import { cell, chunkings, quoteAsNeeded, quoted } from "./ledger-csv.ts";

function split(chunks: readonly Buffer[]): string[][] {
  const records: string[][] = [];
  const splitter = new CsvSplitter((record) => {
    records.push(Array.from({ length: record.fieldCount }, (_, field) => fieldText(record, field)));
  });
  for (const chunk of chunks) {
    // Overwritten after each call: keeping some of it would show.
    const reused = Buffer.from(chunk);
    splitter.push(reused);
    reused.fill("#");
  }
  splitter.end();
  return records;
}

const splitText = (text: string): string[][] => split([Buffer.from(text)]);

describe("CsvSplitter", () => {
  const many = Array.from({ length: 300 }, (_, field) => String(field));
  test.each([
    ["nothing", "", []],
    ["one row without an end", "a,b", [["a", "b"]]],
    [
      "LF",
      "a,b\nc,d\n",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      "CRLF",
      "a,b\r\nc,d\r\n",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      "empty fields",
      ",,\n,\n",
      [
        ["", "", ""],
        ["", ""],
      ],
    ],
    ["empty quoted fields", '"",""\n', [["", ""]]],
    ["a quoted comma and a quoted line end", '"a,b","c\nd"\n', [["a,b", "c\nd"]]],
    ["doubled quotes", '"say ""hi""",""""\n', [['say "hi"', '"']]],
    ["a blank line", "a\n\nb\n", [["a"], [""], ["b"]]],
    ["a byte order mark before a quoted field", '\uFEFF"a",b\r\n"c"\r\n', [["a", "b"], ["c"]]],
    ["many fields", `${many.join(",")}\n${many.join(",")}\n`, [many, many]],
    ["many fields, one in quotes", `"0",${many.slice(1).join(",")}\n`, [many]],
    ["a carriage return inside a field", "a\rb,c\n", [["a\rb", "c"]]],
  ])("%s", (_name, text, expected) => {
    expect(splitText(text)).toEqual(expected);
    expect(split([...Buffer.from(text)].map((byte) => Buffer.from([byte])))).toEqual(expected);
  });

  test("splits as csv-parse does, however the bytes are cut", () => {
    const field = fc
      .tuple(cell, fc.boolean())
      .map(([value, always]) => (always ? quoted(value) : quoteAsNeeded(value)));
    const record = fc.array(field, { minLength: 2, maxLength: 80 });
    const file = fc
      .tuple(fc.array(record, { minLength: 1, maxLength: 8 }), fc.constantFrom("\n", "\r\n"), fc.boolean())
      .map(([records, lineEnd, ended]) => records.map((each) => each.join(",")).join(lineEnd) + (ended ? lineEnd : ""))
      .filter((text) => !text.startsWith("\uFEFF"));
    const cutFile = file.chain((text) => fc.tuple(fc.constant(text), chunkings(Buffer.from(text))));
    fc.assert(
      fc.property(cutFile, ([text, chunks]) => {
        const oracle = parse(text, {
          relax_column_count: true,
          record_delimiter: ["\r\n", "\n"],
        });
        expect(split(chunks)).toEqual(oracle);
      }),
    );
  });

  test("positions cover the bytes without a gap", () => {
    const bytes = Buffer.from('a,"b\n"\r\nc,d\ne');
    const seen: string[] = [];
    const splitter = new CsvSplitter((record) => seen.push(record.bytes.toString("utf8", record.start, record.next)));
    splitter.push(bytes.subarray(0, 4));
    splitter.push(bytes.subarray(4));
    splitter.end();
    expect(seen).toEqual(['a,"b\n"\r\n', "c,d\n", "e"]);
  });

  test.each([32_766, 32_767, 32_768, 32_769, 70_000])(
    "a chunk of many rows is split wherever its rows end, here after %d bytes",
    (length) => {
      const first = ["a", "b".repeat(length - 2)];
      const others = Array.from({ length: 3000 }, (_, row) => [String(row), "x".repeat(row % 40)]);
      const lines = (rows: readonly string[][]): string => rows.map((fields) => `${fields.join(",")}\n`).join("");
      expect(splitText(lines([first, ...others]))).toEqual([first, ...others]);
      const quotedField = `\n"${"y,\n".repeat(12_000)}`;
      const text = `${lines([first])}1,${quoted(quotedField)}\n${lines(others)}`;
      expect(splitText(text)).toEqual([first, ["1", quotedField], ...others]);
    },
  );

  test("a row that goes on over a long chunk without an end is one row", () => {
    const middle = "x".repeat(40 * 1024);
    const chunks = ["a,b", middle, "y\n1,2\n"].map((text) => Buffer.from(text));
    expect(split(chunks)).toEqual([
      ["a", `b${middle}y`],
      ["1", "2"],
    ]);
  });

  test("what is scanned at once begins with a row, so that no chunk is copied", () => {
    const carried: boolean[] = [];
    const bytes = Buffer.from("abc,de\n".repeat(10_000));
    const splitter = new CsvSplitter((record) => carried.push(record.bytes.buffer !== bytes.buffer));
    splitter.push(bytes);
    expect([carried.length, carried.includes(true)]).toEqual([10_000, false]);
  });

  test.each([
    ["a bare quote", 'a,b\n\n1,2"3\n', /^row 1 has a bare quote in column 2$/u],
    ["a bare quote at the end of a field", 'a,b\n1,2\n3",4\n', /^row 2 has a bare quote in column 1$/u],
    ["a bare quote in the header", 'a,b"\n', /^its header has a bare quote in column 2$/u],
    ["text behind a closing quote", 'a,b\n1,"2"3\n', /^row 1 has text behind the closing quote of column 2$/u],
    ["a blank behind a closing quote", 'a,b\n"1" ,2\n', /^row 1 has text behind the closing quote of column 1$/u],
    ["a carriage return and text", 'a,b\n1,"2"\r3\n', /^row 1 has text behind/u],
    ["a quote after a mark that is not at the beginning", 'a\n\uFEFF"b"\n', /^row 1 has a bare quote in column 1$/u],
  ])("%s is no CSV, wherever the bytes are cut", (_name, text, said) => {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 1) {
      const cut = (): unknown => split([bytes.subarray(0, at), bytes.subarray(at)]);
      expect(cut).toThrow(MalformedCsv);
      expect(cut).toThrow(said);
    }
  });

  test("a quote that is never closed is no CSV", () => {
    expect(() => splitText('a,"b\nc,d\n')).toThrow(MalformedCsv);
  });

  test("a row without an end is refused at a bound", () => {
    const splitter = new CsvSplitter(() => undefined);
    const piece = Buffer.alloc(64 * 1024, "x");
    expect(() => {
      for (let count = 0; count < 10; count += 1) splitter.push(piece);
    }).toThrow(saying(262_144));
  });
});
