import { describe, expect, test } from "vitest";

import type { NodeVerdict, Vote, Witness } from "../../../src/api/verdict/verdict.ts";
import { at, gone, play, says, type Script, Watch } from "./watch.ts";

const node = (script: Script, seconds: number, name: string): NodeVerdict | undefined =>
  play(script, seconds)
    .get(seconds)
    ?.nodes.find((one) => one.node === name);

describe("a node lags", () => {
  type Place = Pick<NodeVerdict, "state" | "behindMillis" | "behindBlocks">;
  const still = [[0, "still"]] as const;
  test.each<[string, Script, number, Place]>([
    [
      "in time behind those that move",
      { a: [], b: [], c: still },
      65,
      { state: "lagging", behindMillis: 65_000, behindBlocks: 130n },
    ],
    [
      "behind the furthest of them, in blocks behind what is confirmed",
      { a: [[-15, "+8"]], b: [], c: still },
      65,
      { state: "lagging", behindMillis: 73_000, behindBlocks: 130n },
    ],
    [
      "not by the threshold itself",
      { a: [], b: [], c: still },
      50,
      { state: "ok", behindMillis: 50_000, behindBlocks: 100n },
    ],
    [
      "not where it is further",
      { a: [], b: [], c: [[-15, "+8"]] },
      60,
      { state: "ok", behindMillis: 0, behindBlocks: 0n },
    ],
    [
      "not behind one that stands",
      { a: [[100, "still"]], b: [[-15, "-30"]], c: [[-15, "-30"]] },
      120,
      { state: "ok", behindMillis: 0, behindBlocks: 0n },
    ],
    [
      "in a stall, behind the frontier",
      {
        a: still,
        b: still,
        c: [
          [0, "-90"],
          [5, "still"],
        ],
      },
      60,
      { state: "lagging", behindMillis: 90_000, behindBlocks: 180n },
    ],
    [
      "in a stall of two, behind the other's answer",
      {
        a: still,
        b: [
          [0, "-90"],
          [5, "still"],
        ],
      },
      60,
      { state: "lagging", behindMillis: 90_000, behindBlocks: 180n },
    ],
    [
      "even if it is the only one that moves",
      {
        a: still,
        b: still,
        c: [
          [-15, "off"],
          [5, "-150"],
        ],
      },
      60,
      { state: "lagging", behindMillis: 90_000, behindBlocks: 180n },
    ],
    [
      "of two, behind the one that is further",
      { a: [], b: still },
      90,
      { state: "lagging", behindMillis: 90_000, behindBlocks: 180n },
    ],
    [
      "of two that are left, too",
      { a: [[-15, "+8"]], c: [[0, "off"]], b: [] },
      30,
      { state: "ok", behindMillis: 8000, behindBlocks: 16n },
    ],
    ["which of three cannot be said while they are divided", { a: [], b: still, c: still }, 90, { state: "ok" }],
    [
      "nor while one goes on unconfirmed",
      { a: [], b: [], d: [[0, "off"]], e: [[0, "off"]], f: [[0, "off"]], g: [[0, "off"]], c: still },
      90,
      { state: "ok" },
    ],
    [
      "while it catches up, behind the tip, confirmed or not",
      { a: [], c: [[0, "off"]], b: [[0, "-90"]] },
      40,
      { state: "lagging", behindMillis: 90_000, behindBlocks: 180n },
    ],
    ["nor while too few answer", { a: [[0, "off"]], b: [[0, "off"]], c: [[0, "-90"]] }, 30, { state: "ok" }],
  ])("%s", (_name, script, seconds, expected) => {
    const { state, behindMillis, behindBlocks } = node(script, seconds, Object.keys(script).at(-1) ?? "") ?? {};
    expect({ state, behindMillis, behindBlocks }).toEqual(expected);
  });

  test("in time by more than a minute", () => {
    const at = (seconds: number) => new Watch().round(0, [says("a", 0), says("b", seconds)]).nodes[1]?.state;
    expect([at(-60), at(-60.001)]).toEqual(["ok", "lagging"]);
  });

  test("in blocks though its time is near", () => {
    const [near, edge, far] = new Watch().round(0, [says("a", 0, 1000), says("b", -1, 900), says("c", -2, 899)]).nodes;
    expect(near).toMatchObject({ state: "ok", behindBlocks: 0n });
    expect(edge).toMatchObject({ state: "ok", behindBlocks: 100n });
    expect(far).toMatchObject({ state: "lagging", behindBlocks: 101n, behindMillis: 2000 });
  });
});

