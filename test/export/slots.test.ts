import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { UserError } from "../../src/errors.ts";
import { Slots } from "../../src/export/slots.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;

describe("Slots", () => {
  test("first come, first served, never more than allowed", async () => {
    const slots = new Slots({ running: 2, waiting: 5, waitMillis: 1000 });
    const order: string[] = [];
    const leaves = new Map<string, () => void>();
    const enter = async (name: string): Promise<void> => {
      const leave = await slots.enter(never);
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
    const slots = new Slots({ running: 1, waiting: 1, waitMillis: 1000 });
    const leave = await slots.enter(never);
    const waiting = slots.enter(never);
    await expect(slots.enter(never)).rejects.toThrow("1 exports are running and 1 are waiting already.");
    leave();
    (await waiting)();
    (await slots.enter(never))();
  });

  test("whoever gives up waiting loses his place, not the others theirs", async () => {
    const slots = new Slots({ running: 1, waiting: 3, waitMillis: 1000 });
    const leave = await slots.enter(never);
    const impatient = new AbortController();
    const first = slots.enter(impatient.signal);
    const second = slots.enter(never);
    impatient.abort(new Error("changed my mind"));
    await expect(first).rejects.toThrow("changed my mind");
    leave();
    await expect(second).resolves.toBeTypeOf("function");
  });

  test("no wait is endless", async () => {
    const slots = new Slots({ running: 1, waiting: 3, waitMillis: 1000 });
    await slots.enter(never);
    const refusal = slots.enter(never).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await refusal).toBeInstanceOf(UserError);
  });

  test("an aborted signal never enters", async () => {
    const slots = new Slots({ running: 1, waiting: 3, waitMillis: 1000 });
    await expect(slots.enter(AbortSignal.abort(new Error("no")))).rejects.toThrow("no");
  });
});
