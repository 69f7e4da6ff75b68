import { expect, test } from "vitest";

import { IdentifyBudget } from "../../../../src/adapters/discord/transport/identify-budget.ts";

const HOUR = 3_600_000;

/** Starts sessions as fast as the budget allows, in virtual time; returns the start of each. */
function beginningsWithin(millis: number, total: number, shards = 1): number[] {
  const budget = new IdentifyBudget();
  budget.throttler({ total, remaining: total, reset_after: 0, max_concurrency: 1 }, shards);
  const begun: number[] = [];
  for (let now = 0; ; now += 5000) {
    for (let wait = budget.take(now); wait > 0; wait = budget.take(now)) now += wait;
    if (now > millis) return begun;
    begun.push(now);
  }
}

test.each([1000, 2000])("a gateway that flaps all day uses less than the %i sessions that Discord allows", (total) => {
  const begun = beginningsWithin(24 * HOUR, total);
  expect(begun.length).toBeLessThan(total * 0.8);
  expect(begun.length).toBeGreaterThan(total * 0.7);
});

test("the first ones of an hour wait for nothing", () => {
  expect(beginningsWithin(100_000, 1000)).toEqual(Array.from({ length: 21 }, (_, index) => index * 5000));
});

test.each([32, 64, 100])("all of %i shards start without a wait, and twice as many later", (shards) => {
  const begun = beginningsWithin(12 * HOUR, 1000, shards);
  expect(begun[shards - 1]).toBe((shards - 1) * 5000);
  expect(begun.length).toBeGreaterThan(2 * shards);
  expect(beginningsWithin(24 * HOUR, 1000, shards).length).toBeLessThan(900);
});

test("a wait ends with its signal", async () => {
  const budget = new IdentifyBudget();
  const throttler = budget.throttler({ total: 32, remaining: 32, reset_after: 0, max_concurrency: 16 }, 1);
  for (const shard of [0, 1]) await throttler.waitForIdentify(shard, new AbortController().signal);
  await expect(throttler.waitForIdentify(2, AbortSignal.timeout(20))).rejects.toThrow(/abort/u);
});
