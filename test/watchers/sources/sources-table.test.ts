import { describe, expect, test } from "vitest";

import { DEFAULT_ALERTS_CONFIG, parseAlertsConfig } from "../../../src/alerts/alerts-config.ts";
import { Reading } from "../../../src/alerts/judge/kinds/reading.ts";
import type { Witness } from "../../../src/api/verdict/verdict.ts";
import {
  decodeSources,
  judgeRound,
  snapshotOf,
  type SourcesSnapshot,
} from "../../../src/watchers/sources/sources-state.ts";
import { sourcesWatcher, sourceThresholds } from "../../../src/watchers/sources/sources.ts";
import { afterDeeds, type Deed, outcomes } from "../../api/verdict/deeds.ts";
import { at, gone, NAMES, says } from "../../api/verdict/watch.ts";
import { systemClock } from "../../../src/api/clock.ts";

const thresholds = sourceThresholds(DEFAULT_ALERTS_CONFIG);

/** Rounds in virtual time, each snapshot as the store would keep it. */
class Watch {
  readonly #watcher = sourcesWatcher({
    network: "mainnet",
    config: DEFAULT_ALERTS_CONFIG,
    run: "1",
    clock: systemClock,
  });
  kept: SourcesSnapshot | undefined;
  run = "1";

  round(seconds: number, witnesses: readonly Witness[], monotonic = seconds): readonly Reading[] {
    const round = { witnesses, atMillis: 1_000_000 + monotonic * 1000, wallClock: at(seconds) };
    const after = snapshotOf(this.run, round, judgeRound(this.run, round, decodeSources(this.kept), thresholds));
    const read = this.#watcher.snapshot.parse(JSON.parse(JSON.stringify(after)));
    const { readings } = this.#watcher.judge(this.kept, read, at(seconds));
    this.kept = read;
    return readings.map((reading) => Reading.parse(reading));
  }
}

const stateOf = (readings: readonly Reading[], kind: Reading["kind"], subject = ""): string | undefined =>
  readings.find((one) => one.kind === kind && one.subject === subject)?.state;

const DEEDS = ["on", "still", "late", "down", "shut", "ahead"] as const;

/** The rules in words; judge-network.test.ts has those of the network's state. */
function expected(given: readonly Deed[]): Record<string, string> {
  const clockIsWrong = given.length >= 3 && given.filter((deed) => deed === "ahead").length * 2 > given.length;
  const deeds = given.map((deed) => (clockIsWrong && deed === "ahead" ? "on" : deed));
  const count = (...of: Deed[]): number => deeds.filter((deed) => of.includes(deed)).length;
  const standing = count("still", "late", "down", "shut");
  const answers = count("on", "still", "late") > 0;
  const healthy = count("on") >= Math.min(2, deeds.length);
  const moves = count("on") > 0;
  const stalled = answers && !moves && standing * 2 > deeds.length;
  const blind = !healthy && !stalled && !moves;
  const divided = moves && !healthy && deeds.length >= 3;
  const rows: Record<string, string> = {
    "network.stalled": healthy ? "good" : stalled ? "bad" : "unknown",
    "network.disagree": healthy || stalled ? "good" : "unknown",
    "network.clock": healthy ? "good" : "unknown",
    "watch.blind": blind ? "bad" : "good",
  };
  for (const [index, deed] of deeds.entries()) {
    const believed = deed === "on" || deed === "still" || deed === "late";
    const known = (bad: boolean): string => (blind ? "unknown" : bad ? "bad" : "good");
    // An hour behind those that are ahead.
    const lags = deed === "late" || (clockIsWrong && given[index] !== "ahead");
    const node = NAMES[index];
    rows[`node.lagging ${node}`] = believed && !divided ? known(lags) : "unknown";
    rows[`node.down ${node}`] = deed === "shut" ? "unknown" : known(deed === "down");
    rows[`node.refuses ${node}`] = deed === "down" ? "unknown" : known(deed === "shut");
    rows[`node.lying ${node}`] = believed ? known(false) : "unknown";
    // One that goes on behind the others may have begun anew.
    const syncs = clockIsWrong && given[index] === "on";
    rows[`network.time-back ${node}`] = believed && !syncs ? known(deed === "late") : "unknown";
  }
  return rows;
}

