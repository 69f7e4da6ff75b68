import { expect, it, onTestFinished } from "vitest";

import { silentLog } from "../../../src/log.ts";
import { createDuties, type Duties, sharedClock } from "../../../src/main/alerting/duties.ts";
import type { Lease, Processes } from "../../../src/store/store.ts";
import { ClockDifference, singleProcess } from "../../../src/store/processes.ts";
import { toMillis } from "../../../src/units/time.ts";
import { settled, VirtualClock } from "../../api/virtual-clock.ts";

const ALIVE_FOR = 6000;

/** What the database knows of its processes: the same rules, in memory and virtual time. */
class Registry {
  readonly clock = new VirtualClock();
  alive = new Map<string, number>();
  leases = new Map<string, { holder: string; epoch: number }>();
  /** Processes that the database does not answer. */
  readonly cutOff = new Set<string>();

  /** What it holds, to be put back later. */
  keep(): () => void {
    const [alive, leases] = [structuredClone(this.alive), structuredClone(this.leases)];
    return () => {
      this.alive = structuredClone(alive);
      this.leases = structuredClone(leases);
    };
  }

  port(self: string): Processes {
    let last = { until: 0, keptSince: 0 };
    const answer = async (): Promise<void> => {
      if (this.cutOff.has(self)) await new Promise(() => undefined);
    };
    return {
      self,
      clockAhead: () => 0,
      aliveFor: ALIVE_FOR,
      heartbeat: async () => {
        await answer();
        const now = this.clock.monotonicMillis();
        last = { until: now + ALIVE_FOR, keptSince: this.alive.get(self) === last.until ? last.keptSince : now };
        this.alive.set(self, last.until);
        const dead = [...this.alive].filter(([, until]) => until <= now);
        for (const [id] of dead) this.alive.delete(id);
        return this.alive.size;
      },
      live: async () => [],
      leave: async () => {
        this.alive.delete(self);
        for (const lease of this.leases.values()) if (lease.holder === self) lease.holder = "";
      },
      release: async () => undefined,
      acquire: async (name, kept = 0) => {
        await answer();
        const held = this.leases.get(name);
        const mayTake = last.keptSince + kept <= this.clock.monotonicMillis() && !this.alive.has(held?.holder ?? "");
        if (held !== undefined && held.holder !== self && held.holder !== "" && !mayTake) return undefined;
        const epoch = held?.holder === self ? held.epoch : (held?.epoch ?? 0) + 1;
        this.leases.set(name, { holder: self, epoch });
        return { name, epoch };
      },
      announce: () => undefined,
      onChange: () => undefined,
    };
  }
}

/** A process that notes when it begins and ends its duties. */
function processOf(registry: Registry, self: string, diary: string[], names = ["watch"]) {
  const fewer: number[] = [];
  const duties = createDuties({
    store: { processes: registry.port(self) },
    clock: registry.clock,
    log: silentLog(),
  });
  duties.onFewer(() => fewer.push(registry.clock.monotonicMillis()));
  for (const name of names) duties.add(name, noting(diary, self, name));
  onTestFinished(async () => {
    registry.cutOff.clear();
    await duties.end();
    const left = duties.leave();
    await registry.clock.advance(ALIVE_FOR);
    await left;
  });
  return { duties, fewer };
}

function noting(diary: string[], self: string, name: string): Parameters<Duties["add"]>[1] {
  return ({ epoch }: Lease) => {
    diary.push(`${self} begins ${name} ${epoch}`);
    return async () => void diary.push(`${self} ends ${name}`);
  };
}

it("one process at a time has a duty, the others wait", async () => {
  const registry = new Registry();
  const diary: string[] = [];
  for (const self of ["a", "b", "c"]) await processOf(registry, self, diary).duties.start();
  await registry.clock.advance(60_000);
  expect(diary).toEqual(["a begins watch 1"]);
});

it("a duty of a process that died is taken over within 10 s, with a higher epoch, and each other one is told once", async () => {
  const registry = new Registry();
  const diary: string[] = [];
  const first = processOf(registry, "a", diary);
  const others = [processOf(registry, "b", diary), processOf(registry, "c", diary)];
  for (const { duties } of [first, ...others]) await duties.start();
  await registry.clock.advance(3000);
  expect(first.duties.live).toBe(3);
  registry.cutOff.add("a");
  await registry.clock.advance(10_000);
  expect(diary.filter((line) => !line.startsWith("a"))).toEqual([expect.stringMatching(/^[bc] begins watch 2$/u)]);
  expect(others.map(({ fewer }) => fewer.length)).toEqual([1, 1]);
  expect(others.map(({ duties }) => duties.live)).toEqual([2, 2]);
});

