import { expect, test } from "vitest";

import { AlertEvent } from "../../src/alerts/judge/kinds/event.ts";
import type { Reading } from "../../src/alerts/judge/kinds/reading.ts";
import { describe } from "../../src/alerts/words/words.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import { anEpisode } from "../alerts/samples.ts";
import { judgeMarkets } from "./judge-markets.ts";

const CONTINUOUS = "active, continuous";
const AUCTION = "suspended, monitoring auction";

const MARKET = {
  kind: "market.state",
  network: "testnet",
  subject: "m1",
  label: "BTC/USD",
  key: "k",
  at: "1",
} as const;
const TRADES = { state: "STATE_ACTIVE", tradingMode: "TRADING_MODE_CONTINUOUS" };
const HALTS = {
  state: "STATE_SUSPENDED",
  tradingMode: "TRADING_MODE_MONITORING_AUCTION",
  trigger: "AUCTION_TRIGGER_PRICE",
};
const SETTLED = { state: "STATE_SETTLED", tradingMode: "TRADING_MODE_NO_TRADING" };
const OPENS = { state: "STATE_ACTIVE", tradingMode: "TRADING_MODE_OPENING_AUCTION" };

/** In the bot's own words, so that this test fails when they change. */
function titleOf(after: object, before?: object, more: object = {}): string {
  const event = AlertEvent.parse({ ...MARKET, after, ...(before === undefined ? {} : { before }), ...more });
  return plainText(describe({ type: "event", event }, {}).title);
}

function auctionTitle(state: "firing" | "resolved"): string {
  const common = { network: "testnet", subject: "m1" };
  const reading: Reading = {
    ...common,
    kind: "market.auction",
    label: "BTC/USD",
    state: "bad",
    seenBy: ["a:1"],
    nodes: 1,
    facts: {},
  };
  const episode = anEpisode("market.auction", { ...common, state, first: reading, last: reading });
  const phase = state === "firing" ? "trigger" : "resolve";
  return plainText(describe({ type: "condition", phase, episode }, {}).title);
}

const NEW = titleOf(OPENS);
const OPENED = titleOf(TRADES, OPENS);
const INTO = titleOf(HALTS, TRADES);
const OUT = titleOf(TRADES, HALTS);
const OVER = titleOf(SETTLED, TRADES, { price: "92695.98" });
const BEGINS = auctionTitle("firing");
const ENDS = auctionTitle("resolved");
const DIGEST = "6 changes of markets on testnet, all at once";
const ROWS = `Kind,Block,Subject,Detail,Seen\nmarket.state,,BTC/USD,"${AUCTION} (price)",now`;

function judged(titles: readonly string[], stands?: string) {
  const messages = titles.map((title, index) => ({
    delivery: String(index),
    title,
    text: title === DIGEST ? ROWS : title,
  }));
  const stored = stands === undefined ? undefined : new Map([["BTC/USD", stands]]);
  return judgeMarkets({ name: "markets", platform: "discord", messages }, stored);
}

/** Messages with the lines of their lists. */
function judgedGroups(all: readonly (readonly [title: string, ...named: string[]])[]): readonly string[] {
  const messages = all.map(([title, ...named], index) => ({
    delivery: String(index),
    title,
    text: [title, ...named.map((name) => `• **${name.replace("/", "\\/")}**: since now`)].join("\n"),
  }));
  return judgeMarkets(
    { name: "markets", platform: "discord", messages },
    new Map([
      ["ETH/USD", ""],
      ["BTC/USD-P", ""],
    ]),
  ).faults;
}

