import { describe, expect, test } from "vitest";

import type { Verdict, Witness } from "../../../src/api/verdict/verdict.ts";
import { at, play, says, Watch } from "./watch.ts";

/** What b says at a second in which a is where the network is. */
type Other = (second: number) => Witness;
const honest = (node: string, second: number): Witness => ({
  ...says(node, second, 10_000 + 2 * second),
  blockTime: at(second),
});
const ofAnotherChain: Other = (second) => ({ ...says("b", second, 900_000 + second), blockTime: at(second - 0.3) });
const contradicting: Other = (second) => ({ ...honest("b", second), blockTime: at(second - 1) });

/** The verdict at each of some seconds. */
function verdicts(other: Other, ...seconds: readonly number[]): readonly Verdict[] {
  const watch = new Watch();
  const all = new Map<number, Verdict>();
  for (let second = 0; second <= Math.max(...seconds); second += 5) {
    all.set(second, watch.round(second, [honest("a", second), other(second)]));
  }
  return seconds.map((second) => all.get(second)!);
}

describe("of two nodes that go on, and contradict each other", () => {
  test.each([
    ["about the time of a block", contradicting],
    ["about their chain", ofAnotherChain],
  ])("%s, it is told once it is critical, and names both", (_name, other) => {
    const [before, due] = verdicts(other, 175, 180);
    expect([before!.disagreed, due!.disagreed]).toEqual(["unknown", "bad"]);
    expect(due!.disagree).toEqual({ moving: ["a", "b"], standing: [], forMillis: 180_000 });
    expect(due!.network).toBe("healthy");
  });

  test("neither is called late behind the other where their chains differ", () => {
    const [verdict] = verdicts(ofAnotherChain, 60);
    expect(verdict!.nodes).toMatchObject([
      { state: "ok", disputed: true, why: "shows another chain than b" },
      { state: "ok", disputed: true, why: "shows another chain than a" },
    ]);
    expect(verdict!.nodes.every(({ behindBlocks }) => behindBlocks === undefined)).toBe(true);
  });

  test("it is over after a minute without a contradiction", () => {
    const until =
      (last: number): Other =>
      (second) =>
        second <= last ? contradicting(second) : honest("b", second);
    const after = verdicts(until(300), 300, 305, 355, 360);
    expect(after.map(({ disagreed }) => disagreed)).toEqual(["bad", "unknown", "unknown", "good"]);
  });

  test("of three there is no such quarrel", () => {
    const watch = new Watch();
    let last: Verdict | undefined;
    for (let second = 0; second <= 200; second += 5) {
      last = watch.round(second, [honest("a", second), contradicting(second), honest("c", second)]);
    }
    expect([last!.disagreed, last!.nodes[1]!.disbelief]).toEqual(["good", "outvoted"]);
  });
});

test("of three the one of another chain is not believed, and the others are not marked by it", () => {
  const watch = new Watch();
  let last: Verdict | undefined;
  for (let second = 0; second <= 10; second += 5) {
    last = watch.round(second, [honest("a", second), ofAnotherChain(second), honest("c", second)]);
  }
  expect(last!.nodes.map(({ why, disputed }) => [why, disputed])).toEqual([
    [undefined, undefined],
    ["shows another chain than a and c", undefined],
    [undefined, undefined],
  ]);
});

test("of two that go different ways neither is behind any more once that is a disagreement", () => {
  const of = (second: number) => play({ a: [], b: [[0, "still"]] }, second).get(second)!.nodes;
  expect(of(175)[1]).toMatchObject({ state: "lagging" });
  expect(of(180)).toMatchObject([
    { state: "ok", disputed: true },
    { state: "ok", disputed: true },
  ]);
  expect(of(180)[1]?.behindMillis).toBeUndefined();
});

test("of two that stand none is behind a place that the other went back from", () => {
  const watch = new Watch();
  const seen: Verdict[] = [];
  for (let second = 0; second <= 160; second += 5) {
    // It goes on alone, and repeats an old block afterwards.
    const a = second <= 140 ? says("a", second) : says("a", -36_000);
    seen.push(watch.round(second, [a, says("b", Math.min(second, 20))]));
  }
  const [last, alone] = [seen.at(-1)!, seen.at(-5)!];
  expect(alone.nodes[1]).toMatchObject({ state: "lagging", behindMillis: 120_000 });
  // The one that went back was seen to move of late.
  expect(seen.slice(-4).map(({ network, nodes }) => [network, nodes[1]!.behindMillis])).toEqual([
    ["syncing", 0],
    ["syncing", 0],
    ["stalled", 0],
    ["stalled", 0],
  ]);
  expect(last.nodes).toMatchObject([{ state: "lagging", behindMillis: 36_020_000 }, { behindMillis: 0 }]);
});
