import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { addressOf, questionAt } from "../../../../src/adapters/web/public/address.js";
import { alertsEdit } from "../../../../commands/alerts-edit.ts";
import { alertsWhy } from "../../../../commands/alerts-why.ts";
import { marketShow } from "../../../../commands/market-show.ts";
import { Question } from "../../../../src/adapters/web/invocations/question.ts";

const at = (address: string) => questionAt(new URL(address, "http://127.0.0.1/"));

describe("an address asks", () => {
  test.each([
    ["/?q=market%20list", { text: "market list", again: true }],
    ["/?q=is+the+network+healthy", { text: "is the network healthy", again: true }],
    ["/?market=BTC%2FUSDT", { command: "market show", options: { market: "BTC/USDT" }, again: true }],
    ["/?episode=node.down%7Cmainnet%7Ca%7C1", { command: "alerts why", options: { episode: "node.down|mainnet|a|1" } }],
    ["/#episode=node.down%7Cmainnet%7Ca%7C1", { command: "alerts why", options: { episode: "node.down|mainnet|a|1" } }],
    ["/?subscription=4hd9x", { command: "alerts edit", options: { id: "4hd9x" } }],
  ])("%s", (address, question) => {
    const asked = at(address);
    expect(asked?.question).toMatchObject(question);
    expect(Question.safeParse(asked?.question).success).toBe(true);
  });

  test.each(["/", "/?q=", "/?q=%20", "/#ask", "/#alerts", "/?other=1", "/?market=", "/#episode=%E0%A4%A"])(
    "nothing: %s",
    (address) => {
      expect(at(address)).toBeUndefined();
    },
  );

  test("only what reads; a subscription's has its id alone, with which its command changes nothing", () => {
    expect([alertsWhy, marketShow, alertsEdit].map(({ changes }) => changes)).toEqual([undefined, undefined, true]);
    expect(at("/?subscription=4hd9x&high=3")?.question).toEqual({ command: "alerts edit", options: { id: "4hd9x" } });
  });
});

describe("the address of a question", () => {
  test("leads to the same question, whatever the line", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }), (typed) => {
        const line = typed.trim().toWellFormed();
        fc.pre(line !== "");
        expect(at(addressOf({ text: line }))).toEqual({ question: { text: line, again: true }, line });
      }),
    );
  });

  test.each([
    ["alerts why", { episode: "node.down|mainnet|a|1" }, "/?episode=node.down%7Cmainnet%7Ca%7C1"],
    ["market show", { market: "BTC/USDT" }, "/?market=BTC%2FUSDT"],
    ["alerts edit", { id: "4hd9x" }, "/?subscription=4hd9x"],
    [
      "market show",
      { market: "BTC/USDT", network: "testnet" },
      "/?q=market+show+market%3ABTC%2FUSDT+network%3Atestnet",
    ],
    ["alerts edit", { id: "4hd9x", high: "3" }, "/?q=alerts+edit+id%3A4hd9x+high%3A3"],
  ])("%s %j is %s", (command, options, address) => {
    expect(addressOf({ command, options })).toBe(address);
  });

  test("a line too long for one has none", () => {
    const line = "x".repeat(3000);
    expect(addressOf({ text: line })).toBe("/");
  });
});
