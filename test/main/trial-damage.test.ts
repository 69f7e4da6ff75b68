import { expect, test } from "vitest";

import { DEFAULT_ALERTS_CONFIG } from "../../src/alerts/alerts-config.ts";
import { ruleFor } from "../../src/alerts/judge/rules/rules.ts";
import { encodeChunk } from "../../src/looks/columns.ts";
import { type Look, lookToText } from "../../src/looks/look.ts";
import { tryNewestFirst } from "../../src/main/alerting/newest-first.ts";
import { fromMillis } from "../../src/units/time.ts";

const FROM = 1_800_000_000_000;
const config = DEFAULT_ALERTS_CONFIG;

function look(second: number, seen: Look["seen"]): Look {
  return { run: "a", every: 5000, dueMillis: second * 1000, at: fromMillis(FROM + second * 1000), seen: seen ?? null };
}

const down = (second: number, rounds: number) =>
  look(second, { facts: { "node.down": { "node-1": { state: rounds > 0 ? "bad" : "good", rounds } } } });

test("a trial leaves out rows that cannot be read, counts them, and judges the rest", async () => {
  const early = [0, 5, 10].map((at) => down(at, 0));
  const whole = await encodeChunk(early);
  const packed = [whole, whole.subarray(0, whole.length / 2), Buffer.from("no chunk"), Buffer.alloc(0)];
  const texts = [
    ...[15, 20, 25, 30, 35].map((at) => lookToText(down(at, at / 5 - 2))),
    "{",
    "{}",
    lookToText(look(40, { facts: null, other: "x" })),
  ];
  const chunks = packed.map((bytes, index) => ({
    first: index * 3 + 1,
    last: index * 3 + 3,
    first_at: FROM,
    last_at: FROM + 10_000,
    bytes,
    size: bytes.length,
    network: "mainnet",
    watcher: "sources",
  }));
  const tail = texts.map((data, index) => ({
    network: "mainnet",
    watcher: "sources",
    number: index + 20,
    at: FROM + 15_000 + index * 5000,
    data,
  }));
  const markets = [look(15, { markets: null })];
  const { trials, damaged, seen } = await tryNewestFirst(
    async ({ watcher }) => {
      const rows = markets.map((one, index) => ({
        network: "mainnet",
        watcher,
        number: index,
        at: FROM,
        data: lookToText(one),
      }));
      return watcher === "markets"
        ? { chunks: [], tail: rows, last: 2, isEnd: true }
        : { chunks, tail, last: 30, isEnd: true };
    },
    {
      network: "mainnet",
      from: FROM,
      to: FROM + 60_000,
      config,
      tried: [
        {
          rules: [ruleFor("node.down", { rounds: 2 }, config), ruleFor("market.value", { if: "mark above 1" }, config)],
          subjects: [],
        },
      ],
    },
    5000,
  );
  expect(trials[0]?.episodes.map(({ kind, subject }) => [kind, subject])).toEqual([["node.down", "node-1"]]);
  expect(seen).toEqual({ from: FROM, to: FROM + 40_000 });
  // Three chunks, two texts and the look at markets.
  expect(damaged).toBe(6);
});

test("what is kept of one market says nothing about another", async () => {
  const seen = { markets: { a: { values: { mark: "2" } }, b: { price: "2" } } };
  const data = [look(0, seen), look(5, {})].map((one) => lookToText(one));
  const tail = data.map((text, number) => ({ network: "mainnet", watcher: "markets", number, at: FROM, data: text }));
  const tried = ["a", "b"].flatMap((subject) =>
    ["mark above 1", "mark changes 5% within 10min"].map((written) => ({
      rules: [ruleFor("market.value", { if: written }, config)],
      subjects: [subject],
    })),
  );
  const request = { network: "mainnet", from: FROM, to: FROM + 60_000, config, tried };
  const readPage = async ({ watcher }: { readonly watcher: string }) => {
    return { chunks: [], tail: watcher === "markets" ? tail : [], last: 2, isEnd: true };
  };
  const { trials, damaged } = await tryNewestFirst(readPage, request, 5000);
  expect(trials.map(({ known }) => known.has("market.value"))).toEqual([true, false, false, false]);
  expect(trials.map(({ episodes }) => episodes.length)).toEqual([1, 0, 0, 0]);
  expect(damaged).toBe(0);
});
