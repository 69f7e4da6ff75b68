import { describe, expect, test } from "vitest";

import { DEFAULT_ALERTS_CONFIG as config } from "../../../src/alerts/alerts-config.ts";
import { Reading } from "../../../src/alerts/judge/kinds/reading.ts";
import { systemClock } from "../../../src/api/clock.ts";
import type { Witness } from "../../../src/api/verdict/verdict.ts";
import {
  decodeSources,
  judgeRound,
  nextPace,
  snapshotOf,
  type SourcesSnapshot,
} from "../../../src/watchers/sources/sources-state.ts";
import { sourcesWatcher, sourceThresholds } from "../../../src/watchers/sources/sources.ts";
import { at, gone, says } from "../../api/verdict/watch.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** A watch whose rounds come every so many seconds; each snapshot as the store would keep it. */
class Watch {
  readonly #watcher = sourcesWatcher({ network: "mainnet", config, run: "1", clock: systemClock });
  kept: SourcesSnapshot | undefined;
  run = 1;
  second = 0;
  readonly #every: number;

  constructor(every = 5) {
    this.#every = every;
  }

  /** The states of a kind at the end of each minute. */
  pass(
    kind: Reading["kind"],
    seconds: number,
    answer: (second: number, round: number) => Witness[],
  ): (string | undefined)[] {
    const states: (string | undefined)[] = [];
    for (let round = 1; round <= seconds / this.#every; round += 1) {
      this.second += this.#every;
      const [found] = this.round(answer(this.second, round), kind);
      if ((round * this.#every) % MINUTE === 0) states.push(found?.state);
    }
    return states;
  }

  /** The readings of a round, or those of one kind alone: to check them all takes most of the time. */
  round(witnesses: readonly Witness[], kind?: Reading["kind"]): readonly Reading[] {
    const { second } = this;
    // Each process has a monotonic clock of its own.
    const round = { witnesses, atMillis: this.run * 1e9 + second * 1000, wallClock: at(second) };
    const before = decodeSources(this.kept);
    const verdict = judgeRound(String(this.run), round, before, sourceThresholds(config));
    const pace = nextPace(String(this.run), round, verdict, before, config);
    const stored: unknown = JSON.parse(JSON.stringify(snapshotOf(String(this.run), round, verdict, pace)));
    const read = this.#watcher.snapshot.parse(stored);
    const { readings } = this.#watcher.judge(this.kept, read, at(second));
    this.kept = read;
    return readings.filter((one) => kind === undefined || one.kind === kind).map((one) => Reading.parse(one));
  }
}

const count = (states: readonly (string | undefined)[]) => {
  const changes: string[] = [];
  for (const [minute, state] of states.entries()) {
    if (state !== states[minute - 1]) changes.push(`${minute + 1} ${state}`);
  }
  return changes;
};

describe("node.slow", () => {
  const took = (second: number, millis: number): Witness[] => [{ ...says("a", second), roundTripMillis: millis }];

  test("is bad once more than a tenth of ten minutes' answers came late, and good again below five sixths of that", () => {
    const watch = new Watch();
    expect(count(watch.pass("node.slow", 20 * MINUTE, (now) => took(now, 1900)))).toEqual(["1 unknown", "11 good"]);
    const states = watch.pass("node.slow", 20 * MINUTE, (now) => took(now, 2500));
    expect(count(states)).toEqual(["1 unknown", "2 bad"]);
    expect(count(watch.pass("node.slow", 20 * MINUTE, (now) => took(now, 900)))).toEqual([
      "1 bad",
      "10 unknown",
      "11 good",
    ]);
  });

  test("is good where less than a tenth is late, and goes on across a restart", () => {
    const watch = new Watch();
    const states = watch.pass("node.slow", HOUR, (now, round) => took(now, round % 11 === 0 ? 2900 : 100));
    expect(states).not.toContain("bad");
    watch.pass("node.slow", 10 * MINUTE, (now) => took(now, 2500));
    watch.run = 2;
    expect(watch.pass("node.slow", MINUTE, (now) => took(now, 2500))).toEqual(["bad"]);
    // What was long ago says nothing of today.
    watch.second += HOUR;
    watch.run = 3;
    expect(watch.pass("node.slow", MINUTE, (now) => took(now, 100))).toEqual(["unknown"]);
  });

  test("is not known of a node that does not answer", () => {
    const watch = new Watch();
    watch.pass("node.slow", 20 * MINUTE, (now) => took(now, 2500));
    expect(new Set(watch.pass("node.slow", 20 * MINUTE, () => [gone("a")]))).toEqual(new Set(["unknown"]));
  });
});

describe("network.slow", () => {
  /** Hours of rounds, which come no more often than they must. */
  const EVERY = 15;
  /** Two nodes, with a block every so many seconds. */
  const chain = (since = 0) => {
    let height = 1000 + since;
    let time = since;
    return (every: number) =>
      (now: number): Witness[] => {
        const before = Math.floor(height);
        height += EVERY / every;
        if (Math.floor(height) > before) time = now;
        return ["a", "b"].map((node) => says(node, time, Math.floor(height)));
      };
  };

  let usual: SourcesSnapshot | undefined;
  /** After four hours of a block a second, which are judged once. */
  const afterHours = () => {
    const watch = new Watch(EVERY);
    if (usual === undefined) watch.pass("network.slow", 4 * HOUR, chain()(1));
    watch.second = 4 * HOUR;
    watch.kept = usual ??= watch.kept;
    return { watch, at: chain(watch.second) };
  };

  test("is bad once ten minutes' blocks come at less than a fifth of the usual pace", () => {
    const watch = new Watch(EVERY);
    const at = chain();
    expect(count(watch.pass("network.slow", 4 * HOUR, at(1)))).toEqual(["1 unknown", "181 good"]);
    expect(new Set(watch.pass("network.slow", HOUR, at(4)))).toEqual(new Set(["good"]));
    expect(new Set(watch.pass("network.slow", HOUR, at(1)))).toEqual(new Set(["good"]));
    expect(count(watch.pass("network.slow", 30 * MINUTE, at(10)))).toEqual(["1 good", "10 bad"]);
    // The usual pace survives a restart.
    watch.run = 2;
    expect(watch.pass("network.slow", MINUTE, at(10))).toEqual(["bad"]);
    expect(watch.pass("network.slow", 20 * MINUTE, at(1)).at(-1)).toBe("good");
  });

  test("goes on while nodes that were cut off catch up with slow blocks: what counts is their own times", () => {
    const { watch, at } = afterHours();
    watch.pass("network.slow", 15 * MINUTE, at(10));
    watch.pass("network.slow", 15 * MINUTE, at(Infinity));
    const back = watch.second;
    const states = [
      ...watch.pass("network.slow", 5 * MINUTE, (now) => at(10 / 4)(back - 15 * MINUTE + 4 * (now - back))),
      ...watch.pass("network.slow", 5 * MINUTE, at(10)),
    ];
    expect(new Set(states)).toEqual(new Set(["bad"]));
  });

  test("is no node that falls behind another one", () => {
    const { watch, at } = afterHours();
    const behind = watch.second;
    const slow = chain(behind);
    const states = watch.pass("network.slow", HOUR, (now) => [
      ...at(1)(now).slice(0, 1),
      ...slow(10)(behind + (now - behind) / 10).slice(1),
    ]);
    expect(states).not.toContain("bad");
  });

  test("is no slower for polls that are not in step with its blocks", () => {
    const watch = new Watch(EVERY);
    watch.pass("network.slow", 4 * HOUR, chain()(2.7));
    const states = watch.pass("network.slow", 20 * MINUTE, (now) => {
      const blocks = Math.floor(now / 12);
      return ["a", "b"].map((node) => says(node, 12 * blocks, 5200 + blocks));
    });
    expect(states.at(-1)).toBe("unknown");
    expect(states).not.toContain("bad");
  });

  test("is no halt, before or after it", () => {
    const { watch, at } = afterHours();
    const states = [
      ...watch.pass("network.slow", 15 * MINUTE, at(Infinity)),
      ...watch.pass("network.slow", 15 * MINUTE, at(1)),
    ];
    expect(states).not.toContain("bad");
  });

  test("is not known by one node far behind the present, which may show what is over", () => {
    const watch = new Watch(EVERY);
    const at = chain();
    const late = (nodes: number, every: number) => (now: number) => at(every)(now - 60).slice(0, nodes);
    watch.pass("network.slow", 4 * HOUR, late(2, 1));
    const alone = watch.pass("network.slow", 30 * MINUTE, late(1, 10));
    expect(new Set(alone)).toEqual(new Set(["unknown"]));
    // It is not known between its moves either.
    expect(new Set(watch.pass("network.slow", 30 * MINUTE, late(1, 25)))).toEqual(new Set(["unknown"]));
    expect(watch.pass("network.slow", MINUTE, late(2, 10))).toEqual(["bad"]);
  });

  test("is not known where nodes send no height", () => {
    const watch = new Watch(EVERY);
    const states = watch.pass("network.slow", 5 * HOUR, (now) => [says("a", now), says("b", now)]);
    expect(new Set(states)).toEqual(new Set(["unknown"]));
  });
});

describe("node.refuses", () => {
  test.each<[string, Partial<Witness>, string, string]>([
    ["limits or bans the bot", { refused: true }, "bad", "unknown"],
    ["is a page instead of a node", { foreign: true, answered: true }, "bad", "unknown"],
    ["does not answer", {}, "unknown", "bad"],
  ])("of one that %s", (_name, more, refuses, down) => {
    const watch = new Watch();
    const readings = watch.round([says("a", 0), says("b", 0), { ...gone("c"), ...more }]);
    const stateOf = (kind: string) => readings.find((one) => one.kind === kind && one.subject === "c")?.state;
    expect([stateOf("node.refuses"), stateOf("node.down")]).toEqual([refuses, down]);
  });
});

test("a snapshot stored without a pace is read", () => {
  const watch = new Watch();
  watch.round([says("a", 0)]);
  const { pace: _, ...old } = watch.kept!;
  watch.kept = old;
  watch.second = 5;
  expect(watch.round([says("a", 5)]).map(({ kind }) => kind)).toContain("node.slow");
});
