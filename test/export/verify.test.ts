import { hash } from "node:crypto";

import { beforeAll, describe, expect, test } from "vitest";

import type { LedgerAccount } from "../../src/export/ledger-account.ts";
import { readLedgerFile } from "../../src/export/verify/read-ledger-file.ts";
import { compareLedger, type KnownExport, verifyLedger } from "../../src/export/verify/verify.ts";
import { ASSET, COLUMNS_13, csv, OTHER_PARTY, PARTY, row, type Row } from "./ledger-csv.ts";
import { normalised } from "./normalised.ts";

const ROWS = [
  row({ vega_time: "2023-01-18 01:00:00+00", quantity: "18446744073709551616", later: "=1" }),
  row({ vega_time: "2023-01-18 01:00:01+00", quantity: "5", later: 'a "b", ü' }),
  row({ vega_time: "2023-01-18 01:00:02+00", quantity: "6", later: "-7" }),
];

function exported(rows: readonly Row[], columns?: readonly string[]): { text: string; account: LedgerAccount } {
  const sent = Buffer.from(csv([...COLUMNS_13, "later"], rows));
  const { text, written } = normalised([sent], columns === undefined ? { decimals: 6 } : { columns });
  const { flows, fingerprint, sizeBytes, sha256 } = written;
  return {
    text,
    account: {
      rows: written.rows,
      dropped: written.dropped,
      flows,
      outgoingOnly: false,
      raw: false,
      unit: {},
      endIsProven: true,
      sizeBytes,
      sha256,
      fingerprint,
    },
  };
}

/** In pieces that end anywhere. */
async function* pieces(text: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 13) yield Buffer.from(bytes.subarray(at, at + 13));
}

let FILE = "";
let ACCOUNT: LedgerAccount;
let HEADER = "";
let LINES: string[] = [];
beforeAll(() => {
  ({ text: FILE, account: ACCOUNT } = exported(ROWS));
  [HEADER = "", ...LINES] = FILE.trimEnd().split("\n");
});

const verdict = async (text: string, account: LedgerAccount = ACCOUNT) =>
  compareLedger(await readLedgerFile(pieces(text)), account);
const fileOf = (...lines: readonly string[]): string => [HEADER, ...lines, ""].join("\n");

