import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { UserError } from "../../src/errors.ts";
import { Bulkhead } from "../../src/export/bulkhead.ts";
import { saying } from "../support/said.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;

describe("Bulkhead", () => {
  test("first come, first served, never more than allowed", async () => {
    const bulkhead = new Bulkhead({ running: 2, waiting: 5, waitMillis: 1000 });
    const order: string[] = [];
    const leaves = new Map<string, () => void>();
    const enter = async (name: string): Promise<void> => {
      const release = await bulkhead.acquire(never);
      order.push(name);
      leaves.set(name, release);
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
    const bulkhead = new Bulkhead({ running: 1, waiting: 1, waitMillis: 1000 });
    const release = await bulkhead.acquire(never);
    const waiting = bulkhead.acquire(never);
    await expect(bulkhead.acquire(never)).rejects.toThrow(saying(1, 1));
    release();
    (await waiting)();
    (await bulkhead.acquire(never))();
  });

  test("an aborted waiter loses its place, the others keep theirs", async () => {
    const bulkhead = new Bulkhead({ running: 1, waiting: 3, waitMillis: 1000 });
    const release = await bulkhead.acquire(never);
    const impatient = new AbortController();
    const first = bulkhead.acquire(impatient.signal);
    const second = bulkhead.acquire(never);
    impatient.abort(new Error("changed my mind"));
    await expect(first).rejects.toThrow("changed my mind");
    release();
    await expect(second).resolves.toBeTypeOf("function");
  });

  test("no wait is endless", async () => {
    const bulkhead = new Bulkhead({ running: 1, waiting: 3, waitMillis: 1000 });
    await bulkhead.acquire(never);
    const refusal = bulkhead.acquire(never).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await refusal).toBeInstanceOf(UserError);
  });

  test("an aborted signal acquires nothing", async () => {
    const bulkhead = new Bulkhead({ running: 1, waiting: 3, waitMillis: 1000 });
    await expect(bulkhead.acquire(AbortSignal.abort(new Error("no")))).rejects.toThrow("no");
  });
});
