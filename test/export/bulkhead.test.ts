import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { UserError } from "../../src/errors.ts";
import { Bulkhead } from "../../src/export/bulkhead.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;

describe("Slots", () => {
  test("first come, first served, never more than allowed", async () => {
    const slots = new Bulkhead({ running: 2, waiting: 5, waitMillis: 1000 });
    const order: string[] = [];
    const leaves = new Map<string, () => void>();
    const enter = async (name: string): Promise<void> => {
      const leave = await slots.acquire(never);
      order.push(name);
      leaves.set(name, leave);
    };
    const all = ["a", "b", "c", "d"].map(enter);
    await Promise.all(all.slice(0, 2));
    expect(order).toEqual(["a", "b"]);
    leaves.get("b")?.();
    leaves.get("b")?.();
    await all[2];
    expect(order).toEqual(["a", "b", "c"]);
    leaves.get("a")?.();
    await all[3];
    expect(order).toEqual(["a", "b", "c", "d"]);
  });

  test("one more than may wait is refused at once", async () => {
    const slots = new Bulkhead({ running: 1, waiting: 1, waitMillis: 1000 });
    const leave = await slots.acquire(never);
    const waiting = slots.acquire(never);
    await expect(slots.acquire(never)).rejects.toThrow("1 exports are running and 1 are waiting already.");
    leave();
    (await waiting)();
    (await slots.acquire(never))();
  });

  test("whoever gives up waiting loses his place, not the others theirs", async () => {
    const slots = new Bulkhead({ running: 1, waiting: 3, waitMillis: 1000 });
    const leave = await slots.acquire(never);
    const impatient = new AbortController();
    const first = slots.acquire(impatient.signal);
    const second = slots.acquire(never);
    impatient.abort(new Error("changed my mind"));
    await expect(first).rejects.toThrow("changed my mind");
    leave();
    await expect(second).resolves.toBeTypeOf("function");
  });

  test("no wait is endless", async () => {
    const slots = new Bulkhead({ running: 1, waiting: 3, waitMillis: 1000 });
    await slots.acquire(never);
    const refusal = slots.acquire(never).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await refusal).toBeInstanceOf(UserError);
  });

  test("an aborted signal never enters", async () => {
    const slots = new Bulkhead({ running: 1, waiting: 3, waitMillis: 1000 });
    await expect(slots.acquire(AbortSignal.abort(new Error("no")))).rejects.toThrow("no");
  });
});
