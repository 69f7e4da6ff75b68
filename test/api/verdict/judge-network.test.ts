import { describe, expect, test } from "vitest";

import type { Finding, NetworkState, Witness } from "../../../src/api/verdict/verdict.ts";
import { afterDeeds, type Deed, outcomes } from "./deeds.ts";
import { at, gone, NAMES, play, says, type Script, Watch } from "./watch.ts";

const DEEDS = ["on", "still", "late", "down", "ahead"] as const;

/** The rules in words, apart from how the code says them: 40 s after the last advance, after 30 s without one. */
function expectedNetwork(given: readonly Deed[]): NetworkState {
  // Where most of three or more are ahead, the wall clock is wrong, and they go on.
  const clockIsWrong = given.length >= 3 && given.filter((deed) => deed === "ahead").length * 2 > given.length;
  const deeds = given.map((deed) => (clockIsWrong && deed === "ahead" ? "on" : deed));
  const count = (...of: Deed[]): number => deeds.filter((deed) => of.includes(deed)).length;
  if (count("on", "still", "late") === 0) return "blind";
  if (count("on") >= Math.min(2, deeds.length)) return "healthy";
  // One that missed a single poll still counts as standing where it was.
  const standing = count("still", "late", "down");
  if (count("on") > 0) return standing > 0 ? "contested" : "unconfirmed";
  return standing * 2 > deeds.length ? "stalled" : "blind";
}

describe.each([1, 2, 3])("every outcome of %i nodes, 40 s after the last advance", (count) => {
  test.each(outcomes(DEEDS, count).map((deeds) => [deeds.join(" "), deeds] as const))("%s", (_name, deeds) => {
    const network = expectedNetwork(deeds);
    const verdict = afterDeeds(new Watch(), deeds);
    const stalled: Record<NetworkState, Finding> = {
      healthy: "good",
      contested: "unknown",
      unconfirmed: "unknown",
      syncing: "unknown",
      stalled: "bad",
      blind: "unknown",
    };
    expect({ network: verdict.network, stalled: verdict.stalled }).toEqual({ network, stalled: stalled[network] });
    expect(verdict.why).not.toBe("");
  });
});

describe("one node alone", () => {
  test.each<[string, Script, number, NetworkState, Finding]>([
    ["confirms no advance of three", { a: [], b: [[0, "off"]], c: [[0, "off"]] }, 20, "unconfirmed", "unknown"],
    ["is not at once", { a: [], b: [[0, "off"]], c: [[0, "off"]] }, 25, "unconfirmed", "unknown"],
    ["is enough once the others are silent", { a: [], b: [[0, "off"]], c: [[0, "off"]] }, 30, "unconfirmed", "good"],
    [
      "or on the way",
      {
        a: [],
        b: [
          [0, "still"],
          [30, "off"],
        ],
        c: [
          [0, "still"],
          [30, "-90"],
        ],
      },
      60,
      "unconfirmed",
      "good",
    ],
    [
      "is not once another one has come that may stand",
      {
        a: [],
        b: [[0, "off"]],
        c: [
          [-15, "off"],
          [40, "-45"],
          [45, "still"],
        ],
      },
      50,
      "unconfirmed",
      "unknown",
    ],
    [
      "goes past another one that was seen once: that confirms nothing",
      {
        a: [[-15, "-20"]],
        b: [
          [-15, "off"],
          [40, "+9"],
          [45, "off"],
        ],
        c: [[-15, "off"]],
      },
      85,
      "unconfirmed",
      "good",
    ],
    [
      "follows one that stands further: that ends no stall",
      {
        a: [[100, "still"]],
        b: [
          [0, "still"],
          [100, "-90"],
        ],
        c: [[0, "still"]],
      },
      135,
      "stalled",
      "bad",
    ],
    [
      "ends no stall of the others",
      {
        a: [
          [0, "still"],
          [60, "on"],
        ],
        b: [[0, "still"]],
        c: [[0, "still"]],
      },
      300,
      "contested",
      "unknown",
    ],
    ["cannot hide a stall by a pause", { a: [], b: [[0, "still"]], c: [[0, "still"]] }, 60, "contested", "unknown"],
    ["that stands hides no advance", { a: [[0, "still"]], b: [], c: [] }, 300, "healthy", "good"],
    ["of two that goes on settles nothing", { a: [], b: [[0, "still"]] }, 120, "contested", "unknown"],
    [
      "frozen, while the others stop later",
      { a: [[0, "still"]], b: [[100, "still"]], c: [[100, "still"]] },
      135,
      "stalled",
      "bad",
    ],
    [
      "went further before it stood, too: that the others follow ends no stall",
      {
        a: [
          [0, "still"],
          [40, "on"],
          [100, "still"],
        ],
        b: [
          [0, "still"],
          [150, "-90"],
        ],
        c: [
          [0, "still"],
          [150, "-90"],
        ],
      },
      180,
      "stalled",
      "bad",
    ],
    [
      "follows one that stands further, while a third catches up: that ends no stall",
      {
        a: [[100, "still"]],
        b: [
          [0, "still"],
          [100, "-90"],
        ],
        c: [[0, "-300"]],
      },
      135,
      "stalled",
      "bad",
    ],
    [
      "is not confirmed by another one that is believed again and catches up",
      {
        a: [
          [0, "still"],
          [60, "-50"],
        ],
        b: [
          [15, "+3600"],
          [65, "-120"],
        ],
        c: [[50, "still"]],
      },
      90,
      "stalled",
      "bad",
    ],
    [
      "was enough just now, and is no longer believed",
      {
        a: [[60, "+3600"]],
        b: [
          [0, "still"],
          [5, "off"],
          [60, "still"],
        ],
        c: [
          [0, "still"],
          [5, "off"],
          [60, "still"],
        ],
      },
      60,
      "stalled",
      "unknown",
    ],
    [
      "that catches up behind the rest ends no stall",
      {
        a: [[0, "still"]],
        b: [[0, "still"]],
        c: [
          [0, "-90"],
          [100, "off"],
        ],
      },
      80,
      "stalled",
      "bad",
    ],
  ])("%s", (_name, script, seconds, network, stalled) => {
    const verdict = play(script, seconds).get(seconds);
    expect({ network: verdict?.network, stalled: verdict?.stalled }).toEqual({ network, stalled });
  });
});

