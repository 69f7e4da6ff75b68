import { expect, onTestFinished, test } from "vitest";

import { keepLooks, type LooksBounds } from "../../src/looks/keep.ts";
import { lookToText } from "../../src/looks/look.ts";
import { readLooks } from "../../src/looks/read.ts";
import { type Log, silentLog } from "../../src/log.ts";
import { createStore } from "../../src/store/create-store.ts";
import { fromMillis, toMillis } from "../../src/units/time.ts";
import { VirtualClock } from "../api/virtual-clock.ts";
import { scratchDatabase } from "../support/scratch-database.ts";

const HOUR = 3_600_000;
const OF = { network: "mainnet", watcher: "sources" };
const BOUNDS: LooksBounds = { keepMillis: 30 * 24 * HOUR, maxBytes: 1e9, markets: 1 };

/** A store, a clock that stands at an hour's beginning, and what the log says. */
async function kept(bounds: Partial<LooksBounds> = {}) {
  const database = await scratchDatabase();
  const store = createStore({ url: `file:${database.file}`, log: silentLog() });
  const clock = new VirtualClock();
  const events: (readonly [string, Readonly<Record<string, unknown>>])[] = [];
  const write = (fields: Readonly<Record<string, unknown>>, event: string) => void events.push([event, fields]);
  const log: Log = { debug: write, info: write, warn: write, error: write, fatal: write };
  const ending = new AbortController();
  const settings = { version: "1", nodes: ["a"] };
  const options = { store, bounds: { ...BOUNDS, ...bounds }, run: "r", settings, clock, log };
  const keeping = keepLooks(OF.network, options, ending.signal);
  onTestFinished(async () => {
    ending.abort(new Error("done"));
    await keeping;
    await store.close();
    await database.remove();
  });
  const wall = (): number => toMillis(clock.wallClock());
  const began = Math.ceil(wall() / HOUR) * HOUR;
  await clock.advance(began - wall());
  let due = 0;
  return {
    store,
    clock,
    began,
    events,
    /** One look at the present moment, with a fact. */
    look: async (fact: number, data?: string, every = 5000): Promise<void> => {
      const at = wall();
      const look = { run: "r", dueMillis: (due += 1), every, at: fromMillis(at), seen: { fact } };
      await store.transaction(({ alerts }) =>
        alerts.watch.putSnapshot(OF.network, OF.watcher, at, "{}", data ?? lookToText(look)),
      );
    },
    facts: async (from = 0, to = Number.MAX_SAFE_INTEGER): Promise<readonly unknown[]> => {
      const found: unknown[] = [];
      for await (const { seen } of readLooks(store, { ...OF, from, to })) found.push(seen);
      return found.map((seen) => (seen as { fact: number }).fact);
    },
    tail: () => store.read(({ looks }) => looks.tail(OF, 100)),
    chunks: () => store.read(({ looks }) => looks.packed({ ...OF, after: 0, from: 0, to: 1e15, limit: 100 })),
  };
}

test("the looks of an hour are packed once it is over, and read as if they were not", async () => {
  const { clock, began, look, facts, tail, chunks } = await kept();
  for (let fact = 0; fact < 6; fact += 1) {
    await look(fact);
    await clock.advance(20 * 60_000);
  }
  // Two hours are over: nothing is left of them in the tail.
  await clock.advance(60_000);
  await look(6);
  await expect
    .poll(async () => (await chunks()).map(({ first, last }) => [first, last]))
    .toEqual([
      [1, 3],
      [4, 6],
    ]);
  expect((await tail()).map(({ number }) => number)).toEqual([7]);
  expect(await facts()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(await facts(began + 20 * 60_000, began + 80 * 60_000)).toEqual([1, 2, 3, 4]);
});

test("of a watcher that looks seldom, the looks of six hours are packed together", async () => {
  const { clock, began, look, facts, chunks } = await kept();
  for (let fact = 0; fact < 13; fact += 1) {
    await look(fact, undefined, HOUR);
    await clock.advance(HOUR);
  }
  const first = 6 - ((began / HOUR) % 6);
  await expect.poll(async () => (await chunks()).map(({ last }) => last)).toEqual([first, first + 6]);
  expect(await facts()).toEqual(Array.from({ length: 13 }, (_, fact) => fact));
});

test("a wall clock that is set back keeps the order in which looks were made", async () => {
  const { clock, look, facts, chunks } = await kept();
  await look(0);
  await clock.advance(HOUR - 1000);
  await look(1);
  clock.setWall(-10 * 60_000);
  await look(2);
  await clock.advance(2 * HOUR);
  await expect.poll(async () => (await chunks()).length).toBe(1);
  expect(await facts()).toEqual([0, 1, 2]);
});

test("a wall clock that was far ahead for a while holds up no packing", async () => {
  const { clock, look, facts, chunks, tail } = await kept();
  clock.setWall(400 * HOUR);
  await look(0);
  await clock.advance(60_000);
  await look(1);
  clock.setWall(-400 * HOUR);
  await look(2);
  await clock.advance(HOUR);
  await look(3);
  await clock.advance(HOUR);
  const left = async () => {
    await clock.advance(60_000);
    return (await tail()).length;
  };
  await expect.poll(left).toBe(0);
  expect((await chunks()).map(({ first, last }) => [first, last])).toEqual([
    [1, 2],
    [3, 3],
    [4, 4],
  ]);
  expect(await facts()).toEqual([0, 1, 2, 3]);
});

test("what is not packed yet counts towards the room that looks may take", async () => {
  const { clock, look, chunks, tail, events } = await kept({ maxBytes: 2000 });
  await look(0);
  await clock.advance(HOUR);
  await expect.poll(async () => (await chunks()).length).toBe(1);
  const large = { run: "r", dueMillis: 1, every: 5000, at: fromMillis(toMillis(clock.wallClock())) };
  await look(1, lookToText({ ...large, seen: { fact: 1, text: "ä".repeat(1500) } }));
  // Of the present hour still, when the oldest looks go next: at a clock that was set back.
  clock.setWall(-HOUR);
  await clock.advance(60_000);
  await expect.poll(async () => (await chunks()).length).toBe(0);
  expect((await tail()).length).toBe(1);
  expect(events.filter(([event]) => event === "looks dropped")).toHaveLength(1);
});

test("a look that cannot be read is dropped, and said so", async () => {
  const { clock, look, facts, events } = await kept();
  await look(0);
  await look(1, '{"at":"17');
  await look(2);
  await clock.advance(2 * HOUR);
  await expect.poll(async () => events.map(([event]) => event)).toContain("look unreadable");
  await expect.poll(() => facts()).toEqual([0, 2]);
});

test.each<[string, Partial<LooksBounds>]>([
  ["are too old", { keepMillis: 24 * HOUR }],
  ["take too much room", { maxBytes: 500 }],
])("the oldest looks go where they %s", async (_, bounds) => {
  const { clock, look, facts, chunks, events } = await kept(bounds);
  for (let fact = 0; fact < 30; fact += 1) {
    await look(fact);
    await clock.advance(HOUR);
  }
  await expect.poll(async () => (await chunks()).length).toBeLessThan(27);
  const left = await facts();
  expect(left.at(-1)).toBe(29);
  expect(left).toEqual(Array.from(left, (__, index) => 30 - left.length + index));
  const sizes = (await chunks()).map(({ size }) => size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(bounds.maxBytes ?? 1e9);
  expect(events.some(([event]) => event === "looks dropped")).toBe(true);
});
