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
