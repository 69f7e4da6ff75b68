import { expect, test } from "vitest";

import { looksChartActions, type LooksKept } from "../../src/answers/answer.ts";
import type { AlertService } from "../../src/alerts/service/service.ts";

const SEEN = {} as ReturnType<NonNullable<AlertService["verdict"]>>;

test.each<[string, LooksKept, string | undefined, number]>([
  ["a process that only answers, which does not know what others keep", {}, undefined, 1],
  ["a process that only answers, where nothing is kept", { keepsLooks: false }, undefined, 0],
  ["a process that has looked, and keeps nothing", { verdict: () => SEEN, keepsLooks: false }, undefined, 0],
  ["a process that has looked", { verdict: () => SEEN }, undefined, 1],
  ["a process that has not looked yet", { verdict: () => undefined }, undefined, 0],
  ["a market with looks", { verdict: () => SEEN, marketsWithoutLooks: () => ["A/B"] }, "BTC/USDT", 1],
  ["a market beyond those with looks", { verdict: () => SEEN, marketsWithoutLooks: () => ["A/B"] }, "A/B", 0],
])("a picture is offered as far as there may be one: %s", (_, alerts, market, count) => {
  expect(looksChartActions({ network: "mainnet", alerts }, "network", {}, market)).toHaveLength(count);
});