describe.each([1, 2, 3])("every outcome of %i nodes, 40 s after the last advance", (count) => {
  test.each(outcomes(DEEDS, count).map((deeds) => [deeds.join(" "), deeds] as const))("%s", (_name, deeds) => {
    const readings = afterDeeds(new Watch(), deeds);
    const found = readings.map(({ kind, subject, state }) => [[kind, subject].filter(Boolean).join(" "), state]);
    expect(Object.fromEntries(found)).toEqual(expected(deeds));
    expect(readings.every((reading) => reading.nodes === count && reading.network === "mainnet")).toBe(true);
  });
});

test("the configured thresholds are the ones in use", () => {
  const config = parseAlertsConfig(
    '{"poll": {"time": "1s"}, "stalled": {"for": "9s", "criticalFor": "77s"}, "lagging": {"behind": "7s", "blocks": 5}}',
  );
  expect(sourceThresholds(config)).toEqual({
    motionMillis: 4500,
    stalledMillis: 9000,
    criticalMillis: 77_000,
    keepMillis: 15_000,
    laggingMillis: 7000,
    laggingBlocks: 5n,
    aheadMillis: 10_000,
  });
});

describe("a standstill", () => {
  const still = (count: number, seconds: number): Reading | undefined => {
    const watch = new Watch();
    const names = NAMES.slice(0, count);
    let last: readonly Reading[] = [];
    for (let now = -5; now <= seconds; now += 5)
      last = watch.round(
        now,
        names.map((node) => says(node, Math.min(0, now), 77)),
      );
    return last.find((reading) => reading.kind === "network.stalled");
  };

  test("is bad before it is alarming, and says for how long, where and by whom", () => {
    expect(still(3, 15)).toMatchObject({ state: "good" });
    expect(still(3, 20)).toMatchObject({ state: "bad", badForMillis: 20_000 });
    expect(still(3, 45)).toMatchObject({
      state: "bad",
      badForMillis: 45_000,
      since: String(at(0)),
      seenBy: NAMES,
      nodes: 3,
      facts: { frontier: String(at(0)), height: "77" },
    });
  });

  test("is since the first node stopped, though another one was late", () => {
    const watch = new Watch();
    let last: readonly Reading[] = [];
    for (let now = -10; now <= 30; now += 5)
      last = watch.round(now, [says("a", Math.min(0, now)), says("b", Math.min(0, now - 10))]);
    const stall = last.find(({ kind }) => kind === "network.stalled");
    expect(stall).toMatchObject({ state: "bad", badForMillis: 30_000, since: String(at(0)) });
  });

  test("says who goes on and is not believed, and why", () => {
    const watch = new Watch();
    // The third node goes on alone, and gives each block a time of its own.
    const answers = (now: number) => [
      ...["a", "b"].map((node) => says(node, Math.min(0, now), 77 + Math.min(0, now))),
      says("c", now + 1, 77 + Math.min(0, now)),
    ];
    let last: readonly Reading[] = [];
    for (let now = -60; now <= 60; now += 5) last = watch.round(now, answers(now));
    const stall = last.find(({ kind }) => kind === "network.stalled");
    const doubted = [{ node: "c", why: expect.any(String) as string }];
    expect(stall).toMatchObject({ state: "bad", facts: { doubted } });
  });

  test("of one node is a lag since its last move", () => {
    const watch = new Watch();
    let last: readonly Reading[] = [];
    const answers = (now: number) => ["a", "b", "c"].map((node) => says(node, node === "c" ? Math.min(0, now) : now));
    for (let now = -10; now <= 90; now += 5) last = watch.round(now, answers(now));
    const lag = last.find(({ kind, subject }) => kind === "node.lagging" && subject === "c");
    expect(lag).toMatchObject({ state: "bad", since: String(at(0)) });
  });

  test("of the only node there is says that network and node cannot be told apart", () => {
    expect(still(1, 45)?.why).toMatchSnapshot();
    expect(still(1, 45)?.why).not.toBe(still(3, 45)?.why);
  });

  test("does not count the time that was blind", () => {
    const watch = new Watch();
    watch.round(-5, [says("a", -5)]);
    watch.round(0, [says("a", 0)]);
    for (let now = 5; now <= 300; now += 5)
      expect(stateOf(watch.round(now, [gone("a")]), "network.stalled")).toBe("unknown");
    expect(stateOf(watch.round(305, [says("a", 0)]), "network.stalled")).toBe("good");
    for (const now of [310, 315]) watch.round(now, [says("a", 0)]);
    expect(watch.round(320, [says("a", 0)])).toContainEqual(
      expect.objectContaining({
        kind: "network.stalled",
        state: "bad",
        badForMillis: 20_000,
        since: String(at(0)),
      }),
    );
  });
});

