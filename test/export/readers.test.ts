import { execFileSync } from "node:child_process";
import { buffer } from "node:stream/consumers";

import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";

import { openSheet, shownIn, sumOf } from "../support/spreadsheet.ts";
import { exportFolder, request } from "./an-export.ts";
import { COLUMNS_12, COLUMNS_13, csv, FILE_COLUMNS, PARTY, row, type Row } from "./ledger-csv.ts";
import { ledgerNode } from "./ledger-node.ts";

// A finished file in the hands of readers that nobody here wrote, with their defaults.

const folder = exportFolder();

const LATER = ["=1+1", "-5", 'a "b", c', "line\nend", "Zürich 💱", "\tx", "007"];
const WRITTEN = ["'=1+1", "-5", 'a "b", c', "line\nend", "Zürich 💱", "'\tx", "007"];
const received = { account_from_party_id: "network", account_to_party_id: PARTY };
const rows = LATER.map((later, index) =>
  row({
    vega_time: `2023-01-18 01:09:5${index}+00`,
    quantity: `${10n ** BigInt(index * 11)}`,
    later,
    ...(index % 2 === 0 ? received : {}),
  }),
);

/** Python's csv, where there is a Python. */
function pythonRows(file: Buffer): Row[] {
  const script =
    "import csv,io,json,sys; print(json.dumps(list(csv.DictReader(io.TextIOWrapper(sys.stdin.buffer, encoding='utf-8', newline='')))))";
  return JSON.parse(execFileSync("python3", ["-c", script], { input: file, encoding: "utf8" })) as Row[];
}

const hasPython = (() => {
  try {
    return execFileSync("python3", ["-c", "import csv; print(1)"], { encoding: "utf8", stdio: "pipe" }) === "1\n";
  } catch {
    return false;
  }
})();

describe.each([
  ["13 columns", COLUMNS_13],
  ["12 columns", COLUMNS_12],
])("a file made of %s", (_name, columns) => {
  const made = async (sent = rows): Promise<{ file: Buffer; net: bigint }> => {
    await using node = await ledgerNode((_, into) => {
      into.writeHead(200, { "Content-Type": "text/csv" });
      into.end(csv([...columns, "later"], sent.toReversed()));
    });
    const { attachment } = await folder.exports().export(node.api, request({ unit: { symbol: "USDT", decimals: 18 } }));
    const file = await buffer(attachment.open());
    await attachment.dispose();
    return { file, net: sent.reduce((sum, each) => sum + BigInt(each["effect"]!), 0n) };
  };

  const agree = (read: readonly Row[], net: bigint): void => {
    expect(Object.keys(read[0]!)).toEqual([...FILE_COLUMNS, "later"]);
    expect(read.map((each) => each["quantity"])).toEqual(rows.map((each) => each["quantity"]));
    expect(read.map((each) => each["later"])).toEqual(WRITTEN);
    expect(read.reduce((sum, each) => sum + BigInt(each["effect"]!), 0n)).toBe(net);
    expect(read.every((each) => each["amount"]!.split(".")[1]!.length === 18)).toBe(true);
    expect(read.reduce((sum, each) => sum + BigInt(each["amount"]!.replace(".", "")), 0n)).toBe(net);
  };

  test("read by csv-parse: each digit, and the sums", async () => {
    const { file, net } = await made();
    agree(parse(file, { columns: true }), net);
  });

  test.runIf(hasPython)("read by Python's csv: each digit, and the sums", async () => {
    const { file, net } = await made();
    agree(pythonRows(file), net);
  });

  test("opened in a spreadsheet: each digit is shown, no cell is a formula, and sums agree as far as it counts", async () => {
    // A spreadsheet takes a file without a mark for one of its own country's letters; a ledger's are ASCII.
    const ascii = rows.filter(({ later }) => /^[ -~]*$/u.test(later!));
    const { file, net } = await made(ascii);
    const sheet = openSheet(file);
    expect(shownIn(sheet)).toEqual(parse(file, { columns: true }));
    expect(sheet.flatMap((each) => Object.values(each)).filter(({ f: formula }) => formula !== undefined)).toEqual([]);
    expect(sumOf(sheet, "amount").toPrecision(14)).toBe((Number(net) / 1e18).toPrecision(14));
  });
});