it.each(["b", "c"])(
  "where the database went back whoever has a duty keeps it, also if %s is the first to ask",
  async (next) => {
    const registry = new Registry();
    const diary: string[] = [];
    const names = ["a", ...(next === "b" ? ["b"] : [])];
    for (const self of names) {
      await processOf(registry, self, diary).duties.start();
      await registry.clock.advance(500);
    }
    const goBack = registry.keep();
    await registry.clock.advance(8000);
    goBack();
    // One that has just begun knows nothing of that.
    if (next === "c") await processOf(registry, "c", diary).duties.start();
    await registry.clock.advance(60_000);
    expect(diary).toEqual(["a begins watch 1"]);
  },
);

it("of a duty that was taken over in what a database lost, whoever took it has it again", async () => {
  const registry = new Registry();
  const diary: string[] = [];
  for (const self of ["a", "b", "c"]) await processOf(registry, self, diary).duties.start();
  await registry.clock.advance(3000);
  registry.cutOff.add("a");
  const goBack = registry.keep();
  await registry.clock.advance(10_000);
  goBack();
  await registry.clock.advance(60_000);
  expect(diary).toEqual(["a begins watch 1", "a ends watch", expect.stringMatching(/^[bc] begins watch 2$/u)]);
});

it("a process whose heartbeats do not arrive stops before another one begins", async () => {
  const registry = new Registry();
  const diary: string[] = [];
  const { duties } = processOf(registry, "a", diary);
  await duties.start();
  await processOf(registry, "b", diary).duties.start();
  await registry.clock.advance(1000);
  expect(duties.isAlive()).toBe(true);
  registry.cutOff.add("a");
  await registry.clock.advance(20_000);
  expect(diary).toEqual(["a begins watch 1", "a ends watch", "b begins watch 2"]);
  expect(duties.isAlive()).toBe(false);
});

it("a process that ends leaves its duties to the others at their next heartbeat", async () => {
  const registry = new Registry();
  const diary: string[] = [];
  const { duties } = processOf(registry, "a", diary);
  await duties.start();
  await processOf(registry, "b", diary).duties.start();
  await duties.end();
  expect(diary).toEqual(["a begins watch 1", "a ends watch"]);
  const left = duties.leave();
  await registry.clock.advance(2000);
  await left;
  expect(diary.at(-1)).toBe("b begins watch 2");
});

it("a process that ends in order is missed like a dead one, and none misses those from before its own start", async () => {
  const registry = new Registry();
  registry.alive.set("long dead", -1);
  const [a, b] = [processOf(registry, "a", []), processOf(registry, "b", [])];
  for (const { duties } of [a, b]) await duties.start();
  await registry.clock.advance(3000);
  expect([a.fewer, b.fewer]).toEqual([[], []]);
  const left = a.duties.leave();
  await registry.clock.advance(2000);
  await left;
  expect([a.fewer.length, b.fewer.length]).toEqual([0, 1]);
});

it("a process that has its database to itself begins at once, also what is added later, and keeps no time", async () => {
  const diary: string[] = [];
  const clock = new VirtualClock();
  const duties = createDuties({ store: { processes: singleProcess() }, clock, log: silentLog() });
  duties.add("early", noting(diary, "a", "early"));
  await duties.start();
  duties.add("late", noting(diary, "a", "late"));
  duties.add("later", noting(diary, "a", "later"));
  await settled();
  expect(diary).toEqual(["a begins early 0", "a begins late 0", "a begins later 0"]);
  await clock.advance(3_600_000);
  expect(duties.isAlive()).toBe(true);
  await duties.end();
  await duties.leave();
  expect(diary).toHaveLength(6);
});

it.each([
  ["agree, however slow the way", 0, [[0, 2000]], 0],
  ["differ by 90 s", 90_000, [[40, 60]], 90_000],
  [
    "are found to differ better by a faster answer",
    90_000,
    [
      [4000, 4000],
      [5, 5],
    ],
    90_000,
  ],
  [
    "differ the other way",
    -90_000,
    [
      [5000, 10],
      [3, 900],
    ],
    -90_000,
  ],
])("the clocks of a database and of a process %s", (_how, ahead, ways, found) => {
  const clock = new VirtualClock();
  const millis = () => toMillis(clock.wallClock());
  const difference = new ClockDifference(millis);
  for (const [there = 0, back = 0] of ways) {
    const answered = difference.ask();
    clock.setWall(there);
    const answer = millis() + ahead;
    clock.setWall(back);
    answered(answer);
  }
  const shared = sharedClock(clock, { clockAhead: () => difference.ahead });
  const [there = 0, back = 0] = ways.at(-1) ?? [];
  expect(Math.abs(toMillis(shared.wallClock()) - millis() - found)).toBeLessThanOrEqual(ahead === 0 ? 0 : there + back);
  expect(shared.monotonicMillis()).toBe(clock.monotonicMillis());
});
