import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";

import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";

import { MalformedCsv } from "../../src/export/csv-splitter.ts";
import { type IntakeResult, rawIntake } from "../../src/export/ledger-intake.ts";
import { temporaryFiles, type TemporaryFiles } from "../../src/export/temporary-file.ts";
import { saying } from "../support/said.ts";
import { cell, chunkings, COLUMNS_12, COLUMNS_13, csv, row } from "./ledger-csv.ts";

const TIMES = [
  "2023-01-18 01:09:59.297309+00",
  "2023-01-18 01:09:59.3+00",
  "2023-01-18 01:09:59+00",
  "2022-06-01 00:00:00+00",
];

let files: TemporaryFiles;
beforeAll(async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "bellwether-test-"));
  files = temporaryFiles({ directory });
  return () => rm(directory, { recursive: true });
});

/** The file of these chunks, whose memory is overwritten after each call: keeping some of it would show. */
async function run(chunks: readonly Buffer[]): Promise<{ bytes: Buffer; result: IntakeResult }> {
  const intake = await rawIntake(files);
  try {
    for (const chunk of chunks) {
      const reused = Buffer.from(chunk);
      await intake.write(reused);
      reused.fill("#");
    }
    const result = await intake.finish();
    return { bytes: await buffer(intake.file.open()), result };
  } finally {
    await intake.file.dispose();
  }
}

describe("the intake of a raw export", () => {
  test.each([
    ["12 columns", COLUMNS_12],
    ["13 columns", COLUMNS_13],
    ["the time elsewhere", COLUMNS_12.toReversed()],
    ["no time", COLUMNS_12.slice(1)],
  ])("%s, however the bytes are cut: not a byte differs, rows and span are right", async (_name, columns) => {
    const rows = fc.array(
      fc.tuple(fc.constantFrom(...TIMES), cell).map(([time, type]) => row({ vega_time: time, transfer_type: type })),
      { maxLength: 10 },
    );
    const file = fc
      .tuple(rows, fc.constantFrom("\n", "\r\n"))
      .map(([some, lineEnd]) => csv(columns, some, lineEnd))
      .chain((text) => fc.tuple(fc.constant(text), chunkings(Buffer.from(text))));
    await fc.assert(
      fc.asyncProperty(file, async ([text, chunks]) => {
        const { bytes, result } = await run(chunks);
        expect(bytes.equals(Buffer.from(text))).toBe(true);
        const model: Record<string, string>[] = parse(text, { columns: true });
        expect(result.columns).toEqual(columns);
        expect(result.rows).toBe(model.length);
        const times = model.map((each) => TIMES.indexOf(each["vega_time"] ?? "")).filter((at) => at !== -1);
        const inOrder = [3, 2, 0, 1].filter((at) => times.includes(at)).map((at) => TIMES[at] ?? "");
        expect([result.firstTime, result.lastTime]).toEqual(
          inOrder.length === 0 ? [undefined, undefined] : [moment(inOrder.at(0)), moment(inOrder.at(-1))],
        );
      }),
    );
  });

  test("a last row without an end counts, blank lines do not", async () => {
    const { result } = await run([
      Buffer.from(`${csv(COLUMNS_12, [row()])}\n${csv(COLUMNS_12, [row()]).split("\n")[1]}`),
    ]);
    expect(result.rows).toBe(2);
  });

  const whole = csv(COLUMNS_13, [row(), row()]);
  test.each([
    ["a login page", "<!DOCTYPE html>\n<html><title>Sign in</title></html>\n", saying("web page")],
    ["null", "null\n", saying("asset_id")],
    ["compressed bytes", gzipSync(whole), saying("asset_id")],
    ["31 February", csv(COLUMNS_13, [row(), row({ vega_time: "2023-02-31 00:00:00+00" })]), saying(2, "vega_time")],
    ["another table", "a,b\n1,2\n", saying("asset_id")],
    ["a row too short", `${whole}2023-01-18 01:09:59+00,15\n`, saying(3, 2, 13)],
    ["a row too long", whole.replace(/\n$/u, ",1\n"), saying(2, 14, 13)],
    ...["quantity", "effect", "account_from_balance", "account_to_balance"].flatMap((column) =>
      ["1.5", "1e9", "0x10", "NaN", "-", " 1"].map((value): [string, string, RegExp] => [
        `${value} in ${column}`,
        csv(COLUMNS_13, [row(), row({ [column]: value })]),
        saying(2, column),
      ]),
    ),
  ])("%s is no ledger", async (_name, bytes, named) => {
    const reading = run([Buffer.from(bytes)]);
    await expect(reading).rejects.toThrow(MalformedCsv);
    await expect(reading).rejects.toThrow(named);
  });

  test("integers in quotes, negative ones and nulls pass, and so does a byte order mark", async () => {
    const text = `\uFEFF${csv(COLUMNS_13, [row({ effect: "-7", account_to_balance: "" })]).replace("-7", '"-7"')}`;
    const { bytes, result } = await run([Buffer.from(text)]);
    expect(bytes.toString()).toBe(text);
    expect([result.rows, result.columns[0]]).toEqual([1, "vega_time"]);
    expect(result.firstTime).toBeDefined();
  });

  test("no bytes: no ledger", async () => {
    await expect(run([])).rejects.toThrow(MalformedCsv);
  });
});

function moment(text: string | undefined): bigint {
  const [whole = "", fraction = ""] = (text ?? "").slice(0, -3).split(".");
  return BigInt(Date.parse(`${whole.replace(" ", "T")}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
}
