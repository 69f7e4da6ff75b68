import { isDeepStrictEqual } from "node:util";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parseAlertsConfig } from "../../../src/alerts/alerts-config.ts";
import {
  type JudgedObservation,
  judgeObservation,
  type Observation,
  ProcessMemory,
} from "../../../src/alerts/judge/judge.ts";
import { planEpisode } from "../../../src/alerts/engine/plan-episode.ts";
import { AlertEvent } from "../../../src/alerts/judge/kinds/event.ts";
import type { Reading } from "../../../src/alerts/judge/kinds/reading.ts";
import type { NotificationState } from "../../../src/alerts/deliver/outbox/notification-state.ts";
import { buildSubscriptionIndex } from "../../../src/alerts/route/subscription-index.ts";
import { type Episode, isOpen, type Machine } from "../../../src/alerts/judge/rules/episode.ts";
import { RuleSubjectMap } from "../../../src/alerts/judge/rules/state-cache.ts";
import { fromMillis } from "../../../src/units/time.ts";
import { auction, blind, down, stalled } from "../readings.ts";
import { aSubscription } from "../samples.ts";
import { runs } from "../../support/runs.ts";
import { destinationKey } from "../../../src/alerts/destination.ts";
import { ruleWords } from "../../../src/alerts/words/subscription-words.ts";

const config = parseAlertsConfig("{}");
const START = 1_717_416_000_000;
const KINDS = ["network.stalled", "market.auction", "node.down", "watch.blind"] as const;
const SUBSCRIPTIONS = ["ops", "desk"].map((channel, index) => {
  const destination = { platform: "fake", channel };
  const style = index === 0 ? ("live" as const) : ("thread" as const);
  return aSubscription({ id: channel, destination, style, kinds: [...KINDS], floor: "info" });
});
const index = buildSubscriptionIndex(SUBSCRIPTIONS, [], config);

/** One look of the watcher: what it reads, how long after the one before, and whether the process restarted between. */
interface Look {
  readonly readings: readonly Reading[];
  readonly afterMillis: number;
  readonly restarted: boolean;
  readonly failed: boolean;
}

const state = fc.constantFrom<Reading["state"]>("good", "bad", "bad", "unknown");
const reading = fc.oneof(
  state.map((one) => stalled(one)),
  fc.tuple(state, fc.constantFrom("m1", "m2")).map(([one, market]) => auction(one, market)),
  state.map((one) => down(one)),
  fc.constantFrom<Reading["state"]>("good", "good", "bad").map((one) => blind(one)),
);
const look: fc.Arbitrary<Look> = fc.record({
  readings: fc.oneof(
    fc.uniqueArray(reading, { selector: ({ kind, subject }) => `${kind} ${subject}`, maxLength: 5 }),
    fc.constant([]),
  ),
  afterMillis: fc.constantFrom(5000, 5000, 20_000, 120_000),
  restarted: fc.integer({ max: 11, min: 0 }).map((drawn) => drawn === 11),
  failed: fc.integer({ max: 5, min: 0 }).map((drawn) => drawn === 5),
});
const looks = fc.array(look, { minLength: 5, maxLength: 40, size: "max" });

/** What the store and the process keep between looks. */
class World {
  machines = new RuleSubjectMap<Machine>();
  readonly episodes = new Map<string, Episode>();
  memory = new ProcessMemory();
  stored: number | undefined;
  millis = START;

  look({ readings, afterMillis, restarted, failed }: Look) {
    this.millis += afterMillis;
    if (restarted) this.memory = new ProcessMemory();
    const { machines, memory, stored } = this;
    const open = new Map([...this.episodes].filter(([, episode]) => isOpen(episode)));
    const before = { index, ruleWords, config, machines, open, stored, memory };
    const isFirst = memory.progress.size === 0;
    return { before, isFirst, judged: judgeObservation(before, this.observation(readings, failed), this.millis) };
  }

  observation(readings: readonly Reading[], failed: boolean): Observation {
    const watcher = { name: "w", every: 5000 };
    const rest = { snapshot: {}, events: [], at: fromMillis(this.millis), ...(failed ? { failure: "timed out" } : {}) };
    return { network: "mainnet", watcher, readings, ...rest };
  }

  keep(judged: JudgedObservation): void {
    const { machines, episodes } = judged;
    for (const machine of machines.values()) this.machines.set(machine.rule, machine.subject, machine);
    for (const [id, episode] of episodes) this.episodes.set(id, episode);
    this.memory.remember("w", judged);
    this.stored = this.millis;
  }
}

