import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { buffer, text as textOf } from "node:stream/consumers";

import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { splitFile } from "../../src/export/split-file.ts";
import type { Attachment } from "../../src/reply/reply.ts";
import { cell, COLUMNS_12, COLUMNS_13, csv, FILE_COLUMNS, PARTY, row } from "./ledger-csv.ts";
import { modelEffect, modelFile, normalised } from "./normalised.ts";
import { runs } from "../support/runs.ts";

const stored = (content: string) => {
  const bytes = Buffer.from(content);
  return {
    open: (from = 0, to = bytes.length) =>
      Readable.from(
        bytes
          .subarray(from, to)
          .toString("latin1")
          .match(/[^]{1,7}/gu)
          ?.map((piece) => Buffer.from(piece, "latin1")) ?? [],
      ),
  };
};
const split = (content: string, maxBytes: number): Promise<readonly Attachment[]> =>
  splitFile(stored(content), { name: "SIMULATED-ledger.csv", mediaType: "text/csv" }, maxBytes);

describe("a file in parts", () => {
  test("numbered, each with the header, its size and its SHA-256", async () => {
    const parts = await split("a,b\n1,2\n3,4\n5,6\n", 12);
    expect(await Promise.all(parts.map((part) => textOf(part.open())))).toEqual(["a,b\n1,2\n3,4\n", "a,b\n5,6\n"]);
    expect(parts.map(({ name, sizeBytes, mediaType }) => [name, sizeBytes, mediaType])).toEqual([
      ["SIMULATED-ledger.part-1-of-2.csv", 12, "text/csv"],
      ["SIMULATED-ledger.part-2-of-2.csv", 8, "text/csv"],
    ]);
    expect(parts[1]!.sha256).toBe(createHash("sha256").update("a,b\n5,6\n").digest("hex"));
    await parts[0]!.dispose();
    expect(await textOf(parts[0]!.open())).toBe("a,b\n1,2\n3,4\n");
  });

  test.each([
    ["one that fits", "a\n1\n", 4, ["a\n1\n"]],
    ["a header alone", "a\n", 4, ["a\n"]],
    ["line ends inside quotes", 'a\n"1\n2"\n3\n', 8, ['a\n"1\n2"\n', "a\n3\n"]],
    ["CRLF", "a\r\n1\r\n2\r\n", 6, ["a\r\n1\r\n", "a\r\n2\r\n"]],
    ["no line end at the end", "a\n1\n2", 4, ["a\n1\n", "a\n2"]],
  ])("%s", async (_name, content, maxBytes, expected) => {
    const parts = await split(content, maxBytes);
    expect(await Promise.all(parts.map((part) => textOf(part.open())))).toEqual(expected);
  });

  test("a name at its longest is still told apart", async () => {
    const name = `${"x".repeat(116)}.csv`;
    const parts = await splitFile(stored("a\n1\n2\n"), { name, mediaType: "text/csv" }, 4);
    expect(parts.map((part) => part.name)).toEqual([1, 2].map((part) => `${"x".repeat(104)}.part-${part}-of-2.csv`));
    expect(parts.every((part) => part.name.length <= 120)).toBe(true);
  });

  test("a name that ends in no extension gets none", async () => {
    const parts = await splitFile(stored("a\n1\n"), { name: "ledger.v2", mediaType: "text/csv" }, 4);
    expect(parts.map((part) => part.name)).toEqual(["ledger.v2.part-1-of-1"]);
  });

  test("a row that fits into no part is refused", async () => {
    await expect(split("a,b\n1,2\n1234,5\n", 8)).rejects.toThrow(RangeError);
  });

  test("parsed, brought into one form, split and joined again, a ledger has the same rows and totals", async () => {
    const received = { account_from_party_id: "network", account_to_party_id: PARTY };
    const someRow = fc
      .record({
        vega_time: fc.integer({ min: 0, max: 59 }).map((at) => `2023-01-18 01:09:${String(at).padStart(2, "0")}+00`),
        quantity: fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String),
        transfer_type: cell.filter((type) => !/^\d{1,3}$/u.test(type)),
      })
      .chain((values) => fc.constantFrom(row(values), row({ ...values, ...received })));
    const input = fc.tuple(
      fc.array(someRow, { maxLength: 25 }),
      fc.constantFrom(COLUMNS_12, COLUMNS_13),
      fc.integer({ min: 1000, max: 4000 }),
    );
    await fc.assert(
      fc.asyncProperty(input, async ([rows, columns, maxBytes]) => {
        const sent = csv(columns, rows);
        const { text, written } = normalised([Buffer.from(sent)], { decimals: 6 }, 16_384);
        const parts = await split(text, maxBytes);
        const contents = await Promise.all(parts.map(async (part) => (await buffer(part.open())).toString()));
        expect(contents.every((content) => Buffer.byteLength(content) <= maxBytes)).toBe(true);
        expect(parts.map((part) => part.sha256)).toEqual(
          contents.map((content) => createHash("sha256").update(content).digest("hex")),
        );
        const joined = contents.flatMap((content) => parse<Record<string, string>>(content, { columns: true }));
        expect(csv(FILE_COLUMNS, joined)).toBe(modelFile(sent, { decimals: 6 }).text);
        const effects = rows.map(modelEffect);
        const sum = (some: readonly bigint[]): string => String(some.reduce((all, one) => all + one, 0n));
        expect(sum(joined.map((each) => BigInt(each["effect"]!)))).toBe(sum(effects));
        expect(sum(joined.map((each) => BigInt(each["amount"]!.replace(".", ""))))).toBe(sum(effects));
        expect(written.flows.total.out).toBe(sum(effects.filter((effect) => effect < 0n).map((effect) => -effect)));
        expect(written.fingerprint.sums["effect"]).toBe(sum(effects));
      }),
      runs(150),
    );
  });
});
