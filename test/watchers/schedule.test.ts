import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";

import type { ApiClient } from "../../src/api/api-client.ts";
import { ApiError } from "../../src/api/api-error.ts";
import { silentLog } from "../../src/log.ts";
import { toMillis } from "../../src/units/time.ts";
import { type ScheduleOptions, startSchedule } from "../../src/watchers/schedule.ts";
import type { Observation } from "../../src/watchers/schedule.ts";
import type { Look } from "../../src/looks/look.ts";
import type { Watcher } from "../../src/watchers/watcher.ts";
import { saying } from "../support/said.ts";
import { VirtualClock } from "../api/virtual-clock.ts";

const Count = z.object({ count: z.number() });
type Count = z.infer<typeof Count>;

const api = { network: "mainnet" } as ApiClient;

/** Counts its observations in its snapshot, and reports each as an event. */
function counter(name: string, every: number, observe?: Watcher<Count>["observe"]): Watcher<Count> {
  return {
    name,
    every,
    snapshot: Count,
    observe: observe ?? ((_api, { before }) => Promise.resolve({ count: (before?.count ?? 0) + 1 })),
    judge: (before, after, at) => ({
      readings: [
        {
          kind: "node.down",
          network: "mainnet",
          subject: "a",
          nodes: 1,
          seenBy: [],
          state: "bad",
          badForMillis: 1,
          facts: {},
        },
      ],
      events:
        before === undefined || before.count === after.count
          ? []
          : [
              {
                kind: "node.version",
                network: "mainnet",
                subject: "a",
                key: String(after.count),
                at: String(at),
                before: {},
                after: {},
              },
            ],
    }),
  };
}

interface Running {
  readonly clock: VirtualClock;
  readonly seen: Observation[];
  readonly times: (watcher: string) => readonly number[];
  readonly store: Map<string, unknown>;
  readonly stop: () => Promise<void>;
}

function run(watchers: readonly Watcher<unknown>[], more: Partial<ScheduleOptions> = {}): Running {
  const clock = new VirtualClock();
  const seen: (Observation & { readonly millis: number })[] = [];
  const store = new Map<string, unknown>();
  const schedule = startSchedule({
    api,
    watchers,
    load: (network, watcher) => Promise.resolve(store.get(`${network}/${watcher}`)),
    subjects: () => [],
    sink: (observation) => {
      seen.push({ ...observation, millis: clock.monotonicMillis() });
      store.set(`${observation.network}/${observation.watcher.name}`, JSON.parse(JSON.stringify(observation.snapshot)));
      return Promise.resolve();
    },
    log: silentLog(),
    clock,
    random: () => 0.5,
    ...more,
  });
  onTestFinished(() => schedule.stop());
  return {
    clock,
    seen,
    store,
    times: (name) => seen.filter(({ watcher }) => watcher.name === name).map(({ millis }) => millis),
    stop: () => schedule.stop(),
  };
}

const failure = (): ApiError => new ApiError("timeout", "a did not answer", { network: "mainnet", node: "a" });

