import { expect, test } from "vitest";

import { DEFAULT_ALERTS_CONFIG } from "../../../src/alerts/alerts-config.ts";
import { ruleFor } from "../../../src/alerts/judge/rules/rules.ts";
import { UserError } from "../../../src/errors.ts";
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

test("a trial whose looks take too much memory ends with a sentence", async () => {
  const look = JSON.stringify({
    at: "1000000",
    run: "a",
    dueMillis: 1,
    every: 5000,
    seen: { facts: { "node.down": {} } },
  });
  const tail = Array.from({ length: 2000 }, (_, index) => {
    const facts = {
      "node.down": Object.fromEntries(
        Array.from({ length: 400 }, (__, node) => [`${index}-${node}`, { state: "bad" }]),
      ),
    };
    return {
      network: "mainnet",
      watcher: "sources",
      number: index,
      at: index,
      data: look.replace('{"node.down":{}}', JSON.stringify(facts)),
    };
  });
  const looks = { packed: async () => [], tailBetween: async () => tail };
  const store: Pick<Store, "read"> = { read: async (ask) => ask({ looks } as never) };
  const trial = createTrials(store, DEFAULT_ALERTS_CONFIG);
  const { signal } = new AbortController();
  await expect(trial(REQUEST, "a", signal)).rejects.toThrow(
    new UserError("This trial needs too much memory.", { remedy: "" }).message,
  );
});
