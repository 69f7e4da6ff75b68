import { describe, expect, test } from "vitest";

import { at, play, says, type Script, Watch } from "./watch.ts";

const late: Script[string] = [[-15, "-3600"]];

/** The state and the finding at each of some seconds. */
function states(script: Script, ...seconds: readonly number[]): readonly string[] {
  const verdicts = play(script, Math.max(...seconds));
  return seconds.map((second) => {
    const { network, stalled } = verdicts.get(second)!;
    return `${network}, ${stalled}`;
  });
}

describe("while most nodes catch up behind one at the tip", () => {
  test("that goes on, it is unconfirmed until it has gone on for long enough, and the others lag", () => {
    const script: Script = { a: [], b: late, c: late };
    expect(states(script, 0, 5, 20)).toEqual(["healthy, unknown", "unconfirmed, unknown", "unconfirmed, good"]);
    const { nodes } = play(script, 60).get(60)!;
    expect(nodes.map(({ state, vote }) => `${state}, ${vote}`)).toEqual([
      "ok, moves",
      "lagging, syncs",
      "lagging, syncs",
    ]);
  });

  test("that stands, it is unknown until that one has stood for long enough: then it is a stall since that one stopped", () => {
    const script: Script = { a: [[100, "still"]], b: late, c: late };
    expect(states(script, 115, 275, 280)).toEqual(["syncing, unknown", "syncing, unknown", "syncing, bad"]);
    const verdict = play(script, 300).get(300)!;
    expect(verdict).toMatchObject({ stillMillis: 200_000, memory: { tip: { node: "a", time: at(100) } } });
    expect(verdict.nodes.map(({ state }) => state)).toEqual(["ok", "lagging", "lagging"]);
  });

  test("that is met where it stands, the stall counts from then", () => {
    const script: Script = { a: [[-15, "still"]], b: late, c: late };
    expect(states(script, 160, 165)).toEqual(["syncing, unknown", "syncing, bad"]);
  });

  test("with a quorum at the tip it is an ordinary stall", () => {
    const script: Script = { a: [[100, "still"]], b: [[100, "still"]], c: late };
    expect(states(script, 120)).toEqual(["stalled, bad"]);
  });

  test("what reaches the tip and does not pass it is no advance", () => {
    const b: Script[string] = [
      ...Array.from({ length: 33 }, (_, round) => [5 * round - 15, `-${700 - 20 * round}`] as const),
      [150, "-50"],
      [155, "still"],
    ];
    const verdicts = [...play({ a: [[100, "still"]], b, c: b }, 200)].filter(([second]) => second >= 115);
    expect(new Set(verdicts.map(([, { stalled }]) => stalled))).toEqual(new Set(["unknown", "bad"]));
  });
});

describe("the age of a halt", () => {
  /** One node stands from second 100 on; another one is so many seconds late, until it is there. */
  const confirmed = (late: number): Script => {
    const b: Script[string] = [
      [-15, `-${late}`],
      [105 + late, "still"],
    ];
    return { a: [[100, "still"]], b, c: [[-15, "off"]] };
  };
  const jump: Script[string] = [
    [100, "+8"],
    [105, "still"],
  ];
  const halt: Script[string] = [[105, "still"]];

  test.each<[string, Script]>([
    ["another one is there before it stands", confirmed(10)],
    ["another one comes later", confirmed(20)],
    ["another one is still on the way", confirmed(45)],
    ["nobody follows so far", { a: jump, b: halt, c: halt }],
  ])("runs from the last move of the node at the tip: %s", (_name, script) => {
    const { network, stalled, stillMillis } = play(script, 130).get(130)!;
    expect({ network, stalled, stillMillis }).toEqual({ network: "stalled", stalled: "bad", stillMillis: 30_000 });
  });

  test("runs from the last advance once the node at the tip is silent, or went back", () => {
    for (const doing of ["off", "-300"] as const) {
      const script: Script = {
        a: [
          [100, "+8"],
          [105, doing],
        ],
        b: [[105, "still"]],
        c: [[105, "still"]],
      };
      expect(play(script, 130).get(130)).toMatchObject({ network: "stalled", stillMillis: 25_000 });
    }
  });
});

describe("the tip", () => {
  const lost: Script = { a: [[100, "off"]], b: late, c: late };

  test("is forgotten where no node has been there for three minutes: from then on what goes on goes on", () => {
    expect(states(lost, 110, 280, 285)).toEqual(["syncing, unknown", "syncing, unknown", "healthy, good"]);
  });

  test("is kept while a node is less than a minute behind it", () => {
    const near: Script = {
      ...lost,
      d: [
        [100, "-55"],
        [105, "still"],
      ],
    };
    expect(states(near, 300)).toEqual(["syncing, bad"]);
  });

  test("is forgotten at once where its node is not believed any more", () => {
    const liar: Script = { ...lost, a: [[100, "+3600"]] };
    expect(states(liar, 95, 100)).toEqual(["unconfirmed, good", "healthy, good"]);
  });

  test("is forgotten at once where it is ahead of a clock that is right again", () => {
    const watch = new Watch();
    const halt = (now: number) => [
      says("a", now + 200),
      ...["b", "c"].map((node) => says(node, Math.min(now, 0) + 200)),
    ];
    for (let now = -30; now <= 600; now += 5) watch.round(now, halt(now));
    const verdicts = [605, 610, 615, 620].map((now) =>
      watch.round(
        now,
        ["a", "b", "c"].map((node) => says(node, now)),
      ),
    );
    expect(new Set(verdicts.map(({ network }) => network))).toEqual(new Set(["healthy"]));
    expect(verdicts.at(-1)?.nodes.map(({ state }) => state)).toEqual(["ok", "ok", "ok"]);
  });

  test("is never before what a quorum confirmed", () => {
    const all: Script[string] = [[100, "-3600"]];
    expect(states({ a: all, b: all, c: all }, 120, 280, 600)).toEqual([
      "syncing, unknown",
      "syncing, unknown",
      "syncing, unknown",
    ]);
  });

  test("is further than a minute from a node that catches up, not at a minute", () => {
    const watch = new Watch();
    const round = (seconds: number, behind: number) =>
      watch.round(seconds, [says("a", seconds), says("b", seconds - behind)]).nodes[1]?.vote;
    round(0, 62);
    expect([round(5, 60.001), round(10, 60)]).toEqual(["syncs", "moves"]);
  });

  test("holds back a node that was just met behind it, which may move elsewhere", () => {
    const script: Script = {
      a: [],
      b: [
        [-15, "-5000"],
        [0, "still"],
      ],
      c: [
        [-15, "off"],
        [100, "-3600"],
      ],
    };
    expect(states(script, 100)).toEqual(["contested, unknown"]);
  });
});
