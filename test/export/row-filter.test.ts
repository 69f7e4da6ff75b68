import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { LedgerQuery } from "../../src/api/api-client.ts";
import { UserError } from "../../src/errors.ts";
import { MalformedCsv } from "../../src/export/csv-splitter.ts";
import { RowFilter } from "../../src/export/row-filter.ts";
import { nanoseconds } from "../../src/units/nanoseconds.ts";
import { saying } from "../support/said.ts";
import {
  ASSET,
  cell,
  chunkings,
  COLUMNS_12,
  COLUMNS_13,
  csv,
  OTHER_ASSET,
  OTHER_PARTY,
  PARTY,
  pushReused,
  row,
  type Row,
} from "./ledger-csv.ts";

const ALL: LedgerQuery = { partyId: PARTY, assetId: ASSET };
const at = (iso: string) => nanoseconds(BigInt(Date.parse(iso)) * 1_000_000n);

function run(
  chunks: readonly Buffer[],
  query = ALL,
  columns?: readonly string[],
): { text: string; transform: RowFilter } {
  const transform = new RowFilter(query, columns);
  const text = Buffer.concat([...pushReused(transform, chunks), ...transform.end()]).toString();
  return { text, transform };
}

const runText = (text: string, query?: LedgerQuery, columns?: readonly string[]) =>
  run([Buffer.from(text)], query, columns);