describe("the schedule", () => {
  test("lets each observe at its own interval, and passes on from snapshot to snapshot", async () => {
    const { clock, times, seen } = run([counter("fast", 5000), counter("slow", 60_000)]);
    await clock.advance(61_000);
    expect(times("fast")).toEqual(Array.from({ length: 13 }, (_, index) => 500 + index * 5000));
    expect(times("slow")).toEqual([500, 60_500]);
    const fast = seen.filter(({ watcher }) => watcher.name === "fast");
    expect(fast.map(({ snapshot }) => (snapshot as Count).count)).toEqual(fast.map((_, index) => index + 1));
    expect(fast.map(({ events }) => events.length)).toEqual([0, ...fast.slice(1).map(() => 1)]);
  });

  test("lets one observe sooner where its snapshot says so, and as usual again afterwards", async () => {
    const soon = { ...counter("rest", 60_000), pace: ({ count }: Count) => (count < 4 ? 5000 : 60_000) };
    const { clock, times, seen } = run([soon]);
    await clock.advance(80_000);
    expect(times("rest")).toEqual([500, 5500, 10_500, 15_500, 75_500]);
    expect(seen.map(({ watcher }) => watcher.every)).toEqual([60_000, 5000, 5000, 5000, 60_000]);
  });

  test("passes on what is kept of each look: all of the first one, then what the watcher says, or why it failed", async () => {
    let round = 0;
    const watcher: Watcher<Count> = {
      ...counter("fast", 5000, async (_, { before }) => {
        round += 1;
        if (round === 3) throw failure();
        return { count: (before?.count ?? 0) + 1 };
      }),
      kept: ({ count }, { before, ...seen }) =>
        count === 3 ? undefined : { count, before: before?.count ?? null, named: [...seen.named(["node.down"])] },
    };
    const { clock, seen } = run([watcher], { run: "r", subjects: () => ["a"] });
    await clock.advance(21_000);
    const looks = seen.map(({ look }) => (look === undefined ? undefined : (JSON.parse(look) as Look)));
    expect(looks.map((look) => look?.seen ?? look?.failure)).toEqual([
      { count: 1, before: null, named: ["a"] },
      { count: 2, before: 1, named: ["a"] },
      "a did not answer",
      undefined,
      { count: 4, before: 2, named: ["a"] },
    ]);
    expect(looks.map((look) => look?.run)).toEqual(["r", "r", "r", undefined, "r"]);
    const { seen: others } = run([watcher]);
    expect(others.every(({ look }) => look === undefined)).toBe(true);
  });

  test("asks for all that is kept in the first look of each hour", async () => {
    const watcher: Watcher<Count> = {
      ...counter("slow", 20 * 60_000),
      kept: (_, { isWhole }) => isWhole === true,
    };
    const { clock, seen } = run([watcher], { run: "r" });
    await clock.advance(6 * 20 * 60_000);
    const hours = seen.map(({ at }) => Math.floor(toMillis(at) / 3_600_000));
    const isFirst = hours.map((hour, index) => hour !== hours[index - 1]);
    expect(seen.map(({ look }) => (JSON.parse(look ?? "") as Look).seen)).toEqual(isFirst);
    expect(isFirst.filter(Boolean).length).toBeGreaterThan(1);
  });

  test("moves each observation a little, but never the grid", async () => {
    let turn = 0;
    const { clock, times } = run([counter("fast", 5000)], { random: () => (turn++ % 2 === 0 ? 0 : 0.999) });
    await clock.advance(99_000);
    for (const [index, millis] of times("fast").entries())
      expect(Math.abs(millis - index * 5000)).toBeLessThanOrEqual(250);
    expect(times("fast")).toHaveLength(20);
  });

  test("counts each observation as of the grid, never as of later than it comes, unless it was delayed", async () => {
    let turn = 0;
    const chance = [0.9, 0, 0.999, 0.3, 0.5, 0.999, 0];
    const { clock, seen, times } = run([counter("fast", 5000)], { random: () => chance[turn++ % chance.length] ?? 0 });
    await clock.advance(99_000);
    const counted = seen.map(({ dueMillis }) => dueMillis);
    expect(counted.map((millis) => millis - (counted[0] ?? 0))).toEqual(counted.map((_, index) => index * 5000));
    for (const [index, millis] of times("fast").entries()) {
      expect(millis - (counted[index] ?? 0)).toBeGreaterThanOrEqual(0);
      expect(millis - (counted[index] ?? 0)).toBeLessThanOrEqual(500);
    }
    // A computer that sleeps: its clock jumps.
    const monotonicMillis = clock.monotonicMillis.bind(clock);
    clock.monotonicMillis = () => monotonicMillis() + 3_600_000;
    await clock.advance(5000);
    expect(seen.at(-1)?.dueMillis).toBeGreaterThan(3_690_000);
  });

  test("a slow observation is not overlapped, delays no other, and those that it displaces are skipped", async () => {
    let [inside, most] = [0, 0];
    const slow = counter("slow", 5000, async (_api, { before }, signal) => {
      inside += 1;
      most = Math.max(most, inside);
      await running.clock.sleep(12_000, signal);
      inside -= 1;
      return { count: (before?.count ?? 0) + 1 };
    });
    const running = run([slow, counter("fast", 5000)]);
    await running.clock.advance(60_000);
    expect(most).toBe(1);
    expect(running.times("slow")).toEqual([12_500, 27_500, 42_500, 57_500]);
    expect(running.times("fast")).toHaveLength(12);
  });

  test("an observation that never ends is abandoned, and all its readings are unknown", async () => {
    let observations = 0;
    const hangs = counter("hangs", 5000, (_api, { before }, signal) => {
      observations += 1;
      if (observations !== 2) return Promise.resolve({ count: (before?.count ?? 0) + 1 });
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
    });
    const { clock, seen } = run([hangs]);
    await clock.advance(46_000);
    expect(seen.map(({ readings: [reading], failure }) => [reading?.state, failure?.name])).toEqual([
      ["bad", undefined],
      ["unknown", "ObservationTimeout"],
      ["bad", undefined],
      ["bad", undefined],
      ["bad", undefined],
    ]);
    expect(seen[1]).toMatchObject({ snapshot: { count: 1 }, events: [], readings: [{ why: "no answer within 30 s" }] });
    expect(seen[1]?.readings[0]?.badForMillis).toBeUndefined();
    expect(seen[2]).toMatchObject({ before: { count: 1 }, snapshot: { count: 2 } });
  });

  test("a node's failure leaves the snapshot as it is; a first observation that fails passes nothing on", async () => {
    let observations = 0;
    const { clock, seen } = run([
      counter("flaky", 5000, (_api, { before }) => {
        observations += 1;
        return observations % 2 === 1
          ? Promise.reject(failure())
          : Promise.resolve({ count: (before?.count ?? 0) + 1 });
      }),
    ]);
    await clock.advance(20_000);
    expect(seen.map(({ snapshot, failure }) => [(snapshot as Count).count, failure?.message])).toEqual([
      [1, undefined],
      [1, "a did not answer"],
      [2, undefined],
    ]);
  });

  test("findings that the sink did not store are found again, from the store's snapshot", async () => {
    let sinks = 0;
    const seen: Observation[] = [];
    const store = new Map<string, unknown>([["mainnet/fast", { count: 7 }]]);
    const { clock } = run([counter("fast", 5000)], {
      load: (network, watcher) => Promise.resolve(store.get(`${network}/${watcher}`)),
      sink: (observation) => {
        seen.push(observation);
        sinks += 1;
        if (sinks === 2) return Promise.reject(new Error("the disk is full"));
        store.set("mainnet/fast", observation.snapshot);
        return Promise.resolve();
      },
    });
    await clock.advance(15_000);
    expect(seen.map(({ before, events }) => [(before as Count).count, events.map(({ key }) => key)])).toEqual([
      [7, ["8"]],
      [8, ["9"]],
      [8, ["9"]],
    ]);
  });

  test("findings that the sink stored too late are not found again", async () => {
    let sinks = 0;
    const keys: string[][] = [];
    const store = new Map<string, unknown>([["mainnet/fast", { count: 7 }]]);
    const { clock } = run([counter("fast", 5000)], {
      load: (network, watcher) => Promise.resolve(store.get(`${network}/${watcher}`)),
      sink: (observation) => {
        keys.push(observation.events.map(({ key }) => key));
        store.set("mainnet/fast", observation.snapshot);
        sinks += 1;
        return sinks === 2 ? new Promise(() => undefined) : Promise.resolve();
      },
    });
    await clock.advance(46_000);
    expect(keys.slice(0, 4)).toEqual([["8"], ["9"], ["10"], ["11"]]);
  });

  test("a store that hangs or fails stops nothing", async () => {
    let loads = 0;
    const { clock, seen } = run([counter("fast", 5000)], {
      load: () => {
        loads += 1;
        if (loads === 1) return new Promise(() => undefined);
        if (loads === 2) throw new Error("the disk is gone");
        return Promise.resolve(undefined);
      },
    });
    await clock.advance(46_000);
    expect(seen[0]).toMatchObject({ before: undefined, snapshot: { count: 1 } });
    expect(seen).toHaveLength(3);
  });

  test("a watcher stands still while its snapshot cannot be read, beside others, and goes on from the repaired one", async () => {
    const damaged: string[] = [];
    const onDamaged: ScheduleOptions["onDamaged"] = (watcher, row) => void damaged.push(`${watcher}: ${row.message}`);
    const asked: string[] = [];
    const counting = (name: string) =>
      counter(name, 5000, (_api, { before }) => {
        asked.push(name);
        return Promise.resolve({ count: (before?.count ?? 0) + 1 });
      });
    const { clock, seen, store } = run([counting("fast"), counting("other")], { onDamaged });
    store.set("mainnet/fast", { count: "many" });
    await clock.advance(12_000);
    expect(asked).toEqual(["other", "other", "other"]);
    expect(damaged).toHaveLength(3);
    expect(damaged[0]).toMatch(
      saying("fast", "watcher_snapshots", "network = 'mainnet'", "watcher = 'fast'", "restore"),
    );
    store.set("mainnet/fast", { count: 7 });
    await clock.advance(5000);
    expect(seen.findLast(({ watcher }) => watcher.name === "fast")).toMatchObject({
      before: { count: 7 },
      snapshot: { count: 8 },
    });
  });

  test("a watcher with a bug stops none of the others, nor itself", async () => {
    let observations = 0;
    const wrong = counter("wrong", 5000, () => {
      observations += 1;
      return Promise.reject(new TypeError("undefined is not a function"));
    });
    const { clock, times } = run([wrong, counter("fast", 5000)]);
    await clock.advance(60_000);
    expect([observations, times("wrong").length, times("fast").length]).toEqual([12, 0, 12]);
  });

  test("ends at once when it is stopped, but not in the middle of storing", async () => {
    const left: string[] = [];
    const waits = counter("waits", 5000, (_api, _watched, signal) => {
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          left.push("observe");
          reject(signal.reason as Error);
        });
      });
    });
    let stored: (() => void) | undefined;
    const { clock, stop } = run([waits, counter("stores", 5000)], {
      sink: () => new Promise((resolve) => (stored = resolve)),
    });
    await clock.advance(1000);
    const stopping = stop().then(() => left.push("stopped"));
    await clock.advance(1000);
    expect(left).toEqual(["observe"]);
    stored?.();
    await stopping;
    await clock.advance(60_000);
    expect(left).toEqual(["observe", "stopped"]);
  });
});
