import { expect, test } from "vitest";

import { judgeMarkets } from "./judge-markets.ts";

const CONTINUOUS = "active, continuous";
const AUCTION = "suspended, monitoring auction";
const INTO = `INFO · BTC/USD on testnet was ${CONTINUOUS}, is ${AUCTION} (price)`;
const OUT = `INFO · BTC/USD on testnet was ${AUCTION} (price), is ${CONTINUOUS}`;
const BEGINS = "WARNING · BTC/USD is in an auction on testnet";
const ENDS = "RESOLVED · BTC/USD trades again on testnet";
const DIGEST = "DIGEST · 6 changes of markets on testnet, found at once";
const ROWS = `Kind,Block,Subject,Detail,Seen\nmarket.state,,BTC/USD,"${AUCTION} (price)",now`;

function judged(titles: readonly string[], stands?: string) {
  const messages = titles.map((title, index) => ({
    delivery: String(index),
    title,
    text: title === DIGEST ? ROWS : title,
  }));
  const kept = stands === undefined ? undefined : new Map([["BTC/USD", stands]]);
  return judgeMarkets({ name: "markets", platform: "discord", messages }, kept);
}

test.each([
  ["nothing", [], undefined],
  ["there and back", [INTO, OUT, INTO, OUT], CONTINUOUS],
  ["a digest between", [INTO, OUT, DIGEST, OUT], CONTINUOUS],
  ["an auction after the other", [BEGINS, ENDS, BEGINS], undefined],
  ["one told at once", [BEGINS, ENDS, "FIRED AND RESOLVED · BTC/USD trades again on testnet", BEGINS], undefined],
])("%s is no fault", (_name, titles, stands) => {
  expect(judged(titles, stands).faults).toEqual([]);
});

test.each([
  ["a change that was lost", [INTO, INTO], CONTINUOUS],
  ["the last one lost", [INTO], CONTINUOUS],
  ["one lost before a digest", [INTO, DIGEST], AUCTION],
  ["one told twice", [INTO, OUT, OUT], CONTINUOUS],
  ["an auction that begins twice", [BEGINS, BEGINS], undefined],
  ["one that ends twice", [BEGINS, ENDS, ENDS], undefined],
])("%s is a fault", (_name, titles, stands) => {
  expect(judged(titles, stands).faults).not.toEqual([]);
});