describe("a node votes by what it did last: it", () => {
  test.each<[string, Script[string], Partial<Record<number, Vote>>]>([
    ["goes on", [], { 20: "moves" }],
    ["moves for as long as a move counts", [[0, "still"]], { 10: "moves", 15: "stands" }],
    ["was just met", [[-15, "still"]], { [-15]: "waits", [-5]: "waits", 0: "stands" }],
    ["does not answer", [[0, "off"]], { 5: "moves", 10: "silent" }],
    [
      "stands for no longer while it cannot be seen, but for a single poll",
      [
        [0, "still"],
        [5, "off"],
        [15, "still"],
      ],
      { 15: "waits", 20: "stands" },
    ],
    ["catches up behind where it was", [[0, "-60"]], { 20: "climbs" }],
    [
      "stands behind where it was",
      [
        [0, "-60"],
        [5, "still"],
      ],
      { 20: "stands" },
    ],
    [
      "begins anew from where it is, once it was behind for too long",
      [[5, "-3600"]],
      { 180: "syncs", 185: "waits", 190: "syncs" },
    ],
    ["catches up behind all", [[0, "-61"]], { 20: "syncs" }],
    [
      "stands behind all",
      [
        [0, "-90"],
        [5, "still"],
      ],
      { 20: "stands" },
    ],
  ])("%s", (_name, script, votes) => {
    const verdicts = play({ a: [], b: script, c: [] }, Math.max(...Object.keys(votes).map(Number)));
    const given = Object.keys(votes).map((second) => [second, verdicts.get(Number(second))?.nodes[1]?.vote]);
    expect(Object.fromEntries(given)).toEqual(votes);
  });

  test.each<[string, number, number, Vote]>([
    ["a later time and block", 5, 1010, "moves"],
    ["a later time with the same block", 5, 1000, "waits"],
    ["an earlier block, but not of another history", 5, 900, "waits"],
    ["the block of a new history", 5, 899, "moves"],
    ["the same time with a later block", 0, 1010, "waits"],
  ])("says %s", (_name, seconds, height, vote) => {
    const watch = new Watch();
    watch.round(0, [says("a", 0, 1000)]);
    expect(watch.round(5, [says("a", seconds, height)]).nodes[0]?.vote).toBe(vote);
  });
});

test("a node that refuses us is unknown, not down", () => {
  const refused: Witness = { node: "b", reachable: false, refused: true, why: "gets too many requests" };
  const verdict = new Watch().round(0, [says("a", -600), refused]);
  expect(verdict.nodes[1]).toMatchObject({ state: "unknown", why: "gets too many requests" });
  expect(new Watch().round(0, [gone("a")]).nodes[0]).toEqual({
    node: "a",
    state: "down",
    why: gone("a").why,
    vote: "silent",
  });
});

test("a node says what it answered, usable or not", () => {
  const full: Witness = { ...says("a", 0, 7), roundTripMillis: 12 };
  const { nodes } = new Watch().round(0, [
    full,
    { node: "b", reachable: true },
    { node: "c", reachable: false, answered: true },
  ]);
  expect(nodes[0]).toMatchObject({ state: "ok", time: full.time, height: 7n, roundTripMillis: 12 });
  expect(nodes[1]).toMatchObject({ state: "unknown", answered: true });
  expect(nodes[2]).toMatchObject({ state: "down", answered: true });
});

test("time that goes back is named once, with both times", () => {
  const watch = new Watch();
  watch.round(0, [says("a", 0), says("b", 0)]);
  expect(watch.round(5, [says("a", 5), says("b", -90)]).wentBack).toEqual([{ node: "b", from: at(0), to: at(-90) }]);
  expect(watch.round(10, [says("a", 10), says("b", -80)]).wentBack).toEqual([]);
});
