import { afterEach, expect, test, vi } from "vitest";

import { collectGarbageOnce } from "../../src/main/v8-memory.ts";
import { until } from "../support/fake-discord/until.ts";

afterEach(() => void vi.useRealTimers());

/** Something that nobody holds, and how to ask whether it is still there. */
function litter(): WeakRef<object> {
  return new WeakRef({ large: new Uint8Array(1_000_000) });
}

test("what was needed only to start is given back once all is settled", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const left = litter();
  collectGarbageOnce();
  await vi.advanceTimersByTimeAsync(20_000);
  vi.useRealTimers();
  await until(() => left.deref() === undefined, "the garbage to be gone");
});

test("not in a process that ends before", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  collectGarbageOnce()();
  expect(vi.getTimerCount()).toBe(0);
});
