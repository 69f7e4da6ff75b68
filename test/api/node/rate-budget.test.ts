import { describe, expect, test } from "vitest";

import { BudgetExhausted, type Lane, RateBudget } from "../../../src/api/node/rate-budget.ts";
import { settled, VirtualClock } from "../virtual-clock.ts";

const limits = { requestsPerSecond: 10, burst: 20, reserved: 5 };

function taken(budget: RateBudget, lane: Lane): number {
  let count = 0;
  while (budget.tryTake(lane)) count += 1;
  return count;
}

describe("a node's budget", () => {
  test("gives people the burst but for what is the watchers' alone", () => {
    const budget = new RateBudget(limits, new VirtualClock());
    expect(taken(budget, "people")).toBe(15);
    expect(taken(budget, "watchers")).toBe(5);
    expect(taken(budget, "watchers")).toBe(0);
  });

  test("fills at its rate, up to the burst", async () => {
    const clock = new VirtualClock();
    const budget = new RateBudget(limits, clock);
    taken(budget, "watchers");
    await clock.advance(700);
    expect(taken(budget, "watchers")).toBe(7);
    await clock.advance(3_600_000);
    expect(taken(budget, "watchers")).toBe(20);
  });

  test("lets people wait in order, and a watcher pass in front of them", async () => {
    const clock = new VirtualClock();
    const budget = new RateBudget(limits, clock);
    taken(budget, "watchers");
    const order: string[] = [];
    const wait = (name: string, lane: Lane): Promise<unknown> =>
      budget.take(lane, 60_000).then(() => order.push(`${name} ${clock.monotonicMillis()}`));
    const all = [wait("first", "people"), wait("second", "people")];
    await clock.advance(50);
    all.push(wait("watcher", "watchers"));
    await clock.advance(2000);
    await Promise.all(all);
    expect(order.map((entry) => entry.split(" ")[0])).toEqual(["watcher", "first", "second"]);
    expect(Number(order[0]?.split(" ")[1])).toBeLessThanOrEqual(200);
  });

  test("never gives more than its rate allows, however many ask", async () => {
    const clock = new VirtualClock();
    const budget = new RateBudget(limits, clock);
    let granted = 0;
    for (let caller = 0; caller < 100; caller += 1) {
      budget.take(caller % 10 === 0 ? "watchers" : "people", 600_000).then(
        () => (granted += 1),
        () => undefined,
      );
    }
    for (let second = 0; second < 6; second += 1) {
      await clock.advance(1000);
      expect(granted).toBeLessThanOrEqual(20 + 10 * (second + 1));
    }
    await clock.advance(60_000);
    expect(granted).toBe(100);
  });

  test("refuses at once who would wait too long, and says how long", async () => {
    const clock = new VirtualClock();
    const budget = new RateBudget(limits, clock);
    taken(budget, "people");
    const waits = Array.from({ length: 30 }, () => budget.take("people", 2000).catch((error: unknown) => error));
    await settled();
    const spent = await Promise.race([waits.at(-1), settled()]);
    expect(spent).toBeInstanceOf(BudgetExhausted);
    expect((spent as BudgetExhausted).waitMillis).toBeGreaterThan(2000);
    await clock.advance(60_000);
    const outcomes = await Promise.all(waits);
    expect(outcomes.filter((outcome) => outcome instanceof BudgetExhausted).length).toBe(10);
  });

  test("forgets who leaves", async () => {
    const clock = new VirtualClock();
    const budget = new RateBudget(limits, clock);
    taken(budget, "watchers");
    const leaver = new AbortController();
    const left = budget.take("people", 60_000, leaver.signal).catch((error: unknown) => error);
    const stays = budget.take("people", 60_000);
    leaver.abort(new Error("gone"));
    expect(await left).toMatchObject({ message: "gone" });
    await clock.advance(700);
    await stays;
    expect(taken(budget, "watchers")).toBeGreaterThan(0);
  });

  test("believes a node that says there is less", () => {
    const budget = new RateBudget(limits, new VirtualClock());
    budget.observeRemaining(8);
    expect(taken(budget, "people")).toBe(3);
    budget.observeRemaining(1000);
    expect(taken(budget, "watchers")).toBe(5);
  });
});