test("one message may say the auctions of several markets", () => {
  const begins = ["2 markets on testnet are in an auction since 22:13:20 UTC", "BTC/USD", "ETH/USD"] as const;
  const eth = "Resolved: ETH/USD on testnet was in an auction for 5 min (22:13:20 to 22:18:20 UTC)";
  expect(judgedGroups([[BEGINS, "BTC/USD", "ETH/USD"], [ENDS], [eth]])).toEqual([]);
  expect(
    judgedGroups([
      begins,
      ["Resolved: 2 markets on testnet were in an auction for 5 min (22:13:20 to 22:18:20 UTC)", "BTC/USD", "ETH/USD"],
    ]),
  ).toEqual([]);
  expect(judgedGroups([begins, [eth], [eth]])).toEqual(["markets: more auctions of ETH/USD ended than began"]);
  expect(judgedGroups([[BEGINS, "BTC/USD-P"], [ENDS]])).toEqual([]);
  const both = [
    "2 markets on testnet were in an auction for 5 min (22:13:20 to 22:18:20 UTC)",
    "BTC/USD",
    "ETH/USD",
  ] as const;
  expect(judgedGroups([[`Over already: ${both[0]}`, "BTC/USD", "ETH/USD"], begins, both])).toEqual([]);
  expect(judgedGroups([[`Over already: ${both[0]}`, "BTC/USD", "ETH/USD"], both])).toEqual([
    "markets: more auctions of ETH/USD ended than began",
  ]);
});

test.each([
  [BEGINS, `Over already: ${ENDS}`, 0],
  [`Over already: ${ENDS}`, `Over already: ${ENDS}`, 0],
  [BEGINS, BEGINS, 1],
])("of a delivery that came as %s and as %s the second one is an end where it tells more", (first, again, faults) => {
  const messages = [first, again, BEGINS].map((title, index) => ({
    delivery: index < 2 ? "d1" : "d2",
    title,
    text: "",
  }));
  expect(judgeMarkets({ name: "markets", platform: "slack", messages }, undefined).faults).toHaveLength(faults);
});

test.each([
  ["nothing", [], undefined],
  ["there and back", [INTO, OUT, INTO, OUT], CONTINUOUS],
  ["a new one that opens", [NEW, OPENED, INTO], AUCTION],
  ["one that is over, with its last price", [INTO, OUT, OVER], "settled, no trading"],
  ["a digest between", [INTO, OUT, DIGEST, OUT], CONTINUOUS],
  ["an auction after the other", [BEGINS, ENDS, BEGINS], undefined],
  [
    "one announced at once",
    [BEGINS, ENDS, "Over already: BTC/USD on testnet was in an auction for 5 s (22:13:20 to 22:13:25 UTC)", BEGINS],
    undefined,
  ],
])("%s is no fault", (_name, titles, stands) => {
  expect(judged(titles, stands).faults).toEqual([]);
});

test.each([
  ["a change that was lost", [INTO, INTO], CONTINUOUS],
  ["the last one lost", [INTO], CONTINUOUS],
  ["one lost before a digest", [INTO, DIGEST], AUCTION],
  ["one announced twice", [INTO, OUT, OUT], CONTINUOUS],
  ["a new one announced twice", [NEW, NEW], undefined],
  ["an auction that begins twice", [BEGINS, BEGINS], undefined],
  ["one that ends twice", [BEGINS, ENDS, ENDS], undefined],
])("%s is a fault", (_name, titles, stands) => {
  expect(judged(titles, stands).faults).not.toEqual([]);
});

test("a market whose name has signs of markup is the same in a digest's file and in a title", () => {
  const messages = [
    { delivery: "1", title: DIGEST, text: ROWS.replace("BTC/USD", "OIL*BRENT*") },
    { delivery: "2", title: OUT.replace("BTC/USD", "OILBRENT"), text: "" },
  ];
  const stored = new Map([["OILBRENT", CONTINUOUS]]);
  const whole = { name: "markets", platform: "discord", messages } as const;
  expect(judgeMarkets(whole, stored).faults).toEqual([]);
  expect(judgeMarkets({ ...whole, messages: messages.slice(0, 1) }, stored).faults).toHaveLength(1);
});

test("every change is counted, however it is announced", () => {
  expect(judged([NEW, OPENED, INTO, OUT]).count).toBe(4);
  expect(judged([BEGINS, ENDS, `Over already: ${ENDS}`, BEGINS]).auctions).toBe(3);
});
