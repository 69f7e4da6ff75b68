import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { commands } from "../../../commands/index.ts";
import { fillExample, formatLine, parseLine } from "../../../src/bot/grammar/grammar.ts";
import { quoteValue, tokenize } from "../../../src/bot/grammar/tokens.ts";
import { UserError } from "../../../src/errors.ts";
import { nanoseconds } from "../../../src/units/time.ts";
import { anyCharacter } from "../../support/any-character.ts";
import { saying } from "../../support/said.ts";
import { sampleCommands } from "../sample-commands.ts";

const now = nanoseconds(1_700_000_000_000_000_000n);
const read = (line: string) => parseLine(line, sampleCommands, now);
const complaint = (line: string): string => {
  try {
    read(line);
  } catch (thrown) {
    if (thrown instanceof UserError) return `${thrown.message} ${thrown.remedy ?? ""}`.trim();
    throw thrown;
  }
  return "no complaint";
};

test.each([
  ["export last weak", ["ledger export"]],
  ["markt show BTC", ["market show"]],
  ["ledger exprt", ["ledger export"]],
  ["alerts ad", []],
])("what was nearly typed by %s is one press, unless it changes something", (line, names) => {
  let starts: readonly { readonly command: string }[] | undefined;
  try {
    parseLine(line, commands, now);
  } catch (thrown) {
    starts = thrown instanceof UserError ? thrown.starts : undefined;
  }
  expect(starts?.map(({ command }) => command)).toEqual(names);
});

describe("a typed line", () => {
  test.each<[string, string, Record<string, string | boolean>]>([
    ["", "help", {}],
    [" ?", "help", {}],
    ["? market show", "help", { command: "market show" }],
    ["market show --help", "help", { command: "market show" }],
    ["market -h", "help", { command: "market" }],
    ["—help", "help", {}],
    ["time", "time", {}],
    ["/time", "time", {}],
    ["/bell time", "time", {}],
    ["/bell market show BTC", "market show", { market: "BTC" }],
    ["TIME", "time", {}],
    ["time testnet", "time", { network: "testnet" }],
    ["time network:testnet", "time", { network: "testnet" }],
    ["time --network testnet", "time", { network: "testnet" }],
    ["time --network=testnet", "time", { network: "testnet" }],
    ["time —network testnet", "time", { network: "testnet" }],
    ["Market  Show BTC/USD", "market show", { market: "BTC/USD" }],
    ['market show "BTC / USD"', "market show", { market: "BTC / USD" }],
    ["market show “BTC / USD”", "market show", { market: "BTC / USD" }],
    ['market show market:"BTC / USD"', "market show", { market: "BTC / USD" }],
    ['market show --market="BTC / USD"', "market show", { market: "BTC / USD" }],
    ["market show ETH:USD", "market show", { market: "ETH:USD" }],
    ['market show "network:x"', "market show", { market: "network:x" }],
    ["market show it's", "market show", { market: "it's" }],
    ["market show BTC private", "market show", { market: "BTC", private: true }],
    ["market show BTC --private", "market show", { market: "BTC", private: true }],
    ["market show BTC --no-private", "market show", { market: "BTC", private: false }],
    ["market show BTC private:no", "market show", { market: "BTC", private: "no" }],
    ['market show "private"', "market show", { market: "private" }],
    ["order ab 3", "order", { id: "ab", version: "3" }],
    ["order version:3 ab", "order", { id: "ab", version: "3" }],
    ["order --version 3 ab", "order", { id: "ab", version: "3" }],
    ["ledger export p a 2023-05-01 7d", "ledger export", { party: "p", asset: "a", from: "2023-05-01", to: "7d" }],
    ["ledger export p a last month", "ledger export", { party: "p", asset: "a", from: "last month" }],
    [
      "ledger export p a from:last month raw",
      "ledger export",
      { party: "p", asset: "a", from: "last month", raw: true },
    ],
    ["ledger export p a --from 7 days ago", "ledger export", { party: "p", asset: "a", from: "7 days ago" }],
    [
      "ledger export p a 2023-05-01 12:30 2023-05-02 quantity",
      "ledger export",
      { party: "p", asset: "a", from: "2023-05-01 12:30", to: "2023-05-02", columns: "quantity" },
    ],
    [
      "ledger export p a from 2023-05 to last month",
      "ledger export",
      { party: "p", asset: "a", from: "2023-05", to: "last month" },
    ],
    ["order id ab version 3", "order", { id: "ab", version: "3" }],
    ['market show "market" network:x', "market show", { market: "market", network: "x" }],
    ["market show market", "market show", { market: "market" }],
    ["help market show", "help", { command: "market show" }],
    ["help network ab", "help", { command: "network ab" }],
  ])("%j is %s %j", (line, command, options) => {
    expect(read(line)).toEqual({ command, options });
  });

  test.each([
    ["tme", saying("tme", "time", "help")],
    ["tiem", saying("tiem", "time", "help")],
    ["/bell tme", saying("bell tme", "help")],
    ["bell time", saying("bell time", "help")],
    ["zzzzzzzz", saying("zzzzzzzz", "help")],
    ["market", saying("market", "market list, market show")],
    ["market shw x", saying("market shw", "market show", "market list, market show")],
    ["time netwrk:x", saying("time", "netwrk", "network")],
    ["time --netwrk x", saying("time", "netwrk", "network", "help time")],
    ["time network:", saying("network", "network:value")],
    ["time --network", saying("--network", "--network value")],
    ["time network:a network:b", saying("network")],
    ['market show "BTC', saying('"')],
    ["order ab 3 testnet what", saying("order", "“what”", "help order")],
  ])("%j is refused", (line, named) => {
    expect(complaint(line)).toMatch(named);
    expect(complaint(line)).toMatchSnapshot();
  });

  test("a slip in the second word costs nothing else of the line", () => {
    const mistake = (() => {
      try {
        return read('market shw "ETH USD" network:testnet');
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(mistake).toMatchObject({ suggestion: 'market show "ETH USD" network:testnet' });
  });

  test("any typed line is parsed or refused with a sentence, never a crash", () => {
    const words = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom(
        "market",
        "show",
        "network:",
        "--",
        "--network",
        '"',
        "“",
        "from:last",
        "month",
        "__proto__",
        "constructor:x",
      ),
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 8 }), (parts) => {
        expect(complaint(parts.join(" "))).not.toContain("undefined");
      }),
    );
  });

  test("any value survives being written as a line and read again", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), (value) => {
        const tokens = tokenize(`market:${quoteValue(value)}`);
        expect(tokens.map((token) => token.text)).toEqual([`market:${value}`]);
      }),
    );
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 60 }), fc.boolean(), (market, hidden) => {
        const ask = { command: "market show", options: { market, private: hidden } };
        expect(read(formatLine(ask))).toEqual({ ...ask, options: { market, private: String(hidden) } });
      }),
    );
  });
});

test.each<[string, Record<string, string>, string]>([
  ["market show <market>", {}, "market show <market>"],
  ["market show <market>", { network: "testnet" }, "market show <market> network:testnet"],
  ["market show <market> network:mainnet", { market: "R2 USD" }, 'market show "R2 USD" network:mainnet'],
  ["market show <market>", { market: "nothing" }, "market show <market>"],
])("the example %j keeps what was given, as in %j", (example, given, line) => {
  const shown = sampleCommands.find(({ name }) => name === "market show");
  expect(fillExample(example, given, shown!, now)).toBe(line);
});
