import { expect, test } from "vitest";

import { IdentifyBudget } from "../../../../src/adapters/discord/transport/transport.ts";

const HOUR = 3_600_000;

/** Starts sessions as fast as the budget allows, in virtual time; returns the start of each. */
async function beginningsWithin(millis: number, total: number): Promise<number[]> {
  let now = 0;
  const { signal } = new AbortController();
  const budget = new IdentifyBudget({
    now: () => now,
    sleep: async (wait) => {
      now += wait;
    },
  });
  budget.throttler({ total, remaining: total, reset_after: 0, max_concurrency: 1 });
  const begun: number[] = [];
  for (;;) {
    await budget.take(signal);
    if (now > millis) return begun;
    begun.push(now);
    now += 5000;
  }
}

test.each([1000, 2000])(
  "a gateway that flaps all day uses less than the %i sessions that Discord allows",
  async (total) => {
    const begun = await beginningsWithin(24 * HOUR, total);
    expect(begun.length).toBeLessThan(total * 0.8);
    expect(begun.length).toBeGreaterThan(total * 0.7);
  },
);

test("the first ones of an hour wait for nothing", async () => {
  expect(await beginningsWithin(100_000, 1000)).toEqual(Array.from({ length: 21 }, (_, index) => index * 5000));
});

test("a wait ends with its signal", async () => {
  const budget = new IdentifyBudget();
  const { signal } = new AbortController();
  for (let count = 0; count < 31; count += 1) await budget.take(signal);
  await expect(budget.take(AbortSignal.timeout(20))).rejects.toThrow(/abort/u);
});
