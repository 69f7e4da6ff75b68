import { expect, test } from "vitest";

import { MARKET, PARTY } from "../../../src/answers/ids/ids.ts";
import { suggestIds } from "../../../src/answers/ids/typed-ids.ts";
import type { SuggestContext } from "../../../src/bot/options/options.ts";
import { shortenId } from "../../../src/reply/text.ts";

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

test("parties come by their stake, the largest first, then those that were seen", async () => {
  const stakers = [
    { id: "aa".repeat(32), stake: 1_862_193_910_000n * 10n ** 12n },
    { id: "bb".repeat(32), stake: 5n * 10n ** 18n },
  ];
  const context = {
    api: { network: "mainnet", getStakers: () => Promise.resolve(stakers) },
    seen: { note: async () => {}, find: async () => [{ id, label: undefined }] },
    signal: new AbortController().signal,
  } as unknown as SuggestContext;
  expect(await suggestIds(PARTY)("", context)).toEqual([
    { label: "aaaaaaaa…aaaa · stakes 1,862,193.91", value: "aa".repeat(32) },
    { label: "bbbbbbbb…bbbb · stakes 5", value: "bb".repeat(32) },
    { label: shortenId(id), value: id },
  ]);
});