describe("a file that is given back", () => {
  test.each([
    ["byte for byte", () => FILE, "same"],
    ["with CRLF", () => FILE.replaceAll("\n", "\r\n"), "rewritten"],
    ["with a byte order mark", () => `\uFEFF${FILE}`, "rewritten"],
    ["with a mark before a quoted name", () => `\uFEFF${FILE.replace("vega_time", '"vega_time"')}`, "rewritten"],
    ["without its last line end", () => FILE.trimEnd(), "rewritten"],
    ["with blank lines", () => FILE.replaceAll("\n", "\n\n"), "rewritten"],
    ["with quotes around a cell", () => FILE.replace(",5,-5,", ',"5",-5,'), "rewritten"],
    ["in another order", () => fileOf(...LINES.toReversed()), "reordered"],
  ])("%s", async (_name, textOf, kind) => {
    expect(await verdict(textOf())).toEqual({ kind });
  });

  test("with rows of one time in another order, by their bytes", async () => {
    const tied = exported(["7", "10", "9"].map((quantity) => row({ quantity, later: "ü" })));
    const [header = "", ...lines] = tied.text.trimEnd().split("\n");
    expect(lines.map((line) => line.split(",")[1])).toEqual(["10", "7", "9"]);
    for (const [first, second, third] of [
      [1, 0, 2],
      [2, 1, 0],
    ] as const) {
      const text = [header, lines[first], lines[second], lines[third], ""].join("\r\n");
      expect(await verdict(text, tied.account)).toEqual({ kind: "reordered" });
    }
  });

  test("in another order, and larger than what is sorted: that it is not sorted", async () => {
    const text = fileOf(...LINES.toReversed());
    const rowsBytes = Buffer.byteLength(text) - HEADER.length - 1;
    const within = async (bytes: number) => compareLedger(await readLedgerFile(pieces(text), bytes), ACCOUNT);
    expect(await within(rowsBytes)).toEqual({ kind: "reordered" });
    expect(await within(rowsBytes - 1)).toEqual({ kind: "differs", differences: [{ what: "order" }] });
  });

  test("in another order, without the times that would tell it: only that cells or order differ", async () => {
    const { text, account } = exported(ROWS, ["amount", "later"]);
    const [header = "", ...lines] = text.trimEnd().split("\n");
    const reversed = [header, ...lines.toReversed(), ""].join("\n");
    expect(await verdict(reversed, account)).toEqual({ kind: "differs", differences: [{ what: "cells" }] });
  });

  test("of an earlier version, whose rows of one time stood in the node's order: as far as its hash tells", async () => {
    const tied = exported(["7", "10"].map((quantity) => row({ quantity })));
    const [header = "", ...lines] = tied.text.trimEnd().split("\n");
    const earlier = [header, ...lines.toReversed(), ""].join("\n");
    const account = { ...tied.account, sha256: hash("sha256", earlier) };
    expect(await verdict(earlier, account)).toEqual({ kind: "same" });
    expect(await verdict(earlier.replaceAll("\n", "\r\n"), account)).toEqual({ kind: "rewritten" });
    expect(await verdict(tied.text, account)).toEqual({ kind: "differs", differences: [{ what: "cells" }] });
  });

  test("with a row less: the count and the sums", async () => {
    expect(await verdict(fileOf(...LINES.slice(1)))).toEqual({
      kind: "differs",
      differences: [
        { what: "rows", found: 2, expected: 3 },
        { what: "sum", column: "quantity", found: "11", expected: "18446744073709551627" },
        { what: "sum", column: "effect", found: "-11", expected: "-18446744073709551627" },
      ],
    });
  });

  test("with a cell changed: the sum, or that a cell differs", async () => {
    expect(await verdict(FILE.replace(",5,-5,", ",4,-5,"))).toEqual({
      kind: "differs",
      differences: [
        { what: "sum", column: "quantity", found: "18446744073709551626", expected: "18446744073709551627" },
      ],
    });
    expect(await verdict(FILE.replace(" ü", " u"))).toEqual({ kind: "differs", differences: [{ what: "cells" }] });
    expect(await verdict(FILE.replace("'=1", "=1"))).toEqual({ kind: "differs", differences: [{ what: "cells" }] });
  });

  test("rounded by a spreadsheet: the sum cannot be taken any more", async () => {
    expect(await verdict(FILE.replace(",18446744073709551616,", ",1.84467E+19,"))).toEqual({
      kind: "differs",
      differences: [{ what: "sum", column: "quantity", expected: "18446744073709551627" }],
    });
  });

  test("changed and in another order: both are said", async () => {
    expect(await verdict(fileOf(...LINES.toReversed()).replace(",5,-5,", ",4,-5,"))).toMatchObject({
      differences: [{ what: "sum" }, { what: "order" }],
    });
  });

  test("with a column less: the columns", async () => {
    const { account } = exported(ROWS, ["vega_time", "quantity"]);
    const { text } = exported(ROWS, ["quantity"]);
    expect(await verdict(text, account)).toEqual({
      kind: "differs",
      differences: [{ what: "columns", found: ["quantity"], expected: ["vega_time", "quantity"] }],
    });
  });

  test.each([
    ["no CSV", "a,b\n1\n"],
    ["a quote never closed", 'a,b\n1,"2\n'],
    ["nothing at all", ""],
  ])("%s: its bytes differ, no more", async (_name, text) => {
    const print = await readLedgerFile(pieces(text));
    expect(print.table).toBeUndefined();
    expect(compareLedger(print, ACCOUNT)).toEqual({ kind: "differs", differences: [{ what: "bytes" }] });
  });

  test.each([
    ["cut in the last row", () => FILE.slice(0, -8), 3],
    ["cut in the first row", () => FILE.slice(0, HEADER.length + 5), 1],
    ["with a cell too many", () => fileOf(LINES[0]!, `${LINES[1]!},`, LINES[2]!), 2],
    ["with all its rows and something behind them", () => `${FILE}garbage\n`, 4],
  ])("%s: the row from which on it is no ledger", async (_name, change, row) => {
    expect(await verdict(change())).toEqual({
      kind: "differs",
      differences: [{ what: "broken", row, why: expect.any(String) as string, expected: ROWS.length }],
    });
  });

  test("of a raw export there is its SHA-256, and the number of its rows", async () => {
    const { fingerprint: _, flows: __, ...raw } = { ...ACCOUNT, raw: true };
    expect(await verdict(FILE, raw)).toEqual({ kind: "same" });
    expect(await verdict(`${FILE}\n`, raw)).toEqual({ kind: "differs", differences: [{ what: "bytes" }] });
    expect(await verdict(fileOf(...LINES.slice(1)), raw)).toEqual({
      kind: "differs",
      differences: [{ what: "rows", found: 2, expected: 3 }],
    });
  });

  test("without a time, or with one that cannot be read, its order is not judged", async () => {
    const { text, account } = exported(ROWS, ["quantity"]);
    expect(await verdict(text.replace("5", "4"), account)).toMatchObject({ differences: [{ what: "sum" }] });
    const untimed = await readLedgerFile(pieces(text));
    for (const time of ["firstTime", "lastTime"]) expect(untimed.table).not.toHaveProperty(time);
    const [, first = "", ...rest] = FILE.trimEnd().split("\n");
    const { table } = await readLedgerFile(pieces(fileOf(first.replace("2023-01-18 01:00:00+00", "later"), ...rest)));
    expect(table?.sorted).toBe(true);
  });

  test("its size and its span are told, whatever its order", async () => {
    for (const text of [FILE, fileOf(...LINES.toReversed()), fileOf(LINES[1]!, LINES[2]!, LINES[0]!)]) {
      const { sizeBytes, table } = await readLedgerFile(pieces(text));
      expect([sizeBytes, table?.firstTime, table?.lastTime]).toEqual([
        Buffer.byteLength(FILE),
        "1674003600000000000",
        "1674003602000000000",
      ]);
    }
  });

  test.each([
    ["a bare quote", '5"', /row \d has a bare quote in column 15/u],
    ["text behind a closing quote", '"5" 6', /row \d has text behind the closing quote of column 15/u],
  ])("%s in a cell: the row and the column", async (_name, cell, why) => {
    const { text, account } = exported([row({ later: '5"' }), row({ later: '"5" 6' })]);
    const changed = text.replace(`"${cell.replaceAll('"', '""')}"`, cell);
    expect(await verdict(changed, account)).toMatchObject({
      kind: "differs",
      differences: [{ what: "broken", why: expect.stringMatching(why) as string }],
    });
  });

  test("a byte order mark that begins a row belongs to its first cell", async () => {
    const { text, account } = exported([row({ later: "\uFEFF1" })], ["later", "quantity"]);
    expect(await verdict(text.replaceAll("\n", "\r\n"), account)).toEqual({ kind: "rewritten" });
  });

  test("names of columns that look like formulas are recognised", async () => {
    const { text, account } = exported(ROWS.map((each) => ({ ...each, "=later": "1" })));
    expect(await verdict(text.replaceAll("\n", "\r\n"), account)).toEqual({ kind: "rewritten" });
    const sent = Buffer.from(csv([...COLUMNS_13, "=later", "'later", "2'=later"], [row({ "=later": "1" })]));
    const { text: file, written } = normalised([sent]);
    expect((await readLedgerFile(pieces(file))).table?.columns).toEqual(written.fingerprint.columns);
  });
});

