import { describe, expect, test } from "vitest";

import type { NetworkState, NodeState, Witness } from "../../../src/api/verdict/verdict.ts";
import { afterDeeds, outcomes } from "./deeds.ts";
import { at, gone, NAMES, says, Watch } from "./watch.ts";

const DEEDS = ["on", "still", "late", "down", "ahead"] as const;
type Told = (typeof DEEDS)[number];

/** What the rules say in words, apart from how the code says it. */
function expectedNetwork(deeds: readonly Told[]): NetworkState {
  if (deeds.includes("on")) return "healthy";
  const believable = deeds.filter((deed) => deed === "still" || deed === "late").length;
  return believable * 2 > deeds.length ? "stalled" : "blind";
}

function expectedNode(deed: Told): NodeState {
  switch (deed) {
    case "on":
    case "still":
      // 40 s behind at most, and a minute is allowed.
      return "ok";
    case "late":
      return "lagging";
    case "down":
      return "down";
    case "ahead":
      return "unknown";
  }
}

describe.each([1, 2, 3])("every outcome of %i nodes, 40 s after the last advance", (count) => {
  test.each(outcomes(DEEDS, count).map((deeds) => [deeds.join(" "), deeds] as const))("%s", (_name, deeds) => {
    const names = NAMES.slice(0, count);
    const verdict = afterDeeds(new Watch(), deeds);
    expect({
      network: verdict.network,
      nodes: verdict.nodes.map((node) => node.state),
      implausible: verdict.implausible.map((one) => one.node),
      wentBack: verdict.wentBack.map((one) => one.node),
      singleSource: verdict.singleSource,
    }).toEqual({
      network: expectedNetwork(deeds),
      nodes: deeds.map((deed) => expectedNode(deed)),
      implausible: names.filter((_, index) => deeds[index] === "ahead"),
      wentBack: names.filter((_, index) => deeds[index] === "late"),
      singleSource: count === 1,
    });
    expect(verdict.why).not.toBe("");
  });
});

test("a stall that began before observation: the observed time, and how old the last block is", () => {
  const watch = new Watch();
  const older = { time: at(-118), node: "a", height: 7n };
  watch.memory = { frontier: older, watchedSinceMillis: 1_000_000, atMillis: 1_000_000, nodes: [] };
  const standing = NAMES.map((name) => says(name, -118, 7));
  watch.round(15, standing);
  expect(watch.round(35, standing).why).toBe(
    "no block seen for 35 s (the last block is 2 min 33 s old), seen at 3 of 3 nodes",
  );
});

describe("a first poll", () => {
  test.each<[string, Witness[], NetworkState, "age" | "advance"]>([
    ["one fresh node", [says("a", -2)], "healthy", "age"],
    ["one old node", [says("a", -600)], "stalled", "age"],
    ["one silent node", [gone("a")], "blind", "advance"],
    ["one fresh of two", [says("a", -2), gone("b")], "healthy", "age"],
    ["one old of two", [says("a", -600), gone("b")], "blind", "advance"],
    ["two old of three", [says("a", -600), says("b", -700), gone("c")], "stalled", "age"],
    ["one fresh, two old", [says("a", -1), says("b", -600), says("c", -600)], "healthy", "age"],
    ["one in the future", [says("a", 11)], "blind", "advance"],
    ["one a little ahead", [says("a", 9)], "healthy", "age"],
  ])("%s: %s", (_name, witnesses, network, basis) => {
    const verdict = new Watch().round(0, witnesses);
    expect({ network: verdict.network, basis: verdict.basis }).toEqual({ network, basis });
  });

  test("stays a matter of age until an advance was seen or long missed", () => {
    const watch = new Watch();
    expect(watch.round(0, [says("a", -600)])).toMatchObject({ network: "stalled", basis: "age" });
    expect(watch.round(5, [says("a", -600)])).toMatchObject({ network: "stalled", basis: "age" });
    expect(watch.round(10, [says("a", -599)])).toMatchObject({ network: "healthy", basis: "advance" });
    const later = new Watch();
    later.round(0, [says("a", -1)]);
    expect(later.round(20, [says("a", -1)])).toMatchObject({ network: "healthy", basis: "age" });
    expect(later.round(30, [says("a", -1)])).toMatchObject({
      network: "stalled",
      basis: "advance",
      stillMillis: 30_000,
    });
  });

  test("after a long pause is one again when time was lost meanwhile", () => {
    const watch = new Watch();
    watch.round(0, [says("a", -1)]);
    watch.round(5, [says("a", 4)]);
    expect(watch.round(3605, [says("a", 3604)])).toMatchObject({ network: "healthy", basis: "advance" });
    expect(watch.round(7205, [says("a", 5404)])).toMatchObject({ network: "stalled", basis: "age" });
    expect(watch.round(10805, [says("a", 5404)])).toMatchObject({ network: "stalled", basis: "advance" });
  });
});