describe("of more nodes, it takes", () => {
  const nodes = (count: number, going: number): Script =>
    Object.fromEntries(
      ["a", "b", "c", "d", "e", "f", "g"]
        .slice(0, count)
        .map((node, index) => [node, index < going ? [] : [[0, "still"]]]),
    );

  test.each<[count: number, going: number, network: NetworkState, stalled: Finding]>([
    [2, 2, "healthy", "good"],
    [6, 1, "contested", "unknown"],
    [6, 2, "healthy", "good"],
    [7, 2, "contested", "unknown"],
    [7, 3, "healthy", "good"],
  ])("of %i, where %i go on", (count, going, network, stalled) => {
    expect(play(nodes(count, going), 60).get(60)).toMatchObject({ network, stalled });
  });

  test("three of seven: two that go on are not enough while a third stands, though the rest is silent", () => {
    const rest: Script = { d: [[0, "off"]], e: [[0, "off"]], f: [[0, "off"]], g: [[0, "off"]] };
    const opposed = play({ a: [], b: [], c: [[0, "still"]], ...rest }, 100).get(100);
    expect(opposed).toMatchObject({ network: "unconfirmed", stalled: "unknown" });
    const c: Script[string] = [
      [0, "still"],
      [60, "off"],
    ];
    const alone = play({ a: [], b: [], c, ...rest }, 85);
    expect([80, 85].map((second) => alone.get(second)?.stalled)).toEqual(["unknown", "good"]);
    expect(alone.get(85)?.network).toBe("unconfirmed");
  });
});

describe("a first poll", () => {
  test.each<[string, Witness[], NetworkState, "age" | "advance"]>([
    ["one fresh node", [says("a", -2)], "healthy", "age"],
    ["one old node", [says("a", -600)], "stalled", "age"],
    ["one silent node", [gone("a")], "blind", "advance"],
    ["two old of three", [says("a", -600), says("b", -700), gone("c")], "stalled", "age"],
    ["one old of three", [says("a", -600), gone("b"), gone("c")], "blind", "advance"],
    ["one old of two", [says("a", -600), gone("b")], "blind", "advance"],
    ["one of two that is not yet old", [says("a", -29), gone("b")], "healthy", "age"],
    ["as old as a stall", [says("a", -30)], "stalled", "age"],
    ["one in the future", [says("a", 11)], "blind", "advance"],
    ["one a little ahead", [says("a", 9)], "healthy", "age"],
  ])("%s", (_name, witnesses, network, basis) => {
    const verdict = new Watch().round(0, witnesses);
    // Nothing fires by it, and nothing resolves.
    expect(verdict).toMatchObject({ network, basis, stalled: "unknown" });
  });

  test("is a matter of age until an advance is seen, or missed for long enough", () => {
    const watch = new Watch();
    expect(watch.round(0, [says("a", -600)])).toMatchObject({ network: "stalled", basis: "age", stalled: "unknown" });
    expect(watch.round(5, [says("a", -599)])).toMatchObject({ network: "healthy", basis: "advance", stalled: "good" });
    // Before an advance is seen, one that goes on is no stall, however old its time.
    const one = play({ a: [[-15, "-60"]], b: [[-15, "off"]], c: [[-15, "off"]] }, -5);
    expect(one.get(-5)).toMatchObject({ network: "unconfirmed", basis: "advance", stalled: "unknown" });
    const later = play({ a: [[-15, "still"]] }, 20);
    expect(later.get(0)).toMatchObject({ basis: "age", stalled: "unknown" });
    expect(later.get(5)).toMatchObject({ network: "stalled", basis: "advance", stalled: "bad", stillMillis: 20_000 });
  });
});

