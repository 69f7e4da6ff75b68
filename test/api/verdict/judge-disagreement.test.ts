import { expect, test } from "vitest";

import type { Finding } from "../../../src/api/verdict/verdict.ts";
import { play, says, type Script, Watch } from "./watch.ts";

/** b and c stop at 0 while a goes on. */
const split: Script = { a: [], b: [[0, "still"]], c: [[0, "still"]] };
/** All stop at 0; at 600 only a goes on. */
const unequal: Script = {
  a: [
    [0, "still"],
    [600, "on"],
  ],
  b: [[0, "still"]],
  c: [[0, "still"]],
};

test.each<[string, Script, number, Finding, number | undefined]>([
  ["a majority stands while one goes on", split, 60, "bad", 60_000],
  ["but not at once", split, 15, "unknown", 15_000],
  ["but in the second poll", split, 20, "bad", 20_000],
  ["half that stands is no majority", { a: [], b: [], c: [[0, "still"]], d: [[0, "still"]] }, 60, "good", undefined],
  [
    "those that go on behind one that stands tell nothing",
    { a: [[-15, "-30"]], b: [[-15, "-30"]], c: [[0, "still"]], d: [[0, "still"]], e: [[60, "still"]] },
    85,
    "good",
    undefined,
  ],
  [
    "it counts from the first one that went on",
    {
      a: [],
      b: [
        [0, "still"],
        [60, "on"],
      ],
      c: [[0, "still"]],
      d: [[0, "still"]],
      e: [[0, "still"]],
    },
    90,
    "bad",
    90_000,
  ],
  [
    "before an advance is seen nothing is known",
    { a: [], b: [[-15, "off"]], c: [[-15, "off"]] },
    -5,
    "unknown",
    undefined,
  ],
  ["a minority that stands only lags", { a: [], b: [], c: [[0, "still"]] }, 300, "good", undefined],
  ["of two neither is right before it is critical", { a: [], b: [[0, "still"]] }, 170, "unknown", 170_000],
  ["of two, when it is critical", { a: [], b: [[0, "still"]] }, 180, "bad", 180_000],
  [
    "nor one against one, where a third is silent",
    { a: [], b: [[0, "still"]], c: [[-5, "off"]] },
    170,
    "unknown",
    170_000,
  ],
  ["but it is critical then", { a: [], b: [[0, "still"]], c: [[-5, "off"]] }, 180, "bad", 180_000],
  [
    "of five, two go on and three stand: it advances, and they disagree",
    { a: [], b: [], c: [[0, "still"]], d: [[0, "still"]], e: [[0, "still"]] },
    60,
    "bad",
    60_000,
  ],
  ["nodes that start one after another after a halt: counted from the first", unequal, 660, "bad", 60_000],
  [
    "one that goes on when the stall is just being told: it is told all the same",
    {
      a: [
        [0, "still"],
        [30, "on"],
      ],
      b: [[0, "still"]],
      c: [[0, "still"]],
    },
    45,
    "bad",
    45_000,
  ],
  ["a pause of the one that goes on ends nothing", { ...split, a: [[60, "still"]] }, 85, "unknown", 70_000],
  ["whichever of them it is", { a: [[0, "still"]], b: [[60, "still"]], c: [[0, "still"]] }, 85, "unknown", 70_000],
  [
    "it is over once the one that went on has stood for long enough",
    { ...split, a: [[60, "still"]] },
    90,
    "good",
    undefined,
  ],
  ["it is over once that one is no longer believed", { ...split, a: [[60, "+3600"]] }, 70, "good", undefined],
  [
    "or was not for a while, and begins anew",
    {
      a: [
        [60, "+3600"],
        [80, "-25"],
      ],
      b: [[0, "still"]],
    },
    80,
    "good",
    undefined,
  ],
  [
    "it is over once that one went back",
    {
      ...split,
      a: [
        [60, "-100"],
        [65, "still"],
      ],
    },
    75,
    "good",
    undefined,
  ],
  [
    "it is over once the others follow",
    {
      a: [],
      b: [
        [0, "still"],
        [60, "on"],
      ],
      c: [
        [0, "still"],
        [60, "on"],
      ],
    },
    80,
    "good",
    undefined,
  ],
  [
    "it is not over while the others are silent",
    {
      a: [],
      b: [
        [0, "still"],
        [60, "off"],
      ],
      c: [
        [0, "still"],
        [60, "off"],
      ],
    },
    70,
    "unknown",
    65_000,
  ],
  [
    "but once they are, and the one goes on for long enough",
    {
      a: [],
      b: [
        [0, "still"],
        [60, "off"],
      ],
      c: [
        [0, "still"],
        [60, "off"],
      ],
    },
    85,
    "good",
    undefined,
  ],
  [
    "a poll that reaches nobody says nothing about it",
    {
      a: [[60, "off"]],
      b: [
        [0, "still"],
        [60, "off"],
      ],
      c: [
        [0, "still"],
        [60, "off"],
      ],
    },
    60,
    "unknown",
    55_000,
  ],
])("%s", (_name, script, seconds, finding, ageMillis) => {
  const verdict = play(script, seconds).get(seconds);
  expect({ finding: verdict?.disagreed, ageMillis: verdict?.disagree?.forMillis }).toEqual({ finding, ageMillis });
});

test("polls as far apart as a move counts are polls in a row", () => {
  const watch = new Watch();
  const round = (seconds: number) =>
    watch.round(seconds, [says("a", seconds), says("b", Math.min(0, seconds)), says("c", Math.min(0, seconds))]);
  expect([-15, 0, 15, 30].map((seconds) => round(seconds).disagreed)).toEqual(["unknown", "good", "unknown", "bad"]);
});

test("both sides are named", () => {
  const still: Script = Object.fromEntries(["c", "d", "e", "f", "g"].map((node) => [node, [[0, "still"]]]));
  const b: Script[string] = [
    [0, "still"],
    [100, "-60"],
  ];
  expect(play({ a: [[100, "still"]], b, ...still }, 130).get(130)?.disagree?.moving).toEqual(["b"]);
  expect(play(split, 60).get(60)?.disagree).toMatchObject({ moving: ["a"], standing: ["b", "c"] });
});
