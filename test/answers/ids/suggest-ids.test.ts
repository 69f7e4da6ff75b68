import { expect, test } from "vitest";

import { MARKET } from "../../../src/answers/ids/ids.ts";
import { suggestIds } from "../../../src/answers/ids/suggest-ids.ts";
import type { SuggestContext } from "../../../src/bot/options/options.ts";

const id = "ab".repeat(32);

test("a slow node does not delay suggestions of ids seen before", async () => {
  const context = {
    api: { network: "mainnet", getMarketNames: () => new Promise(() => {}) },
    seen: { note: async () => {}, find: async () => [{ id, label: "BTC/USDT" }] },
    signal: new AbortController().signal,
  } as unknown as SuggestContext;
  expect(await suggestIds(MARKET)("btc", context)).toEqual([expect.objectContaining({ value: id })]);
});

test("active markets come first, then those that wait, then ended ones", async () => {
  const states = ["SETTLED", "PENDING", "ACTIVE", "PROPOSED", "SUSPENDED"];
  const markets = states.map((state, index) => ({ id: `${index}`.repeat(64), code: state, state: `STATE_${state}` }));
  const context = {
    api: { network: "mainnet", getMarketNames: () => Promise.resolve(markets) },
    seen: { note: async () => {}, find: async () => [] },
    signal: new AbortController().signal,
  } as unknown as SuggestContext;
  const offered = (await suggestIds(MARKET)("", context)).map(({ value }) => value);
  expect(offered).toEqual(["ACTIVE", "SUSPENDED", "PENDING", "PROPOSED", "SETTLED"]);
});
