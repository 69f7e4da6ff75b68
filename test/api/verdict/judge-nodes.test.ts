import { describe, expect, test } from "vitest";

import type { NodeVerdict, Witness } from "../../../src/api/verdict/verdict.ts";
import { at, gone, play, says, type Script, Watch } from "./watch.ts";

const node = (script: Script, seconds: number, name: string): NodeVerdict | undefined =>
  play(script, seconds)
    .get(seconds)
    ?.nodes.find((one) => one.node === name);

describe("a node lags", () => {
  test.each<[string, Script, number, Partial<NodeVerdict>]>([
    [
      "in time behind those that move",
      { a: [], b: [], c: [[0, "still"]] },
      65,
      { state: "lagging", behindMillis: 65_000 },
    ],
    ["not by less than the threshold", { a: [], b: [], c: [[0, "still"]] }, 45, { state: "ok", behindMillis: 45_000 }],
    [
      "in a stall, behind the frontier",
      {
        a: [[0, "still"]],
        b: [[0, "still"]],
        c: [
          [0, "-90"],
          [5, "still"],
        ],
      },
      60,
      { state: "lagging", behindMillis: 90_000 },
    ],
    [
      "of two, behind the one that is further",
      { a: [], b: [[0, "still"]] },
      90,
      { state: "lagging", behindMillis: 90_000 },
    ],
    [
      "which of three cannot be said while they are divided",
      { a: [], b: [[0, "still"]], c: [[0, "still"]] },
      90,
      { state: "ok" },
    ],
  ])("%s", (_name, script, seconds, expected) => {
    expect(node(script, seconds, Object.keys(script).at(-1) ?? "")).toMatchObject(expected);
  });

  test("in blocks though its time is near", () => {
    const [near, far] = new Watch().round(0, [says("a", 0, 1000), says("b", -1, 899)]).nodes;
    expect(near).toMatchObject({ state: "ok", behindBlocks: 0n });
    expect(far).toMatchObject({ state: "lagging", behindBlocks: 101n, behindMillis: 1000 });
  });
});

test("a node votes by what it did last", () => {
  const script: Script = {
    a: [],
    b: [[0, "still"]],
    c: [[0, "off"]],
    d: [[0, "-60"]],
    e: [],
  };
  const votes = play(script, 20)
    .get(20)
    ?.nodes.map(({ vote }) => vote);
  expect(votes).toEqual(["moves", "stands", "silent", "climbs", "moves"]);
  expect(new Watch().round(0, [says("a", 0)]).nodes[0]?.vote).toBe("waits");
});

test("a node that refuses us is unknown, not down", () => {
  const refused: Witness = { node: "b", reachable: false, refused: true, why: "gets too many requests" };
  const verdict = new Watch().round(0, [says("a", -600), refused]);
  expect(verdict.nodes[1]).toMatchObject({ state: "unknown", why: "gets too many requests" });
  expect(new Watch().round(0, [gone("a")]).nodes[0]).toMatchObject({ state: "down" });
});

test("time that goes back is named once, with both times", () => {
  const watch = new Watch();
  watch.round(0, [says("a", 0), says("b", 0)]);
  expect(watch.round(5, [says("a", 5), says("b", -90)]).wentBack).toEqual([{ node: "b", from: at(0), to: at(-90) }]);
  expect(watch.round(10, [says("a", 10), says("b", -80)]).wentBack).toEqual([]);
});
