import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { LedgerQuery } from "../../src/api/api-client.ts";
import { UserError } from "../../src/errors.ts";
import { MalformedCsv } from "../../src/export/csv-splitter.ts";
import { nanoseconds } from "../../src/units/time.ts";
import { saying } from "../support/said.ts";
import {
  ASSET,
  bareId,
  cell,
  chunkings,
  COLUMNS_12,
  COLUMNS_13,
  csv,
  FILE_COLUMNS,
  OTHER_ASSET,
  OTHER_PARTY,
  PARTY,
  row,
  type Row,
} from "./ledger-csv.ts";
import { modelEffect, modelFile, normalised } from "./normalised.ts";
import { runs } from "../support/runs.ts";

const ALL: LedgerQuery = { partyId: PARTY, assetId: ASSET };
const at = (iso: string) => nanoseconds(BigInt(Date.parse(iso)) * 1_000_000n);
const made = (text: string, options?: Parameters<typeof normalised>[1]) => normalised([Buffer.from(text)], options);
/** The only row of a file, by column. */
const cellsOf = (text: string): Row => modelCells(text)[0] ?? {};
const modelCells = (text: string): Row[] => {
  const [names = "", ...lines] = text.trimEnd().split("\n");
  return lines.map((line) =>
    Object.fromEntries(names.split(",").map((name, place) => [name, line.split(",")[place]!])),
  );
};

describe("which rows are kept", () => {
  test.each([
    ["sent by the party, plain ids", {}, "kept"],
    ["sent by the party, escaped ids", { account_from_party_id: `\\x${PARTY}`, asset_id: `\\x${ASSET}` }, "kept"],
    ["in upper case", { account_from_party_id: PARTY.toUpperCase(), asset_id: ASSET.toUpperCase() }, "kept"],
    ["received by the party", { account_from_party_id: "network", account_to_party_id: PARTY }, "kept"],
    ["of another party", { account_from_party_id: OTHER_PARTY }, "party"],
    ["of another asset", { asset_id: OTHER_ASSET }, "asset"],
    ["of another asset and party", { asset_id: OTHER_ASSET, account_from_party_id: OTHER_PARTY }, "asset"],
    ["between two others", { account_from_party_id: OTHER_PARTY, account_to_party_id: "\\x03" }, "party"],
    ["without an asset", { asset_id: "" }, "asset"],
  ])("a row %s: %s → %s", (_name, values: Row, counted) => {
    for (const columns of [COLUMNS_12, COLUMNS_13, COLUMNS_13.toReversed()]) {
      const { written } = made(csv(columns, [row(values)]));
      expect(written.rows).toBe(counted === "kept" ? 1 : 0);
      expect(written.dropped).toEqual({
        asset: 0,
        party: 0,
        range: 0,
        ...(counted === "kept" ? {} : { [counted]: 1 }),
      });
    }
  });

  test.each([
    ["2023-01-18 01:09:57.999999+00", 0],
    ["2023-01-18 01:09:58+00", 1],
    ["2023-01-18 01:09:59.297309+00", 1],
    ["2023-01-18 01:10:59.999999+00", 1],
    ["2023-01-18 01:11:00+00", 0],
    ["2023-01-18 03:10:00+02", 1],
  ])("a row of %s in the half-open range: %s", (time, kept) => {
    const query = { ...ALL, from: at("2023-01-18T01:09:58Z"), to: at("2023-01-18T01:11:00Z") };
    const { written } = made(csv(COLUMNS_12, [row({ vega_time: time })]), { query });
    expect([written.rows, written.dropped.range]).toEqual([kept, 1 - kept]);
  });

  test("the span is that of what is kept, not of what is dropped", () => {
    const { written } = made(
      csv(COLUMNS_12, [
        row({ vega_time: "2023-01-18 01:00:00.5+00" }),
        row({ vega_time: "2023-01-17 01:00:00+00" }),
        row({ vega_time: "2020-01-01 00:00:00+00", asset_id: OTHER_ASSET }),
      ]),
    );
    expect([written.firstTime, written.lastTime]).toEqual([at("2023-01-17T01:00:00Z"), at("2023-01-18T01:00:00.5Z")]);
  });
});