describe("RowFilter", () => {
  test.each([
    ["sent by the party, plain ids", {}, true],
    ["sent by the party, escaped ids", { account_from_party_id: `\\x${PARTY}`, asset_id: `\\x${ASSET}` }, true],
    ["upper case", { account_from_party_id: PARTY.toUpperCase(), asset_id: ASSET.toUpperCase() }, true],
    ["received by the party", { account_from_party_id: "network", account_to_party_id: PARTY }, true],
    ["of another party", { account_from_party_id: OTHER_PARTY }, false],
    ["of another asset", { asset_id: OTHER_ASSET }, false],
    ["between two others", { account_from_party_id: OTHER_PARTY, account_to_party_id: "\\x03" }, false],
    ["no asset", { asset_id: "" }, false],
  ])("a row %s: kept %s", (_name, values: Row, kept) => {
    for (const columns of [COLUMNS_12, COLUMNS_13, COLUMNS_13.toReversed()]) {
      const { text, transform } = runText(csv(columns, [row(values)]));
      expect(text).toBe(csv(columns, kept ? [row(values)] : []));
      expect([transform.tally.rows, transform.dropped]).toEqual(kept ? [1, 0] : [0, 1]);
    }
  });

  test.each([
    ["2023-01-18 01:09:57.999999+00", false],
    ["2023-01-18 01:09:58+00", true],
    ["2023-01-18 01:09:59.297309+00", true],
    ["2023-01-18 01:10:59.999999+00", true],
    ["2023-01-18 01:11:00+00", false],
    ["2023-01-18 03:10:00+02", true],
  ])("a row of %s in the half-open range: %s", (time, kept) => {
    const query = { ...ALL, from: at("2023-01-18T01:09:58Z"), to: at("2023-01-18T01:11:00Z") };
    expect(runText(csv(COLUMNS_12, [row({ vega_time: time })]), query).transform.tally.rows).toBe(kept ? 1 : 0);
  });

  test("says the span of what is kept, not of what is dropped", () => {
    const { transform } = runText(
      csv(COLUMNS_12, [
        row({ vega_time: "2023-01-18 01:00:00.5+00" }),
        row({ vega_time: "2023-01-17 01:00:00+00" }),
        row({ vega_time: "2020-01-01 00:00:00+00", asset_id: OTHER_ASSET }),
      ]),
    );
    expect(transform.tally.firstTime).toBe(at("2023-01-17T01:00:00Z"));
    expect(transform.tally.lastTime).toBe(at("2023-01-18T01:00:00.5Z"));
    expect(transform.dropped).toBe(1);
  });

  test("columns are kept as chosen, in the order chosen, each once", () => {
    const { text, transform } = runText(csv(COLUMNS_13, [row({ transfer_type: 'a "b", c' })], "\r\n"), ALL, [
      "transfer_type",
      "vega_time",
      "transfer_type",
    ]);
    expect(text).toBe('transfer_type,vega_time\r\n"a ""b"", c",2023-01-18 01:09:59.297309+00\r\n');
    expect(transform.columns).toEqual(["transfer_type", "vega_time"]);
  });

  test("an unknown column is the caller's mistake: the nearest match, and all there are", () => {
    const thrown = (() => {
      try {
        return runText(csv(COLUMNS_12, []), ALL, ["vega_time", "quantiti"]);
      } catch (error) {
        return error;
      }
    })();
    expect(thrown).toBeInstanceOf(UserError);
    const { message, remedy } = thrown as UserError;
    expect(message).toMatch(saying("quantiti", "quantity"));
    expect(remedy).toMatch(saying(COLUMNS_12.join(", ")));
    expect([message, remedy]).toMatchSnapshot();
  });

  test.each([
    ["a row too short", `${csv(COLUMNS_12, [row()])}2023-01-18 01:09:59+00,15`, saying(2, 2, 12)],
    ["no asset column", "vega_time,account_from_party_id,account_to_party_id\n", saying("asset_id")],
    ["no party column", "vega_time,asset_id\n", saying("account_from_party_id")],
  ])("%s is refused", (_name, text, named) => {
    expect(() => runText(text)).toThrow(MalformedCsv);
    expect(() => runText(text)).toThrow(named);
  });

  test("a time that cannot be read is refused where a range was asked for, and passes where none was", () => {
    const text = csv(COLUMNS_12, [row({ vega_time: "yesterday" })]);
    expect(() => runText(text, { ...ALL, from: nanoseconds(0n) })).toThrow(saying(1));
    expect(runText(text).transform.tally.rows).toBe(1);
  });

  test("header only", () => {
    const { text, transform } = runText(csv(COLUMNS_13, []));
    expect(text).toBe(csv(COLUMNS_13, []));
    expect(transform.tally.rows).toBe(0);
  });

  test("keeps what a filter over csv-parse would keep, however the bytes are cut", () => {
    const party = fc.constantFrom(PARTY, `\\x${PARTY}`, OTHER_PARTY, "network", "\\x03");
    const asset = fc.constantFrom(ASSET, `\\x${ASSET}`, OTHER_ASSET);
    const someRow = fc
      .record({
        account_from_party_id: party,
        account_to_party_id: party,
        asset_id: asset,
        later: cell,
        transfer_type: cell,
      })
      .map((values) => row(values));
    const columns = fc.shuffledSubarray([...COLUMNS_13, "later"], { minLength: 14 });
    const chosen = fc.option(
      fc.shuffledSubarray(["vega_time", "later", "transfer_type", "asset_id"], { minLength: 1 }),
      {
        nil: undefined,
      },
    );
    const input = fc
      .tuple(columns, fc.array(someRow, { maxLength: 30 }), fc.constantFrom("\n", "\r\n"), chosen)
      .chain(([names, rows, lineEnd, some]) => {
        const text = csv(names, rows, lineEnd);
        return fc.tuple(fc.constant({ names, lineEnd, some, text }), chunkings(Buffer.from(text)));
      });
    fc.assert(
      fc.property(input, ([{ names, lineEnd, some, text }, chunks]) => {
        const model: Record<string, string>[] = parse(text, { columns: true });
        const bare = (id: string | undefined) => id?.replace(/^\\x/u, "");
        const wanted = model.filter(
          (each) =>
            bare(each["asset_id"]) === ASSET &&
            [each["account_from_party_id"], each["account_to_party_id"]].some((id) => bare(id) === PARTY),
        );
        const result = run(chunks, ALL, some);
        expect(result.text).toBe(csv(some ?? names, wanted, lineEnd));
        expect(result.transform.tally.rows).toBe(wanted.length);
        expect(result.transform.dropped).toBe(model.length - wanted.length);
      }),
    );
  });
});
