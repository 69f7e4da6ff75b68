import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { RawTransform } from "../../src/export/raw-transform.ts";
import { cell, chunkings, COLUMNS_12, COLUMNS_13, csv, pushReused, row } from "./ledger-csv.ts";

const TIMES = [
  "2023-01-18 01:09:59.297309+00",
  "2023-01-18 01:09:59.3+00",
  "2023-01-18 01:09:59+00",
  "2022-06-01 00:00:00+00",
];

function run(chunks: readonly Buffer[]): { bytes: Buffer; transform: RawTransform } {
  const transform = new RawTransform();
  const bytes = Buffer.concat([...pushReused(transform, chunks), ...transform.end()]);
  return { bytes, transform };
}

describe("RawTransform", () => {
  test.each([
    ["12 columns", COLUMNS_12],
    ["13 columns", COLUMNS_13],
    ["the time elsewhere", ["quantity", "vega_time"]],
    ["no time", ["quantity", "asset_id"]],
  ])("%s, however the bytes are cut: not a byte differs, rows and span are right", (_name, columns) => {
    const rows = fc.array(
      fc.tuple(fc.constantFrom(...TIMES), cell).map(([time, quantity]) => row({ vega_time: time, quantity })),
      { maxLength: 10 },
    );
    const file = fc
      .tuple(rows, fc.constantFrom("\n", "\r\n"))
      .map(([some, lineEnd]) => csv(columns, some, lineEnd))
      .chain((text) => fc.tuple(fc.constant(text), chunkings(Buffer.from(text))));
    fc.assert(
      fc.property(file, ([text, chunks]) => {
        const { bytes, transform } = run(chunks);
        expect(bytes.equals(Buffer.from(text))).toBe(true);
        const model: Record<string, string>[] = parse(text, { columns: true });
        expect(transform.columns).toEqual(columns);
        expect(transform.tally.rows).toBe(model.length);
        const times = model.map((each) => TIMES.indexOf(each["vega_time"] ?? "")).filter((at) => at !== -1);
        const inOrder = [3, 2, 0, 1].filter((at) => times.includes(at)).map((at) => TIMES[at] ?? "");
        expect([transform.tally.firstTime, transform.tally.lastTime]).toEqual(
          inOrder.length === 0 ? [undefined, undefined] : [moment(inOrder.at(0)), moment(inOrder.at(-1))],
        );
      }),
    );
  });

  test("a last row without an end counts, blank lines do not", () => {
    const { transform } = run([
      Buffer.from("vega_time,quantity\n2023-01-18 01:09:59+00,1\n\n2023-01-18 01:10:00+00,2"),
    ]);
    expect(transform.tally.rows).toBe(2);
  });

  test("no bytes: no columns", () => {
    expect(run([]).transform.columns).toBeUndefined();
  });
});

function moment(text: string | undefined): bigint {
  const [whole = "", fraction = ""] = (text ?? "").slice(0, -3).split(".");
  return BigInt(Date.parse(`${whole.replace(" ", "T")}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
}
