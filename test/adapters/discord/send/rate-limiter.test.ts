import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { RateLimiter, type Turn } from "../../../../src/adapters/discord/send/rate-limiter.ts";

// Discord allows a bot so many requests in any second, counted where they arrive.

const { signal } = new AbortController();

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Requests that are answered after this long, or never; returns the start of each, in milliseconds. */
function requests(pacer: RateLimiter, count: number, answeredAfter: number): number[] {
  const went: number[] = [];
  const began = performance.now();
  for (let index = 0; index < count; index += 1) {
    void pacer.run(signal, async () => {
      went.push(performance.now() - began);
      await new Promise((resolve) => answeredAfter < Infinity && setTimeout(resolve, answeredAfter));
    });
  }
  return went;
}

test("a place is free again a second after the answer", async () => {
  const went = requests(new RateLimiter(2), 6, 100);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(went).toEqual([0, 0, 1103, 1103, 2206, 2206]);
});

test("each of several processes has its part of the limit, one request a second at least", async () => {
  let processes = 2;
  const pacer = new RateLimiter(4, () => processes);
  const went = requests(pacer, 4, 0);
  await vi.advanceTimersByTimeAsync(500);
  expect(went).toEqual([0, 0]);
  await vi.advanceTimersByTimeAsync(5000);
  processes = 1;
  const alone = requests(pacer, 4, 0);
  await vi.advanceTimersByTimeAsync(500);
  expect(alone).toHaveLength(4);
  await vi.advanceTimersByTimeAsync(5000);
  processes = 9;
  const many = requests(pacer, 2, 0);
  await vi.advanceTimersByTimeAsync(500);
  expect(many).toHaveLength(1);
});

test("requests that hang keep their places no longer than the way to Discord may take", async () => {
  const pacer = new RateLimiter(2);
  const went = requests(pacer, 4, Infinity);
  const behind = requests(pacer, 1, 0);
  expect(pacer.waiting).toBe(3);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([went, behind, pacer.waiting]).toEqual([[0, 0, 1503, 1503], [3006], 0]);
});

test("a late answer frees its place once", async () => {
  const pacer = new RateLimiter(1);
  requests(pacer, 1, 2000);
  await vi.advanceTimersByTimeAsync(5000);
  expect(requests(pacer, 3, Infinity)).toHaveLength(0);
  await vi.advanceTimersByTimeAsync(0);
  expect(pacer.waiting).toBe(2);
});

test("an urgent request goes before all that wait, a last one behind them, and none behind what is given up", async () => {
  const pacer = new RateLimiter(1);
  const went: string[] = [];
  const given = new AbortController();
  const ask = (name: string, turn: Turn, by = signal): Promise<unknown> =>
    pacer.run(by, () => Promise.resolve(went.push(name)), turn).catch(() => undefined);
  void ask("a", "usual");
  void ask("picture", "last");
  for (const name of ["b", "c"]) void ask(name, "usual");
  void ask("given up", "urgent", given.signal);
  void ask("stall", "urgent");
  void ask("its end", "urgent");
  expect(pacer.waiting).toBe(5);
  given.abort();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(went).toEqual(["a", "stall", "its end", "b", "c", "picture"]);
});