/** Checks a law on every look of a random history. */
function always(law: (at: ReturnType<World["look"]>, world: World, look: Look) => void): void {
  fc.assert(
    fc.property(looks, (history) => {
      const world = new World();
      for (const one of history) {
        const looked = world.look(one);
        law(looked, world, one);
        world.keep(looked.judged);
      }
    }),
    runs(150),
  );
}

const changesOf = ({ changes }: JudgedObservation, ...wanted: readonly string[]) =>
  changes.filter(({ change }) => wanted.includes(change));

describe("judging an observation", () => {
  it("fires in a good share of the histories drawn here", () => {
    const fired = fc.sample(looks, { numRuns: 60, seed: 1 }).filter((history) => {
      const world = new World();
      return history.some((one) => {
        const { judged } = world.look(one);
        world.keep(judged);
        return changesOf(judged, "fired").length > 0;
      });
    });
    expect(fired.length).toBeGreaterThan(12);
  });

  it("neither fires, escalates nor resolves on the first read of a process", () => {
    always(({ before, judged }) => {
      for (const { episode = "" } of changesOf(judged, "fired", "escalated", "resolved")) {
        const [rule = "", , subject = ""] = episode.split("|");
        expect(["judged", "lost"]).toContain(before.memory.seen.get(rule, subject));
      }
    });
  });

  it("changes no episode by a reading that is unknown, nor while it is blind", () => {
    always(({ before, judged }, _world, { readings }) => {
      const unknown = readings.filter(
        (one) => one.kind !== "watch.blind" && (judged.isBlind || one.state === "unknown"),
      );
      for (const { kind, subject } of unknown) {
        const touched = [...judged.episodes.values()].filter((one) => one.kind === kind && one.subject === subject);
        expect(touched).toEqual([]);
        if (judged.machines.get(kind, subject) === undefined) continue;
        const was = before.machines.get(kind, subject)?.phase;
        // A count of rounds may lapse.
        expect(was === "pending" ? ["pending", "ok"] : [was]).toContain(judged.machines.get(kind, subject)?.phase);
      }
    });
  });

  it("closes an episode by a good reading alone, or once its subject is gone", () => {
    always(({ before, judged }, _world, { readings }) => {
      for (const { id, kind, subject, state: now } of judged.episodes.values()) {
        if (now !== "resolved" && now !== "gone") continue;
        const read = readings.find((one) => one.kind === kind && one.subject === subject);
        expect([id, read?.state]).toEqual([id, now === "gone" ? undefined : "good"]);
        expect(before.open.has(id)).toBe(true);
      }
    });
  });

  it("fires an episode once, and has one open for a machine that fires", () => {
    const seen = new WeakMap<World, Set<string>>();
    always(({ judged }, world) => {
      const fired = seen.get(world) ?? new Set<string>();
      seen.set(world, fired);
      for (const { episode = "" } of changesOf(judged, "fired")) {
        expect(fired.has(episode)).toBe(false);
        fired.add(episode);
      }
      for (const { phase, rule, subject, number } of world.machines.values()) {
        const episode = world.episodes.get(`${rule}|mainnet|${subject}|${number}`);
        const open = episode !== undefined && isOpen(episode);
        expect([rule, open]).toEqual([rule, phase === "firing" || phase === "recovering"]);
      }
    });
  });

  it("owes each destination at most one trigger and one resolve of an episode, however often it is planned", () => {
    fc.assert(
      fc.property(looks, fc.integer({ min: 1, max: 3 }), (history, times) => {
        const world = new World();
        const states = new Map<string, Map<string, NotificationState>>();
        const owed: string[] = [];
        let plans = 0;
        for (const one of history) {
          const { judged } = world.look(one);
          world.keep(judged);
          for (const episode of Array.from({ length: times }, () => [...judged.episodes.values()]).flat()) {
            const known = states.get(episode.id) ?? new Map<string, NotificationState>();
            states.set(episode.id, known);
            const subscriptions = index.subscribers(episode.rule, episode);
            const more = { simulated: false, silences: [], config, at: world.millis, revision: (plans += 1) };
            const plan = planEpisode({ episode, states: known, subscriptions, ...more });
            for (const each of plan.states ?? []) known.set(each.destination, each.state);
            for (const { phase, destination } of plan.deliveries ?? [])
              if (phase === "trigger" || phase === "resolve") {
                owed.push([phase, episode.id, destinationKey(destination)].join(" "));
              }
          }
        }
        expect(owed).toEqual([...new Set(owed)]);
        const resolves = owed.filter((one) => one.startsWith("resolve"));
        expect(resolves.filter((one) => !owed.includes(one.replace("resolve", "trigger")))).toEqual([]);
      }),
      runs(150),
    );
  });

  it("finds no subject gone by a look that saw nothing, that failed, or that was the first of a process", () => {
    always(({ isFirst, judged }, _world, { readings, failed }) => {
      if (changesOf(judged, "gone", "dismissed").every(({ rule }) => readings.some(({ kind }) => kind === rule)))
        return;
      expect([isFirst, failed, judged.isBlind]).toEqual([false, false, false]);
      expect(readings.length === 0 || readings.some((one) => one.state !== "unknown")).toBe(true);
    });
  });

  it("changes nothing that it was given, and says the same twice", () => {
    always(({ before, judged }, world, { readings, failed }) => {
      const given = () => [[...before.machines.values()], [...before.open]];
      const copy = structuredClone(given());
      expect(judgeObservation(before, world.observation(readings, failed), world.millis)).toEqual(judged);
      expect(given()).toEqual(copy);
    });
  });

  it("judges a subject that is read twice twice, in order", () => {
    const world = new World();
    const changes = [[auction("good")], [auction("bad")], [auction("good"), auction("bad"), auction("good")]].map(
      (readings) => {
        const { judged } = world.look({ readings, afterMillis: 5000, restarted: false, failed: false });
        world.keep(judged);
        return judged.changes.map(({ change }) => change);
      },
    );
    expect(changes).toEqual([[], ["pending", "fired"], ["recovering", "relapsed", "recovering"]]);
  });

  const looksAt = (world: World, read: readonly Reading[], afterMillis: number, restarted = false) => {
    const { judged } = world.look({ readings: read, afterMillis, restarted, failed: false });
    world.keep(judged);
    return judged;
  };
  /** A stall that was seen for so many looks. */
  const pendingFor = (count: number): World => {
    const world = new World();
    looksAt(world, [stalled("good")], 5000);
    for (let time = 0; time < count; time += 1) looksAt(world, [stalled("bad")], 5000);
    return world;
  };
  const restarts = ({ decisions }: JudgedObservation) => decisions.filter(({ what }) => what === "restarted");

  it.each([
    ["a stall that is pending", 2, 10_000, true, 1],
    ["a stall that fires", 8, 10_000, true, 1],
    ["nothing without a restart", 2, 10_000, false, 0],
    ["nothing of a process that followed at once", 2, 0, true, 0],
    ["nothing of what was good", 0, 10_000, true, 0],
  ])("notes a downtime for %s, once", (_what, bad, afterMillis, restarted, noted) => {
    const world = pendingFor(bad);
    const read = [stalled(bad === 0 ? "good" : "bad")];
    expect(restarts(looksAt(world, read, afterMillis, restarted))).toHaveLength(noted);
    expect(restarts(looksAt(world, read, 5000))).toEqual([]);
  });

  it.each([
    ["of a pending alert by a long one alone", 2, 0, false],
    ["of its end by any", 8, 1, true],
  ])("says of a downtime that it starts the count again: %s", (_what, bad, good, alike) => {
    const [short, long] = [10_000, 20_000_000].map((downtime) => {
      const world = pendingFor(bad);
      for (let time = 0; time < good; time += 1) looksAt(world, [stalled("good")], 5000);
      const read = [stalled(good === 0 ? "bad" : "good")];
      return restarts(looksAt(world, read, downtime, true)).map(({ detail }) => detail?.replace(/\d.*?(?=[,:])/u, ""));
    });
    expect(short).toEqual([expect.any(String)]);
    expect(isDeepStrictEqual(short, long)).toBe(alike);
  });

  it("notes a downtime once, though nothing is seen at first", () => {
    const world = pendingFor(2);
    expect(restarts(looksAt(world, [stalled("unknown")], 10_000, true))).toHaveLength(1);
    expect(restarts(looksAt(world, [stalled("unknown")], 5000))).toEqual([]);
  });

  it("stores no machine that is good, and was", () => {
    const world = pendingFor(1);
    expect(looksAt(world, [stalled("good")], 5000).machines.get("network.stalled", "")?.phase).toBe("ok");
    expect([...looksAt(world, [stalled("good")], 5000).machines.values()]).toEqual([]);
  });

  it.each([
    { when: "at a watcher's very first observation", stored: undefined, sent: 0 },
    { when: "after a restart", stored: START - 5000, sent: 1 },
  ])("sends $sent events $when", ({ stored, sent }) => {
    const world = Object.assign(new World(), { stored });
    const { before } = world.look({ readings: [], afterMillis: 0, restarted: false, failed: false });
    const at = "1717416000000000000";
    const event = { kind: "checkpoint.new", network: "mainnet", subject: "", key: "1/h", at, atBlock: "1", hash: "h" };
    const observation = { ...world.observation([], false), events: [AlertEvent.parse(event)] };
    expect(judgeObservation(before, observation, START).events).toHaveLength(sent);
  });
});