describe("a restart", () => {
  test("keeps all memory, by the wall clock: another process's monotonic clock begins anywhere", () => {
    const watch = new Watch();
    watch.round(-5, [says("a", -5)]);
    watch.round(0, [says("a", 0)]);
    watch.run = "2";
    expect(stateOf(watch.round(10, [says("a", 9)], -900), "network.stalled")).toBe("good");
    watch.run = "3";
    const held = [20, 30].map((now) => watch.round(now, [says("a", 9)], now));
    expect(held[0]).toContainEqual(expect.objectContaining({ kind: "network.stalled", state: "good" }));
    expect(held[1]).toContainEqual(
      expect.objectContaining({ kind: "network.stalled", state: "bad", badForMillis: 20_000 }),
    );
  });

  test("into a network that stopped while the bot was down knows nothing before it has looked for a while", () => {
    const watch = new Watch();
    for (const now of [-5, 0]) watch.round(now, [says("a", now)]);
    watch.run = "2";
    const states = [3, 8, 13, 18, 23].map((monotonic) =>
      stateOf(watch.round(7197 + monotonic, [says("a", 600)], monotonic), "network.stalled"),
    );
    expect(states).toEqual(["unknown", "unknown", "unknown", "unknown", "bad"]);
  });

  test("into a disagreement goes on counting it", () => {
    const watch = new Watch();
    const split = (second: number) => [
      says("a", second),
      says("b", Math.min(0, second)),
      says("c", Math.min(0, second)),
    ];
    for (let now = -10; now <= 25; now += 5) watch.round(now, split(now));
    watch.run = "2";
    const states = [0, 5, 10, 15, 20].map((monotonic) =>
      stateOf(watch.round(85 + monotonic, split(85 + monotonic), monotonic - 900), "network.disagree"),
    );
    expect(states).toEqual(["unknown", "bad", "bad", "bad", "bad"]);
  });

  test("into blindness counts a standstill from then on", () => {
    const watch = new Watch();
    for (const now of [-5, 0]) watch.round(now, [says("a", now)]);
    watch.run = "2";
    expect(stateOf(watch.round(100, [gone("a")], 3), "watch.blind")).toBe("bad");
    const states = [8, 13, 18, 23].map((now) => stateOf(watch.round(97 + now, [says("a", 0)], now), "network.stalled"));
    expect(states).toEqual(["good", "good", "good", "bad"]);
  });
});

