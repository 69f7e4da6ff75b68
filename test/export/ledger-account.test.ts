import { describe, expect, test } from "vitest";

import { LedgerAccount } from "../../src/export/ledger-account.ts";

const account: LedgerAccount = {
  rows: 2,
  firstTime: "1674004199297309000",
  lastTime: "1674004200500000000",
  dropped: { asset: 1, party: 0, range: 0 },
  flows: {
    types: [{ type: "TRANSFER_TYPE_WIN", rows: 2, in: "36893488147419103232", out: "0", net: "36893488147419103232" }],
    total: { rows: 2, in: "36893488147419103232", out: "0", net: "36893488147419103232" },
    balances: [{ account: "ACCOUNT_TYPE_GENERAL", market: "", opening: "0", closing: "36893488147419103232" }],
    balancesUnknown: 0,
  },
  outgoingOnly: false,
  raw: false,
  unit: { symbol: "USDT", decimals: 6 },
  endIsProven: true,
  sizeBytes: 800,
  sha256: "ab".repeat(32),
  fingerprint: {
    columns: ["vega_time", "quantity"],
    rows: 2,
    sums: { quantity: "36893488147419103232" },
  },
};

describe("a ledger's account", () => {
  test("is JSON as it stands, beyond 2^53 as well", () => {
    expect(LedgerAccount.parse(JSON.parse(JSON.stringify(account)))).toEqual(account);
  });

  test("of an earlier version is read as well, without its hash of rows", () => {
    const earlier = { ...account, fingerprint: { ...account.fingerprint, rowsHash: "cd".repeat(32) } };
    expect(LedgerAccount.parse(earlier)).toEqual(account);
  });

  test.each([
    ["an amount as a number", { ...account, firstTime: 1_674_004_199 }],
    ["a hash that is none", { ...account, sha256: "ab" }],
    ["a negative count", { ...account, rows: -1 }],
  ])("refuses %s", (_name, wrong) => {
    expect(LedgerAccount.safeParse(wrong).success).toBe(false);
  });
});