describe("the export that a file comes from", () => {
  const stage = () => {
    const other = exported([row({ quantity: "9" }), row({ quantity: "8" })]);
    const raw = { ...exported([row({ quantity: "1" })]).account, sha256: "ab".repeat(32) };
    return { other, known: [{ account: raw }, { account: other.account }, { account: ACCOUNT }] };
  };

  test.each<[string, (other: string) => string, number, string]>([
    ["the same bytes", () => FILE, 2, "same"],
    ["the same rows", () => fileOf(...LINES.toReversed()), 2, "reordered"],
    ["as many rows", () => FILE.replace(",5,-5,", ",4,-4,"), 2, "differs"],
    ["the same sum", (other) => other.replace(",9,-9,", ",10,-10,").replace(",8,-8,", ",7,-7,"), 1, "differs"],
  ])("by %s", async (_name, textOf, place, kind) => {
    const { other, known } = stage();
    const found = verifyLedger(await readLedgerFile(pieces(textOf(other.text))), known);
    expect([known.indexOf(found!.known), found!.verdict.kind]).toEqual([place, kind]);
  });

  test("by the same sum alone, with the fewest differences", async () => {
    const { known } = stage();
    // Three rows, as ACCOUNT has, with the sums of the other.
    const text = exported(["4", "5", "8"].map((quantity) => row({ quantity }))).text;
    const found = verifyLedger(await readLedgerFile(pieces(text)), known.toReversed());
    expect(found).toMatchObject({
      known: known[1],
      verdict: { kind: "differs", differences: [{ what: "rows", found: 3, expected: 2 }] },
    });
  });

  test("saved by a spreadsheet: the one whose rows it had, not one of other columns or of unknown sums", async () => {
    const narrow = exported(ROWS, ["vega_time", "amount"]).account;
    const { fingerprint: _, flows: __, ...rest } = ACCOUNT;
    const known = [{ ...rest, raw: true, sha256: "ab".repeat(32) }, narrow, ACCOUNT].map((account) => ({ account }));
    const saved = FILE.replaceAll("18446744073709551616", "1.84467440737096E+19");
    for (const order of [known, known.toReversed()]) {
      const found = verifyLedger(await readLedgerFile(pieces(saved)), order);
      expect(found?.known.account).toBe(ACCOUNT);
      expect(found?.verdict).toMatchObject({
        differences: [
          { what: "sum", column: "quantity" },
          { what: "sum", column: "effect" },
        ],
      });
    }
  });

  test("by its span, where rows are missing and the columns are the same, or the party and the asset are known", async () => {
    const [first = "", , last = ""] = LINES;
    const spanned = { ...ACCOUNT, firstTime: "1674003600000000000", lastTime: "1674003602000000000" };
    const of = { partyId: PARTY, assetId: ASSET };
    const found = async (text: string, more: Partial<KnownExport>) =>
      verifyLedger(await readLedgerFile(pieces(text)), [{ account: spanned, ...more }])?.verdict;
    const without = (...columns: string[]): string =>
      exported(
        ROWS.slice(0, 2),
        COLUMNS_13.filter((name) => !columns.includes(name)),
      ).text;
    for (const text of [fileOf(first, last), fileOf(last), fileOf(first)]) {
      expect(await found(text, {})).toMatchObject({ kind: "differs" });
      expect(await found(text, { of })).toMatchObject({ kind: "differs" });
      expect(await found(text, { of: { ...of, partyId: "ab".repeat(32) } })).toBeUndefined();
      expect(await found(text, { of: { ...of, assetId: "ab".repeat(32) } })).toBeUndefined();
      const atFirst = await found(text, { account: { ...spanned, lastTime: "1674003600000000000" } });
      expect(atFirst?.kind).toBe(text === fileOf(first) ? "differs" : undefined);
      const atLast = await found(text, { account: { ...spanned, firstTime: "1674003602000000000" } });
      expect(atLast?.kind).toBe(text === fileOf(last) ? "differs" : undefined);
      expect(await found(text, { account: ACCOUNT, of })).toBeUndefined();
    }
    // Neither end is left.
    expect(await found(fileOf(LINES[1]!), {})).toBeUndefined();
    expect(await found(fileOf(LINES[1]!), { of })).toMatchObject({ kind: "differs" });
    expect(await found(without("quantity", "effect"), {})).toBeUndefined();
    expect(await found(without("quantity", "effect"), { of })).toMatchObject({ kind: "differs" });
    expect(await found(without("vega_time"), { of })).toBeUndefined();
    expect(await found(without("account_from_party_id", "account_to_party_id"), { of })).toBeUndefined();
  });

  test("by its rows, where no column tells the party; not where one names another in some row", async () => {
    const of = { partyId: PARTY, assetId: ASSET };
    const found = async (text: string) => verifyLedger(await readLedgerFile(pieces(text)), [{ account: ACCOUNT, of }]);
    expect(await found(exported(ROWS, ["vega_time", "later"]).text)).toMatchObject({ verdict: { kind: "differs" } });
    expect(await found(FILE.replace(PARTY, OTHER_PARTY))).toBeUndefined();
  });

  test("by one sum that is the same, where the other is not", async () => {
    const [first = "", second = ""] = LINES;
    const halved = fileOf(first, second.replace(",5,-5,", ",11,-5,"));
    expect(verifyLedger(await readLedgerFile(pieces(halved)), [{ account: ACCOUNT }])).toMatchObject({
      verdict: {
        differences: [
          { what: "rows", found: 2, expected: 3 },
          { what: "sum", column: "effect" },
        ],
      },
    });
  });

  test("with rows missing, of several that span it: the one with the fewest rows more", async () => {
    const long = exported([...ROWS, row({ vega_time: "2023-01-18 01:00:03+00" })]).account;
    const known = [ACCOUNT, long].map((account) => ({
      account: { ...account, firstTime: "1674003600000000000", lastTime: "1674003603000000000" },
    }));
    const print = await readLedgerFile(pieces(fileOf(LINES[0]!, LINES[1]!)));
    for (const order of [known, known.toReversed()]) expect(verifyLedger(print, order)?.known).toBe(known[0]);
  });

  test("one of the same columns, though one of others agrees in more", async () => {
    const narrow = exported(ROWS, ["vega_time", "quantity"]).account;
    const changed = FILE.replace(",5,-5,", ",4,-4,");
    for (const order of [
      [narrow, ACCOUNT],
      [ACCOUNT, narrow],
    ]) {
      const known = order.map((account) => ({ account }));
      expect(verifyLedger(await readLedgerFile(pieces(changed)), known)?.known.account).toBe(ACCOUNT);
    }
  });

  test("none, where nothing agrees", async () => {
    const { known } = stage();
    expect(verifyLedger(await readLedgerFile(pieces("quantity\n1\n2\n3\n4\n")), known)).toBeUndefined();
    expect(verifyLedger(await readLedgerFile(pieces("no,csv\n1\n")), known)).toBeUndefined();
    expect(verifyLedger(await readLedgerFile(pieces(FILE)), [])).toBeUndefined();
    const withoutSums = exported(ROWS, ["vega_time", "later"]).account;
    expect(verifyLedger(await readLedgerFile(pieces("a\n1\n")), [{ account: withoutSums }])).toBeUndefined();
    const sumOfNothing = exported([row({ account_to_party_id: PARTY })]).account;
    expect(verifyLedger(await readLedgerFile(pieces("a\n")), [{ account: sumOfNothing }])).toBeUndefined();
  });

  test("an empty export is no relative of anything but itself", async () => {
    const { text, account } = exported([]);
    expect(verifyLedger(await readLedgerFile(pieces("a\n")), [{ account }])).toBeUndefined();
    expect(verifyLedger(await readLedgerFile(pieces(text)), [{ account }])?.verdict).toEqual({ kind: "same" });
  });
});
