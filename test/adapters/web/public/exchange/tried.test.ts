import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { createTried, triedLine } from "../../../../../src/adapters/web/public/exchange/tried.js";

test.each<[typed: string, line: string | undefined]>([
  ["alerts add node.lagging behind:2m", "alerts try node.lagging behind:2m"],
  [' Alerts add BTC/USDT mark above 95k note:"Call us, now" to:#ops quiet:22-7', "alerts try BTC/USDT mark above 95k"],
  [
    'alerts try market.value BTC/USDT if:"mark above 1" days:7',
    'alerts try market.value BTC/USDT if:"mark above 1" days:7',
  ],
  ["alerts edit 7k2mq behind:2m style:plain", "alerts try id:7k2mq behind:2m"],
  ["alerts edit --behind=2m id:7k2mq", "alerts try id:7k2mq --behind=2m"],
  ["alerts edit 7k2mq", undefined],
  ["alerts edit 7k2mq quiet:22-7", undefined],
  ["alerts add ", undefined],
  ["alerts adding node.down", undefined],
  ["time", undefined],
])("%s is counted by %s", (typed, line) => {
  expect(triedLine(typed)).toBe(line);
});

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Somebody who types, and counts that come when the test says so. */
function typing() {
  const shown = { textContent: "" };
  const asked: { line: string; signal: AbortSignal; answer: PromiseWithResolvers<string | undefined> }[] = [];
  const tried = createTried(shown, (line, signal) => {
    const answer = Promise.withResolvers<string | undefined>();
    asked.push({ line, signal, answer });
    return answer.promise;
  });
  return { shown, asked, type: (line: string) => tried.changed(line) };
}

test("is asked after half a second of rest, and not again for the same", async () => {
  const { shown, asked, type } = typing();
  for (const line of ["alerts add n", "alerts add no", "alerts add node.down"]) {
    type(line);
    await vi.advanceTimersByTimeAsync(499);
  }
  expect([asked.length, shown.textContent]).toEqual([0, ""]);
  await vi.advanceTimersByTimeAsync(1);
  expect([asked.map(({ line }) => line), shown.textContent]).toEqual([["alerts try node.down"], "Counting …"]);
  type("alerts add node.down  note:x");
  await vi.advanceTimersByTimeAsync(1000);
  asked[0]?.answer.resolve("3 times");
  await vi.advanceTimersByTimeAsync(0);
  expect([asked.length, shown.textContent]).toEqual([1, "3 times"]);
  type("");
  expect(shown.textContent).toBe("");
});

test("cancels the older question, whose answer overwrites no newer one", async () => {
  const { shown, asked, type } = typing();
  type("alerts add node.lagging behind:1m");
  await vi.advanceTimersByTimeAsync(500);
  type("alerts add node.lagging behind:2m");
  expect(asked[0]?.signal.aborted).toBe(true);
  await vi.advanceTimersByTimeAsync(500);
  asked[1]?.answer.resolve("twice");
  await vi.advanceTimersByTimeAsync(0);
  asked[0]?.answer.resolve("40 times");
  await vi.advanceTimersByTimeAsync(0);
  expect(shown.textContent).toBe("twice");
});

test("a mistake, and a question that fails, show nothing", async () => {
  const { shown, asked, type } = typing();
  type("alerts add node.lagging behind:soon");
  await vi.advanceTimersByTimeAsync(500);
  asked[0]?.answer.resolve(undefined);
  await vi.advanceTimersByTimeAsync(0);
  expect(shown.textContent).toBe("");
  type("alerts add node.lagging behind:3m");
  await vi.advanceTimersByTimeAsync(500);
  asked[1]?.answer.reject(new Error("gone"));
  await vi.advanceTimersByTimeAsync(0);
  expect(shown.textContent).toBe("");
});