describe("the form of a row", () => {
  const market = "ABcd0123".repeat(8);
  const entry = { quantity: "1500", account_from_balance: "7", account_to_balance: "1500" };

  test("both column sets give the same file but for the node's own words", () => {
    const older = row({
      ...entry,
      asset_id: `\\x${ASSET}`,
      transfer_type: "4",
      account_from_party_id: `\\x${PARTY}`,
      account_from_market_id: `\\x${market}`,
      account_from_account_type: "3",
      account_to_party_id: "\\x03",
      account_to_market_id: "\\x",
      account_to_account_type: "2",
    });
    const later = row({
      ...entry,
      transfer_type: "TRANSFER_TYPE_MTM_LOSS",
      account_from_market_id: market,
      account_from_account_type: "MARGIN",
      account_to_party_id: "network",
    });
    const [from12, from13] = [made(csv(COLUMNS_12, [older])), made(csv(COLUMNS_13, [later]))];
    expect(from12.text).toBe(from13.text);
    expect(cellsOf(from12.text)).toEqual({
      vega_time: "2023-01-18 01:09:59.297309+00",
      quantity: "1500",
      effect: "-1500",
      transfer_type: "TRANSFER_TYPE_MTM_LOSS",
      asset_id: ASSET,
      account_from_market_id: market.toLowerCase(),
      account_from_party_id: PARTY,
      account_from_account_type: "ACCOUNT_TYPE_MARGIN",
      account_from_balance: "7",
      account_to_market_id: "",
      account_to_party_id: "network",
      account_to_account_type: "ACCOUNT_TYPE_SETTLEMENT",
      account_to_balance: "1500",
      amount: "",
    });
    expect([from12.written.outgoingOnly, from13.written.outgoingOnly]).toEqual([true, false]);
  });

  test.each([
    ["ACCOUNT_TYPE_GENERAL", "ACCOUNT_TYPE_GENERAL"],
    ["GENERAL", "ACCOUNT_TYPE_GENERAL"],
    ["0", "ACCOUNT_TYPE_UNSPECIFIED"],
    ["28", "ACCOUNT_TYPE_PENDING_FEE_REFERRAL_REWARD"],
    ["8", "8"],
    ["99", "99"],
    ["UNKNOWN", "UNKNOWN"],
    ["", ""],
  ])("account type %s → %s", (sent, shown) => {
    const { text } = made(csv(COLUMNS_13, [row({ ...entry, account_to_account_type: sent })]));
    expect(cellsOf(text)["account_to_account_type"]).toBe(shown);
  });

  test.each([
    ["5", "TRANSFER_TYPE_MTM_WIN"],
    ["21", "TRANSFER_TYPE_REWARD_PAYOUT"],
    ["3", "3"],
    ["4000", "4000"],
    ["DEPOSIT", "TRANSFER_TYPE_DEPOSIT"],
    ["TRANSFER_TYPE_SPOT", "TRANSFER_TYPE_SPOT"],
  ])("transfer type %s → %s", (sent, shown) => {
    const { text, written } = made(csv(COLUMNS_13, [row({ ...entry, transfer_type: sent })]));
    expect(cellsOf(text)["transfer_type"]).toBe(shown);
    expect(written.flows.types.map(({ type }) => type)).toEqual([shown]);
  });

  test.each([
    ["\\x03", "network"],
    ["\\x04", "04"],
    ["\\x0345", "0345"],
    ["network", "network"],
    ["03", "03"],
    ["\\x", ""],
    ["\\xABcd", "abcd"],
    ["ABcd", "abcd"],
    ["\\xno", "\\xno"],
    ["\\yab", "\\yab"],
    ["0xab", "0xab"],
    ["=1+1", "'=1+1"],
  ])("the party %s → %s", (sent, shown) => {
    const { text } = made(csv(COLUMNS_13, [row({ ...entry, account_to_party_id: sent })]));
    expect(cellsOf(text)["account_to_party_id"]).toBe(shown);
  });

  test("a market of 03 is a market, not the network's own party", () => {
    const { text } = made(csv(COLUMNS_12, [row({ ...entry, account_to_market_id: "\\x03" })]));
    expect(cellsOf(text)["account_to_market_id"]).toBe("03");
  });

  test.each([
    ["1500", 6, "-0.001500"],
    ["1500", 0, "-1500"],
    ["1500", 3, "-1.500"],
    ["1500", 4, "-0.1500"],
    ["0", 2, "0.00"],
    ["18446744073709551616", 18, "-18.446744073709551616"],
    ["5", 100, `-0.${"5".padStart(100, "0")}`],
  ])("a quantity of %s with %s decimals is the amount %s", (quantity, decimals, amount) => {
    const { text } = made(csv(COLUMNS_12, [row({ quantity })]), { decimals });
    expect(cellsOf(text)["amount"]).toBe(amount);
  });

  test.each([
    ["sent", {}, "-1500"],
    ["received", { account_from_party_id: "network", account_to_party_id: `\\x${PARTY}` }, "1500"],
    ["between two of its accounts", { account_to_party_id: PARTY }, "0"],
    ["nothing", { quantity: "0", effect: "-0" }, "0"],
    ["a negative quantity", { quantity: "-1500", effect: "1500" }, "1500"],
  ])("the effect of a row %s", (_name, values: Row, effect) => {
    for (const columns of [COLUMNS_12, COLUMNS_13]) {
      expect(cellsOf(made(csv(columns, [row({ ...entry, ...values })])).text)["effect"]).toBe(effect);
    }
  });

  test("a transfer between own accounts that the node calls a gain is none", () => {
    const { text, written } = made(csv(COLUMNS_13, [row({ ...entry, account_to_party_id: PARTY, effect: "1500" })]));
    expect(cellsOf(text)["effect"]).toBe("0");
    expect(written.flows.total).toEqual({ rows: 1, in: "0", out: "0", net: "0" });
  });

  test.each([
    ["=1+1", "'=1+1"],
    ["+cmd", "'+cmd"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["-2+3", "'-2+3"],
    ["\tx", "'\tx"],
    ["\u0000", "'\u0000"],
    ["\u007F", "'\u007F"],
    ["\n=1", `"'\n=1"`],
    ['=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
    ["-5", "-5"],
    ["+0.25", "+0.25"],
    ["-1e3", "-1e3"],
    ["-", "'-"],
    ["a=b", "a=b"],
    ["'", "'"],
  ])("the cell %j of a later column is written %j", (sent, written) => {
    const { text } = made(csv([...COLUMNS_13, "later"], [row({ later: sent })]), { columns: ["later"] });
    expect(text).toBe(`later\n${written}\n`);
  });

  test.each([
    ['"a"""', '"a"""'],
    ['"a"', "a"],
    ['""""', '""""'],
  ])("the bytes %s of a cell are written %s", (sent, written) => {
    const text = csv([...COLUMNS_13, "later"], [row({ later: "HERE" })]).replace("HERE", sent);
    expect(made(text, { columns: ["later"] }).text).toBe(`later\n${written}\n`);
  });

  test("an effect that the node leaves empty is worked out", () => {
    expect(cellsOf(made(csv(COLUMNS_13, [row({ ...entry, effect: "" })])).text)["effect"]).toBe("-1500");
  });

  test("a column's name is a cell, too; one that is ours already is told apart", () => {
    const { text, written } = made(csv([...COLUMNS_13, "=a,b", "amount"], [row({ "=a,b": "1", amount: "2" })]));
    expect(text.split("\n")[0]).toBe(`${FILE_COLUMNS.join(",")},"'=a,b",node_amount`);
    expect(text.split("\n")[1]).toMatch(/,1,2$/u);
    expect(written.fingerprint.columns.slice(-2)).toEqual(["=a,b", "node_amount"]);
  });

  test("columns that the node lacks are empty", () => {
    const columns = ["account_to_party_id", "vega_time", "asset_id", "quantity", "account_from_party_id"];
    const { text } = made(csv(columns, [row({ quantity: "12" })]), { decimals: 1 });
    expect(text).toBe(
      `${FILE_COLUMNS.join(",")}\n2023-01-18 01:09:59.297309+00,12,-12,,${ASSET},,${PARTY},,,,network,,,-1.2\n`,
    );
  });
});

describe("the columns", () => {
  test("are those chosen, in the order chosen, each once", () => {
    const { text, written } = made(csv(COLUMNS_13, [row({ transfer_type: 'a "b", c' })], "\r\n"), {
      columns: ["transfer_type", "vega_time", "transfer_type"],
    });
    expect(text).toBe('transfer_type,vega_time\n"a ""b"", c",2023-01-18 01:09:59.297309+00\n');
    expect(written.fingerprint).toMatchObject({ columns: ["transfer_type", "vega_time"], sums: {} });
  });

  test("an unknown one is the caller's mistake: the nearest match, and all there are", () => {
    const thrown = (() => {
      try {
        return made(csv(COLUMNS_12, []), { columns: ["vega_time", "quantiti"] });
      } catch (error) {
        return error;
      }
    })();
    expect(thrown).toBeInstanceOf(UserError);
    const { message, remedy } = thrown as UserError;
    expect(message).toMatch(saying("quantiti", "quantity"));
    expect(remedy).toMatch(saying(FILE_COLUMNS.join(", ")));
    expect([message, remedy]).toMatchSnapshot();
  });
});

describe("what is refused", () => {
  const two = (values: Row): string => csv(COLUMNS_13, [row(), row(values)]);
  test.each([
    ["a row too short", `${csv(COLUMNS_12, [row()])}2023-01-18 01:09:59+00,15`, saying(2, 2, 12)],
    ["no asset column", "vega_time,account_from_party_id,account_to_party_id\n", saying("asset_id")],
    ["no party column", "vega_time,asset_id\n", saying("account_from_party_id")],
    ["no time column", csv(COLUMNS_12.slice(1), []), saying("vega_time")],
    ["no quantity column", csv(COLUMNS_12.toSpliced(1, 1), []), saying("quantity")],
    ["a column twice", csv([...COLUMNS_12, "quantity"], []), saying("quantity")],
    ["a time that cannot be read", two({ vega_time: "yesterday" }), saying(2, "vega_time")],
    ["no quantity", two({ quantity: "", effect: "" }), saying(2, "quantity")],
    ["a quantity that is none", two({ quantity: "1e3" }), saying(2, "quantity")],
    ["an effect of another sign", two({ quantity: "5", effect: "5" }), saying(2, "effect")],
    ["an effect of another amount", two({ quantity: "5", effect: "-6" }), saying(2, "effect")],
    ["an effect of 0", two({ quantity: "5", effect: "0" }), saying(2, "effect")],
    ["no header", "", saying("header")],
  ])("%s", (_name, text, named) => {
    expect(() => made(text)).toThrow(MalformedCsv);
    expect(() => made(text)).toThrow(named);
  });
});

describe("the account", () => {
  test("in, out and net per transfer type, exact beyond 2^53", () => {
    const big = "18446744073709551616";
    const received = { account_from_party_id: "network", account_to_party_id: PARTY };
    const { written } = made(
      csv(COLUMNS_13, [
        row({ quantity: big, transfer_type: "WIN", ...received }),
        row({ quantity: "1", transfer_type: "WIN" }),
        row({ quantity: "7", transfer_type: "DEPOSIT", account_to_party_id: PARTY }),
      ]),
    );
    expect(written.flows).toMatchObject({
      types: [
        { type: "TRANSFER_TYPE_WIN", rows: 2, in: big, out: "1", net: "18446744073709551615" },
        { type: "TRANSFER_TYPE_DEPOSIT", rows: 1, in: "0", out: "0", net: "0" },
      ],
      total: { rows: 3, in: big, out: "1", net: "18446744073709551615" },
    });
    expect(written.fingerprint.sums).toEqual({ quantity: "18446744073709551624", effect: "18446744073709551615" });
  });

  test("of a node that tells only what was sent: no total in, no net, no balance", () => {
    const { written } = made(csv(COLUMNS_12, [row({ quantity: "5", account_from_balance: "3" })]));
    expect(written.flows).toEqual({
      types: [{ type: "TRANSFER_TYPE_WIN", rows: 1, out: "5" }],
      total: { rows: 1, out: "5" },
      balances: [],
      balancesUnknown: 0,
    });
  });

  test("balances of the party's own accounts, by account and market, on either side", () => {
    const market = "ABcd0123".repeat(8);
    const margin = { account_from_account_type: "3", account_from_market_id: `\\x${market}` };
    const { flows } = made(
      csv(COLUMNS_13, [
        row({ quantity: "5", account_from_balance: "95" }),
        row({
          ...margin,
          quantity: "7",
          account_from_balance: "3",
          account_to_party_id: PARTY,
          account_to_account_type: "GENERAL",
          account_to_balance: "102",
        }),
        row({ quantity: "1", account_from_party_id: "network", account_to_party_id: PARTY, account_to_balance: "" }),
      ]),
    ).written;
    expect(flows.balances).toEqual([
      { account: "ACCOUNT_TYPE_GENERAL", market: "", opening: "100", closing: "102" },
      { account: "ACCOUNT_TYPE_MARGIN", market: market.toLowerCase(), opening: "10", closing: "3" },
    ]);
    // The settlement account that the last row names is the party's there; its balance is not told.
    expect(flows.balancesUnknown).toBe(1);
  });

  test("types beyond 200 are summed as one", () => {
    const rows = Array.from({ length: 260 }, (_, index) => row({ quantity: "1", transfer_type: `t${index % 205}` }));
    const { types, total } = made(csv(COLUMNS_13, rows)).written.flows;
    expect(types).toHaveLength(201);
    expect(types.find(({ type }) => type === "other")).toEqual({
      type: "other",
      rows: 5,
      in: "0",
      out: "5",
      net: "-5",
    });
    expect(total).toEqual({ rows: 260, in: "0", out: "260", net: "-260" });
  });

  test("the same rows give the same file, in whatever order and form they come", () => {
    const rows = Array.from({ length: 9 }, (_, index) => row({ quantity: `${index}`, effect: `-${index}` }));
    const one = made(csv(COLUMNS_13, rows));
    const escaped = rows.toReversed().map((each) => ({ ...each, asset_id: `\\x${ASSET.toUpperCase()}` }));
    for (const runBytes of [undefined, 8192]) {
      const other = normalised([Buffer.from(csv(COLUMNS_13.toReversed(), escaped, "\r\n"))], {}, runBytes);
      expect(other.text).toBe(one.text);
      expect(other.written).toEqual(one.written);
    }
  });
});

test("is the file that the rules say, however the bytes are cut and wherever runs end", () => {
  const party = fc.constantFrom(PARTY, PARTY, `\\x${PARTY}`, OTHER_PARTY, "network", "\\x03");
  const asset = fc.constantFrom(ASSET, ASSET, `\\x${ASSET}`, OTHER_ASSET);
  const time = fc
    .tuple(fc.integer({ min: 0, max: 4 }), fc.constantFrom("", ".5", ".25", ".000001"))
    .map(([second, fraction]) => `2023-01-18 01:09:5${second}${fraction}+00`);
  const someRow = fc
    .record({
      vega_time: time,
      quantity: fc.bigInt({ min: 0n, max: 10n ** 40n }).map(String),
      account_from_party_id: party,
      account_to_party_id: party,
      asset_id: asset,
      later: cell,
      transfer_type: cell.filter((type) => !/^\d{1,3}$/u.test(type)),
    })
    .map((values) => row(values));
  const columns = fc.shuffledSubarray([...COLUMNS_13, "later"], { minLength: 14 });
  const input = fc
    .tuple(columns, fc.array(someRow, { maxLength: 30 }), fc.constantFrom("\n", "\r\n"))
    .chain(([names, rows, lineEnd]) => {
      const text = csv(names, rows, lineEnd);
      return fc.tuple(fc.constant(text), chunkings(Buffer.from(text)));
    });
  fc.assert(
    fc.property(input, fc.option(fc.nat({ max: 30 }), { nil: undefined }), ([text, chunks], decimals) => {
      const model = modelFile(text, {
        columns: [...FILE_COLUMNS, "later"],
        ...(decimals !== undefined && { decimals }),
      });
      const { text: file, written } = normalised(chunks, decimals === undefined ? {} : { decimals }, 8192);
      expect(file).toBe(model.text);
      const effects = model.rows.map(modelEffect);
      const sumOf = (some: readonly bigint[]): string => String(some.reduce((sum, one) => sum + one, 0n));
      expect(written.flows.total).toEqual({
        rows: model.rows.length,
        in: sumOf(effects.filter((effect) => effect > 0n)),
        out: sumOf(effects.filter((effect) => effect < 0n).map((effect) => -effect)),
        net: sumOf(effects),
      });
      expect(bareId(PARTY)).toBe(PARTY);
    }),
    runs(60),
  );
});
