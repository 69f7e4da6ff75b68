import { expect, test } from "vitest";

import type { WatchedNetwork } from "../../../../../src/adapters/web/alerts/watch.ts";
import type { PastLooks } from "../../../../../src/adapters/web/looks.ts";
import { withLook } from "../../../../../src/adapters/web/public/network/live.js";
import type { LaneState } from "../../../../../src/reply/chart.ts";
import { fromMillis } from "../../../../../src/units/nanoseconds.ts";

const EVERY = 5000;

function pastUntil(to: number, state: LaneState, last: number): PastLooks {
  const scene = {
    title: "",
    from: 0,
    to,
    zone: "UTC",
    lanes: [{ name: "a", parts: [{ from: 0, to, state }] }],
    unit: "duration" as const,
    lines: [{ name: "age", runs: [[[0, 900] as const, [last, 900] as const]] }],
    thresholds: [],
    bands: [],
    marks: [],
  };
  return { network: "mainnet", from: 0, to, partMillis: 1000, scene, alerts: [] };
}

function seenAt(at: number, node: Partial<WatchedNetwork["nodes"][number]> = {}): WatchedNetwork {
  const time = `${fromMillis(at - 700)}`;
  return {
    network: "mainnet",
    nodes: [{ node: "a", state: "ok", vote: "moves", time, ...node }],
    verdict: { state: "healthy", why: "", at: `${fromMillis(at)}` },
    stalled: { phase: "ok" },
  };
}

test("a look is added at the end, and the time moves on as far as it counts", () => {
  const after = withLook(pastUntil(100_000, "moves", 96_000), seenAt(101_000), EVERY);
  expect([after.from, after.to, after.scene?.from, after.scene?.to]).toEqual([6000, 106_000, 6000, 106_000]);
  expect(after.scene?.lines[0]?.runs).toEqual([
    [
      [0, 900],
      [96_000, 900],
      [101_000, 700],
    ],
  ]);
  expect(after.scene?.lanes[0]?.parts).toEqual([{ from: 0, to: 106_000, state: "moves" }]);
});

test("one that is known already, and a network that is not seen, change nothing", () => {
  const past = pastUntil(100_000, "moves", 96_000);
  expect(withLook(past, seenAt(96_000), EVERY)).toBe(past);
  expect(withLook(past, undefined, EVERY)).toBe(past);
});

test.each<[string, Partial<WatchedNetwork["nodes"][number]>, LaneState]>([
  ["it is down", { state: "down" }, "silent"],
  ["it is not believed", { vote: "silent" }, "doubted"],
  ["it stands", { vote: "stands" }, "stands"],
  ["it catches up", { vote: "syncs" }, "lags"],
  ["it lags", { state: "lagging" }, "lags"],
])("%s: another state begins with the look", (_, node, state) => {
  const after = withLook(pastUntil(100_000, "moves", 94_000), seenAt(97_000, node), EVERY);
  expect(after.scene?.lanes[0]?.parts).toEqual([
    { from: 0, to: 97_000, state: "moves" },
    { from: 97_000, to: 102_000, state },
  ]);
});

test("where no node says the time, its line has no point", () => {
  const seen = seenAt(97_000);
  const nodes = [{ node: "a", state: "unknown", vote: "silent" } as const];
  const after = withLook(pastUntil(100_000, "moves", 94_000), { ...seen, nodes }, EVERY);
  expect(after.scene?.lines[0]?.runs.flat()).toHaveLength(2);
  expect(after.scene?.lanes[0]?.parts.at(-1)?.state).toBe("silent");
});

test("after a time in which nobody looked another run and another part begin", () => {
  const after = withLook(pastUntil(100_000, "moves", 99_000), seenAt(200_000), EVERY);
  expect(after.scene?.lines[0]?.runs).toHaveLength(2);
  expect(after.scene?.lanes[0]?.parts.at(-1)).toEqual({ from: 200_000, to: 205_000, state: "moves" });
});