describe("over rounds", () => {
  const names = Object.fromEntries(NAMES.map((node) => [node, []])) as Script;

  test("a stall is bad once no move is recent, counts from the last advance, and ends with the next one", () => {
    const stopped: Script = Object.fromEntries(
      NAMES.map((node) => [
        node,
        [
          [5, "still"],
          [70, "on"],
        ],
      ]),
    );
    const verdicts = play(stopped, 75);
    expect([5, 15, 20].map((second) => verdicts.get(second)?.stalled)).toEqual(["good", "good", "good"]);
    expect(verdicts.get(25)).toMatchObject({ network: "stalled", stalled: "bad", stillMillis: 20_000 });
    expect(verdicts.get(65)).toMatchObject({ network: "stalled", stillMillis: 60_000 });
    expect(verdicts.get(70)).toMatchObject({ network: "healthy", stalled: "good", stillMillis: 0 });
  });

  test("a node that alone reaches another one where it stands is no advance: the stall counts from when that one stopped", () => {
    const script: Script = {
      a: [[100, "still"]],
      b: [
        [0, "still"],
        [100, "-95"],
        [200, "still"],
      ],
      c: [[0, "still"]],
    };
    const verdict = play(script, 220).get(220);
    expect(verdict).toMatchObject({ stalled: "bad", stillMillis: 120_000, frontier: { time: at(100) } });
  });

  test("a stall counts from the last move of a node that is still further", () => {
    const verdict = play({ a: [[60, "still"]], b: [[0, "still"]], c: [[0, "still"]] }, 80).get(80);
    expect(verdict).toMatchObject({ network: "stalled", stalled: "bad", stillMillis: 20_000 });
  });

  test("not of one that has gone back since", () => {
    const a: Script[string] = [
      [60, "-3600"],
      [65, "still"],
    ];
    const verdict = play({ a, b: [[0, "still"]], c: [[0, "still"]] }, 80).get(80);
    expect(verdict).toMatchObject({ network: "stalled", stalled: "bad", stillMillis: 80_000 });
  });

  test.each([
    ["from when one alone was enough", 60, 20_000],
    ["from before, where one alone never was", 20, 35_000],
  ])("a stall counts %s, though that one is gone", (_name, second, stillMillis) => {
    const back: Script[string] = [
      [0, "still"],
      [5, "off"],
      [second, "still"],
    ];
    const verdicts = play({ a: [[second, "off"]], b: back, c: back }, second + 15);
    expect(verdicts.get(second + 15)).toMatchObject({ network: "stalled", stillMillis });
  });

  test.each([
    ["counts for nothing after it, once its tip is forgotten", 100, 190, "healthy"],
    ["is the mark that has to be passed as long as it lasts", 30, 10, "stalled"],
  ])("where one stood as a stall began %s", (_name, second, later, network) => {
    const back: Script[string] = [
      [0, "still"],
      [30, "off"],
      [second, `-${second + 3}`],
    ];
    const a: Script[string] = [
      [0, "+9"],
      [5, "still"],
      [35, "on"],
      [second, "off"],
    ];
    expect(play({ a, b: back, c: back }, second + later).get(second + later)).toMatchObject({ network });
  });

  test("blind rounds stop the time of a stall, and know nothing", () => {
    const script: Script = Object.fromEntries(
      NAMES.map((node) => [
        node,
        [
          [5, "still"],
          [30, "off"],
          [130, "still"],
        ],
      ]),
    );
    const verdicts = play(script, 140);
    expect(verdicts.get(25)?.stillMillis).toBe(20_000);
    expect(verdicts.get(125)).toMatchObject({ network: "blind", stalled: "unknown", stillMillis: 20_000 });
    expect(verdicts.get(130)).toMatchObject({ network: "stalled", stillMillis: 25_000 });
  });

  test("a stall is bad once no node has moved for as long as a move counts", () => {
    const verdicts = play({ a: [[30, "still"]], b: [[0, "still"]], c: [[0, "still"]] }, 45);
    expect([40, 45].map((second) => verdicts.get(second)?.stalled)).toEqual(["unknown", "bad"]);
  });

  test("a node that has stood ever since it was met confirms no advance", () => {
    const watch = new Watch();
    // The last one only catches up, behind the first one, which stands at 0.
    const states = Array.from({ length: 50 }, (_, round) => {
      const second = 5 * round - 30;
      const answers = [says("a", Math.min(0, second)), says("b", -50_000), says("c", -400 + second / 3)];
      return watch.round(second, answers).stalled;
    });
    expect(states.at(-1)).toBe("bad");
  });

  test("after a pause an advance has to make up for it", () => {
    const goesOn = (watch: Watch, second: number, said: number): ReturnType<Watch["round"]> =>
      watch.round(
        second,
        NAMES.map((node) => says(node, said)),
      );
    const lost = new Watch();
    for (const second of [-10, -5, 0]) goesOn(lost, second, second);
    expect(goesOn(lost, 3600, 3599)).toMatchObject({ network: "healthy", stalled: "good" });
    expect(goesOn(lost, 7200, 4200)).toMatchObject({ network: "unconfirmed", stalled: "unknown" });
    expect(goesOn(lost, 7205, 4205)).toMatchObject({ network: "healthy", stalled: "good" });
    // As much may be lost as a move counts; and who looks again knows nothing for as long.
    expect(goesOn(lost, 7265, 4250)).toMatchObject({ network: "healthy", stalled: "good" });
    expect(goesOn(lost, 7325, 4294)).toMatchObject({ network: "unconfirmed", stalled: "unknown" });
    expect(goesOn(lost, 7340, 4294)).toMatchObject({ network: "unconfirmed", stalled: "unknown" });
    expect(goesOn(lost, 7341, 4294)).toMatchObject({ network: "stalled", stalled: "bad" });
  });

  test("an advance in a pause after a stall is as old as the network's time falls short of it", () => {
    const paused = (said: number) => {
      const watch = new Watch();
      const all = (second: number, time: number) =>
        watch.round(
          second,
          NAMES.map((node) => says(node, time)),
        );
      for (let second = -10; second <= 90; second += 5) all(second, Math.min(0, second));
      return [200, 205, 210].map((second) => all(second, said));
    };
    const late = paused(190);
    expect(late.map(({ network }) => network)).toEqual(["healthy", "healthy", "unconfirmed"]);
    expect(late[0]).toMatchObject({ memory: { frontier: { advancedAt: at(190) } } });
    expect(paused(200)[0]).toMatchObject({ memory: { frontier: { advancedAt: at(200) } } });
    expect(paused(184)[0]).toMatchObject({ network: "unconfirmed", stalled: "unknown" });
  });

  test("a node's own heights confirm none", () => {
    const watch = new Watch();
    const round = (seconds: number) =>
      watch.round(seconds, [
        says("a", seconds - 1, 100 + seconds),
        says("b", seconds, 99 + seconds),
        says("c", seconds, 5000 + seconds),
      ]);
    round(0);
    expect(round(5)).toMatchObject({ network: "healthy", memory: { frontier: { time: at(5), height: 105n } } });
  });

  test("the frontier is as far as two of three have been, and never goes back", () => {
    const verdicts = play({ ...names, a: [[0, "+8"]], b: [[30, "-100"]] }, 60);
    expect(verdicts.get(25)?.frontier).toMatchObject({ time: at(25) });
    expect(verdicts.get(60)?.frontier).toMatchObject({ time: at(60), node: "c" });
    const lost = play({ a: [], b: [[30, "+3600"]], c: [[0, "still"]] }, 60);
    expect(lost.get(60)?.frontier).toMatchObject({ time: at(25) });
  });

  test("a node that is not believed confirms nothing, however plausible its time", () => {
    const watch = new Watch();
    const round = (seconds: number) =>
      watch.round(seconds, [
        says("a", seconds, 10_000 + seconds),
        says("b", seconds + 1, 20_000),
        says("c", Math.min(0, seconds), 10_000),
      ]);
    for (let seconds = -5; seconds < 60; seconds += 5) round(seconds);
    expect(round(60)).toMatchObject({ network: "contested", memory: { nodes: [{}, { disbelief: "odd" }, {}] } });
  });

  test("the frontier of a first poll is the furthest answer, and its age that of this one", () => {
    const verdict = new Watch().round(0, [says("a", -2), says("b", -3), says("c", -4)]);
    expect(verdict).toMatchObject({ frontier: { node: "a", time: at(-2) }, ageMillis: 2000 });
    const watch = new Watch();
    for (const seconds of [0, 5]) watch.round(seconds, [says("a", seconds)]);
    expect(watch.round(10, [gone("a")])).toMatchObject({ network: "blind", frontier: { time: at(5) } });
    expect(watch.round(15, [gone("a")]).ageMillis).toBeUndefined();
  });
});