describe("unknown is not good", () => {
  /** After an absence that no memory outlasts: the readings of a kind from then on, until it is good. */
  const afterAbsence = (kind: Reading["kind"], subject: string, witnesses: (second: number) => Witness[]): string[] => {
    const watch = new Watch();
    for (let now = -5; now <= 60; now += 5) watch.round(now, witnesses(now));
    watch.run = "2";
    return Array.from({ length: 12 }, (_, round) => {
      const now = 400 + 5 * round;
      return stateOf(watch.round(now, witnesses(now), 5 * round), kind, subject) ?? "";
    });
  };

  test("a node whose time stands while its height runs was not seen to go together with itself", () => {
    const halted = (second: number) => [says("a", -5, 10), says("b", -400, 20 + second), says("c", -5, 10)];
    expect(afterAbsence("node.lying", "b", halted)).not.toContain("good");
    const sound = (second: number) => [says("a", second, 10 + second), says("b", second, 10 + second)];
    expect(afterAbsence("node.lying", "b", sound).slice(0, 2)).toEqual(["unknown", "good"]);
  });

  test("nor does a node that contradicts another lie no longer", () => {
    const contradicting = (second: number) => [says("a", second, 10 + second), says("b", second - 1, 10 + second)];
    expect(afterAbsence("node.lying", "b", contradicting)).not.toContain("good");
  });

  test("nodes that were just met may stand still", () => {
    const divided = (second: number) =>
      ["a", "b", "c", "d", "e"].map((node) => says(node, "ab".includes(node) ? second : 0));
    const states = afterAbsence("network.disagree", "", divided);
    expect(states).not.toContain("good");
    expect(states.at(-1)).toBe("bad");
  });

  test("a time goes back before nobody", () => {
    expect(stateOf(new Watch().round(0, [says("a", 0)]), "network.time-back", "a")).toBe("unknown");
  });
});

describe("blindness", () => {
  test.each<[string, Witness[]]>([
    ["silence", [gone("a"), gone("b")]],
    [
      "what is no data node",
      [
        { ...gone("a"), foreign: true },
        { ...gone("b"), foreign: true },
      ],
    ],
    ["nothing of use", [{ ...gone("a"), answered: true }, gone("b")]],
  ])("by %s says what it is blind by", (_name, witnesses) => {
    const readings = new Watch().round(0, witnesses);
    expect(readings.find(({ kind }) => kind === "watch.blind")?.why).toMatchSnapshot();
    expect(readings).toContainEqual(expect.objectContaining({ kind: "watch.blind", state: "bad" }));
  });
});

test("a blind round knows of no disagreement", () => {
  const watch = new Watch();
  const split = (second: number) => [says("a", second), says("b", Math.min(0, second)), says("c", Math.min(0, second))];
  for (let now = -10; now <= 60; now += 5) watch.round(now, split(now));
  expect(stateOf(watch.round(65, split(65)), "network.disagree")).toBe("bad");
  expect(stateOf(watch.round(70, NAMES.map(gone)), "network.disagree")).toBe("unknown");
  expect(stateOf(watch.round(75, split(75)), "network.disagree")).toBe("bad");
});