describe("over rounds", () => {
  test("a stall shows after 30 s, counts on, and ends with the next block", () => {
    const watch = new Watch();
    for (const seconds of [0, 5]) watch.round(seconds, [says("a", seconds, seconds)]);
    for (const seconds of [10, 15, 20, 25, 30]) expect(watch.round(seconds, [says("a", 5, 5)]).network).toBe("healthy");
    expect(watch.round(35, [says("a", 5, 5)])).toMatchObject({ network: "stalled", stillMillis: 30_000 });
    expect(watch.round(65, [says("a", 5, 5)])).toMatchObject({ network: "stalled", stillMillis: 60_000 });
    expect(watch.round(70, [says("a", 69, 6)])).toMatchObject({ network: "healthy", stillMillis: 0 });
  });

  test("blind rounds freeze the clock of a stall", () => {
    const watch = new Watch();
    for (const seconds of [0, 5]) watch.round(seconds, [says("a", seconds)]);
    expect(watch.round(25, [says("a", 5)])).toMatchObject({ network: "healthy", stillMillis: 20_000 });
    for (const seconds of [30, 60, 90]) {
      expect(watch.round(seconds, [gone("a")])).toMatchObject({ network: "blind", stillMillis: 20_000 });
    }
    expect(watch.round(95, [says("a", 5)])).toMatchObject({ network: "healthy", stillMillis: 25_000 });
    expect(watch.round(100, [says("a", 5)])).toMatchObject({ network: "stalled", stillMillis: 30_000 });
  });

  test("blind rounds freeze it, too, where no advance was seen yet", () => {
    const watch = new Watch();
    watch.round(0, [says("a", -1)]);
    for (const seconds of [5, 60, 100]) watch.round(seconds, [gone("a")]);
    expect(watch.round(105, [says("a", -1)])).toMatchObject({ basis: "age", stillMillis: 5000 });
    expect(watch.round(130, [says("a", -1)])).toMatchObject({ basis: "advance", stillMillis: 30_000 });
  });

  test("a node that catches up behind the frontier proves nothing", () => {
    const watch = new Watch();
    for (const seconds of [0, 5]) watch.round(seconds, [says("a", seconds), says("b", seconds - 300)]);
    let verdict = watch.round(10, [says("a", 5), says("b", -200)]);
    for (const seconds of [20, 30, 40]) verdict = watch.round(seconds, [says("a", 5), says("b", seconds * 4 - 200)]);
    expect(verdict).toMatchObject({ network: "stalled", frontier: { node: "a" } });
    expect(verdict.disagree).toBeUndefined();
  });

  test("a node behind in blocks lags though its time is near", () => {
    const [near, far] = new Watch().round(0, [says("a", 0, 1000), says("b", -1, 899)]).nodes;
    expect(near).toMatchObject({ state: "ok", behindBlocks: 0n });
    expect(far).toMatchObject({ state: "lagging", behindBlocks: 101n, behindMillis: 1000 });
  });

  test("a node that refuses us is unknown, not down, and counts as absent", () => {
    const refused: Witness = { node: "b", reachable: false, refused: true, why: "gets too many requests" };
    const verdict = new Watch().round(0, [says("a", -600), refused]);
    expect(verdict.network).toBe("blind");
    expect(verdict.nodes[1]).toMatchObject({ state: "unknown", why: "gets too many requests" });
  });

  test("a lying clock moves no frontier, and is named with how far it is off", () => {
    const watch = new Watch();
    watch.round(0, [says("a", 0), says("b", 0)]);
    const verdict = watch.round(5, [says("a", 5), says("b", 3605)]);
    expect(verdict).toMatchObject({ network: "healthy", frontier: { node: "a", time: at(5) } });
    expect(verdict.implausible).toEqual([{ node: "b", aheadMillis: 3_600_000 }]);
    expect(watch.round(10, [says("a", 10), says("b", 10)]).wentBack).toEqual([]);
  });

  test("time that goes back is named once, with both times", () => {
    const watch = new Watch();
    watch.round(0, [says("a", 0), says("b", 0)]);
    expect(watch.round(5, [says("a", 5), says("b", -90)]).wentBack).toEqual([{ node: "b", from: at(0), to: at(-90) }]);
    const after = watch.round(10, [says("a", 10), says("b", -80)]);
    expect(after.wentBack).toEqual([]);
    expect(after.nodes[1]).toMatchObject({ state: "lagging", behindMillis: 90_000 });
  });
});
