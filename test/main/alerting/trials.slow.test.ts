import { expect, test } from "vitest";

import { DEFAULT_ALERTS_CONFIG } from "../../../src/alerts/alerts-config.ts";
import { ruleFor } from "../../../src/alerts/judge/rules/rules.ts";
import { createTrials } from "../../../src/main/alerting/trials.ts";
import type { Store } from "../../../src/store/store.ts";

const REQUEST = {
  network: "mainnet",
  from: 0,
  to: 86_400_000,
  tried: [{ rules: [ruleFor("node.down", {}, DEFAULT_ALERTS_CONFIG)], subjects: [] }],
};
/** A database that answers nothing. */
const SILENT: Pick<Store, "read"> = { read: () => new Promise(() => undefined) };

test("a trial ends with its signal, one asker has one, and four run at a time", async () => {
  const trial = createTrials(SILENT, DEFAULT_ALERTS_CONFIG);
  const stop = new AbortController();
  const askers = ["a", "b", "c", "d"];
  const running = askers.map((asker) => trial(REQUEST, asker, stop.signal));
  const outcomes = Promise.allSettled(running);
  await expect(trial(REQUEST, "a", stop.signal)).rejects.toThrow("Your last trial is still running.");
  await expect(trial(REQUEST, "e", stop.signal)).rejects.toThrow("4 trials are running already.");
  const began = performance.now();
  stop.abort(new Error("the bot stops"));
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { message: "the bot stops" } });
  expect(performance.now() - began).toBeLessThan(5000);
  await expect(trial(REQUEST, "a", stop.signal)).rejects.toThrow("the bot stops");
});

test("a trial of looks that take too much memory or time ends with a sentence", async () => {
  const nodes = Object.fromEntries(Array.from({ length: 500_000 }, (_, node) => [`node-${node}`, { state: "bad" }]));
  const seen = { facts: { "node.down": nodes } };
  const data = JSON.stringify({ at: "1000000", run: "a", dueMillis: 1, every: 5000, seen });
  const tail = [{ network: "mainnet", watcher: "sources", number: 1, at: 1, data }];
  const looks = { packed: async () => [], tailBetween: async () => tail };
  const store: Pick<Store, "read"> = { read: async (ask) => ask({ looks } as never) };
  const trial = createTrials(store, DEFAULT_ALERTS_CONFIG);
  const { signal } = new AbortController();
  await expect(trial(REQUEST, "a", signal)).rejects.toThrow(/^This trial needs too much (?:memory|time)\.$/u);
});