describe("oddities", () => {
  test("a node that was set back is bad until it has caught up with its own latest time", () => {
    const watch = new Watch();
    watch.round(0, [says("a", 0), says("b", 0)]);
    const states = [-60, -20, -4, 3, 30].map((said, index) =>
      stateOf(watch.round(5 * (index + 1), [says("a", 5 * (index + 1)), says("b", said)]), "network.time-back", "b"),
    );
    // Two nodes behind one URL are up to four seconds apart.
    expect(states).toEqual(["bad", "bad", "good", "good", "good"]);
  });

  test("a node that goes back as it is believed again is told until it has caught up", () => {
    const watch = new Watch();
    const says3 = (now: number, ofC: number) =>
      ["a", "b", "c"].map((node) => says(node, node === "c" ? ofC : now, 10 + now));
    for (let now = 0; now <= 10; now += 5) watch.round(now, says3(now, now - 1));
    // Ten minutes later it is no longer outvoted.
    const states = [615, 620, 625, 630].map((now) => {
      const answers = [says("a", now, 10 + now), says("b", now, 10 + now), says("c", now - 3700, now - 3700)];
      return stateOf(watch.round(now, answers), "network.time-back", "c");
    });
    expect(states).toEqual(["bad", "bad", "bad", "bad"]);
  });

  test("whether the clock is right is unknown where as many nodes say that it is behind", () => {
    const clockAt = (ahead: readonly string[]) => {
      const watch = new Watch();
      const round = (now: number) =>
        watch.round(
          now,
          ["a", "b", "c", "d"].map((node) => says(node, ahead.includes(node) ? now + 190 : now)),
        );
      for (let now = 0; now < 20; now += 5) round(now);
      return stateOf(round(20), "network.clock");
    };
    expect([clockAt(["a"]), clockAt(["a", "b"])]).toEqual(["good", "unknown"]);
  });

  test("a time back is found across a restart, and names both times", () => {
    const watch = new Watch();
    watch.round(0, [says("a", 0)]);
    watch.run = "2";
    expect(watch.round(60, [says("a", -3600)], 5)).toContainEqual(
      expect.objectContaining({
        kind: "network.time-back",
        state: "bad",
        facts: { from: String(at(0)), to: String(at(-3600)) },
      }),
    );
  });

  test("a node that is not believed for three rounds is told", () => {
    const watch = new Watch();
    const lied = [5, 10, 15].map((now) =>
      watch.round(now, [says("a", now + 60), says("b", now), says("c", now)]).find(({ kind }) => kind === "node.lying"),
    );
    expect(lied.map((reading) => reading?.state)).toEqual(["unknown", "unknown", "bad"]);
    expect(lied[2]).toMatchObject({ subject: "a", facts: { by: "ahead" } });
  });

  test("a lie does not end because most of those who contradicted it are gone; it ends once the node agrees with the rest", () => {
    const watch = new Watch();
    const NODES = ["a", "b", "c", "d", "e"];
    const stateAt = (now: number, isOther: boolean, silent: readonly string[] = []) => {
      const answers = NODES.map((node) =>
        silent.includes(node) ? gone(node) : says(node, node === "d" && isOther ? now - 1 : now, 10_000 + 2 * now),
      );
      return stateOf(watch.round(now, answers), "node.lying", "d");
    };
    const states = Array.from({ length: 60 }, (_, index) => {
      const now = 5 * index;
      return stateAt(now, now < 120, now < 60 ? [] : ["b", "e"]);
    });
    const changes = states.flatMap((state, index) => (state === states[index - 1] ? [] : [`${5 * index} s ${state}`]));
    expect(changes).toEqual(["0 s unknown", "10 s bad", "70 s unknown", "180 s good"]);
  });

  test("a majority that stands while a minority goes on is a disagreement, naming both sides", () => {
    const watch = new Watch();
    let last: readonly Reading[] = [];
    const until = (seconds: number, from: number): void => {
      for (let now = from; now <= seconds; now += 5)
        last = watch.round(now, [says("a", now), says("b", Math.min(0, now)), says("c", Math.min(0, now))]);
    };
    until(15, -10);
    expect(stateOf(last, "network.disagree")).toBe("unknown");
    until(60, 20);
    expect(last).toContainEqual(
      expect.objectContaining({
        kind: "network.disagree",
        state: "bad",
        badForMillis: 60_000,
        facts: expect.objectContaining({ advancing: ["a"], standing: ["b", "c"] }) as unknown,
      }),
    );
    expect(stateOf(last, "network.stalled")).toBe("unknown");
  });

  test("clocks apart are no stall, and a stall moves no clock apart", () => {
    const watch = new Watch();
    const drift = (readings: readonly Reading[]): number | undefined => {
      const reading = readings.find((one) => one.kind === "network.clock");
      return reading?.kind === "network.clock" ? reading.facts.driftMillis : undefined;
    };
    watch.round(0, [says("a", -45)]);
    const second = watch.round(5, [says("a", -40)]);
    expect([drift(second), stateOf(second, "network.stalled")]).toEqual([45_000, "good"]);
    expect(drift(watch.round(10, [says("a", -40)]))).toBe(45_000);
    expect(drift(watch.round(40, [says("a", -40)]))).toBeUndefined();
  });
});
