import { describe, expect, test } from "vitest";

import { DEFAULT_ALERTS_CONFIG } from "../../../src/alerts/alerts-config.ts";
import type { Reading } from "../../../src/alerts/judge/kinds/reading.ts";
import type { FaultRequest } from "../../../src/simulator/faults/faults.ts";
import type { SimulatorOptions } from "../../../src/simulator/simulator.ts";
import { withoutUndefined } from "../../../src/units/without-undefined.ts";
import { sourcesReadings } from "../../../src/watchers/sources/sources-readings.ts";
import { decodeSources } from "../../../src/watchers/sources/sources-state.ts";
import { sourcesWatcher } from "../../../src/watchers/sources/sources.ts";
import { clientOf, node } from "../../api/client-under-test.ts";
import { sendJson } from "../../api/serve-wire.ts";
import { play } from "../../api/verdict/watch.ts";
import { VirtualClock } from "../../api/virtual-clock.ts";
import { simulatedNetwork } from "../simulated-network.ts";

interface Watch {
  /** So many rounds, five seconds apart; returns the last one's readings. */
  readonly rounds: (count: number) => Promise<readonly Reading[]>;
  readonly fault: (request: FaultRequest) => void;
  readonly clear: () => void;
  /** The name of the nth node. */
  readonly node: (number: number) => string;
}

async function watch(options: SimulatorOptions = {}): Promise<Watch> {
  const { simulator, api, clock, config, pass, watch, network } = await simulatedNetwork(options);
  const observer = watch(sourcesWatcher({ network, config, clock, run: "1" }));
  const rounds = async (count: number): Promise<readonly Reading[]> => {
    let last: readonly Reading[] = [];
    for (let round = 0; round < count; round += 1) {
      await pass(5);
      last = (await observer.observe()).readings;
    }
    return last;
  };
  await rounds(3);
  return {
    rounds,
    fault: (request) => void simulator.faults.set({ network, ...request }),
    clear: () => void simulator.faults.clear(),
    node: (number) => api.nodes[number - 1]?.name ?? "",
  };
}

/** The readings that are not good, as `kind subject: state`. */
/** What is not good; the pace is not known before some hours. */
const notGood = (readings: readonly Reading[]): string[] =>
  readings
    .filter(({ kind, state }) => state !== "good" && kind !== "node.slow" && kind !== "network.slow")
    .map(({ kind, subject, state }) => `${kind} ${subject}: ${state}`);

describe("the sources of a simulated network", () => {
  test("in order read good throughout", async () => {
    const { rounds } = await watch();
    expect(notGood(await rounds(5))).toEqual([]);
  });

  test("a node whose history was reset is not believed, with the reason", async () => {
    const { rounds, fault, node } = await watch();
    fault({ kind: "history-reset", node: 1 });
    const readings = await rounds(3);
    expect(notGood(readings)).toEqual([`node.lagging ${node(1)}: unknown`, `node.lying ${node(1)}: bad`]);
    expect(readings.find(({ state }) => state === "bad")?.why).toBeDefined();
    expect(readings.find(({ state }) => state === "bad")?.why?.replaceAll(/\d+/gu, "<n>")).toMatchSnapshot();
  });

  test("a stall of the network is seen by all, and recovers", async () => {
    const { rounds, fault, clear, node } = await watch();
    fault({ kind: "stall" });
    expect(notGood(await rounds(1))).toEqual([]);
    const stalled = await rounds(10);
    expect(notGood(stalled)).toEqual(["network.stalled : bad", "network.clock : unknown"]);
    expect(stalled.find(({ kind }) => kind === "network.stalled")).toMatchObject({
      nodes: 3,
      seenBy: [node(1), node(2), node(3)],
      badForMillis: 55_000,
    });
    clear();
    expect(notGood(await rounds(2))).toEqual([]);
  });

  test("one node that stands still is no stall, but lags", async () => {
    const { rounds, fault, node } = await watch();
    fault({ kind: "stall", node: 2 });
    expect(notGood(await rounds(10))).toEqual([]);
    const lagging = await rounds(10);
    expect(notGood(lagging)).toEqual([`node.lagging ${node(2)}: bad`]);
    const seenBy = lagging.find(({ kind, state }) => kind === "node.lagging" && state === "bad")?.seenBy ?? [];
    expect(seenBy).toHaveLength(2);
    expect(seenBy[0]).toBe(node(2));
  });

  test("the only node there is cannot be told apart from its network", async () => {
    const { rounds, fault } = await watch({ nodesPerNetwork: 1 });
    fault({ kind: "stall", node: 1 });
    const reading = (await rounds(8)).find(({ kind }) => kind === "network.stalled");
    expect(reading).toMatchObject({ state: "bad", nodes: 1 });
  });

  test("one node dies: it is down, and nothing else", async () => {
    const { rounds, fault, clear, node } = await watch();
    fault({ kind: "die", node: 3 });
    expect(notGood(await rounds(3))).toEqual([
      `node.lagging ${node(3)}: unknown`,
      `node.down ${node(3)}: bad`,
      `node.refuses ${node(3)}: unknown`,
      `node.lying ${node(3)}: unknown`,
      `network.time-back ${node(3)}: unknown`,
    ]);
    clear();
    expect(notGood(await rounds(3))).toEqual([]);
  });

  test("all nodes die: blind, which says why, and nothing else is known", async () => {
    const { rounds, fault, node } = await watch();
    fault({ kind: "die" });
    const readings = await rounds(40);
    expect(new Set(readings.filter(({ state }) => state !== "unknown").map(({ kind }) => kind))).toEqual(
      new Set(["watch.blind"]),
    );
    const blind = readings.find((reading) => reading.kind === "watch.blind");
    expect(blind).toMatchObject({ state: "bad", why: "no node answers" });
    expect(blind?.kind === "watch.blind" ? blind.facts.nodes.map((one) => one.node) : []).toEqual([1, 2, 3].map(node));
  });

  test("a ban is not being down", async () => {
    const { rounds, fault, node } = await watch();
    fault({ kind: "ban", node: 1 });
    expect(notGood(await rounds(3))).toContain(`node.down ${node(1)}: unknown`);
  });

  test("a node that was set back is named, and catches up", async () => {
    const { rounds, fault, clear, node } = await watch();
    fault({ kind: "time-back", node: 2, seconds: 40 });
    expect(notGood(await rounds(1))).toEqual([`network.time-back ${node(2)}: bad`]);
    clear();
    expect(notGood(await rounds(2))).toEqual([]);
  });

  test("a node whose time is implausibly far ahead changes nothing", async () => {
    const { rounds, fault, clear, node } = await watch();
    fault({ kind: "time-ahead", node: 2, seconds: 3600 });
    const readings = await rounds(3);
    expect(notGood(readings)).toEqual([
      `node.lagging ${node(2)}: unknown`,
      `node.lying ${node(2)}: bad`,
      `network.time-back ${node(2)}: unknown`,
    ]);
    expect(readings.find(({ kind, subject }) => kind === "node.lagging" && subject === node(2))?.why).toContain(
      "bot's clock",
    );
    clear();
    expect(notGood(await rounds(2))).toEqual([]);
  });
});

describe("a round", () => {
  test("asks every node anew, however soon after the last one, and counts as of when it was due", async () => {
    const clock = new VirtualClock();
    const served = await node((_request, response) =>
      sendJson(response, { timestamp: String(clock.wallClock() - 1_000_000_000n) }),
    );
    const api = clientOf([served], { clock });
    const watcher = sourcesWatcher({ network: "mainnet", config: DEFAULT_ALERTS_CONFIG, clock, run: "1" });
    const observe = async (dueMillis: number) => {
      const watched = { before: undefined, dueMillis, subjects: () => [] };
      const kept = watcher.snapshot.parse(await watcher.observe(api, watched, new AbortController().signal));
      return decodeSources(kept)?.round.atMillis;
    };
    // People have just asked, too.
    await api.getNetworkTime();
    expect([await observe(4000), await observe(4100)]).toEqual([4000, 4100]);
    expect(served.asked).toHaveLength(3);
  });
});

test("a time that went back is over when the node is level again, not when it begins anew behind the others", () => {
  const verdicts = play({ a: [], b: [[100, "-3600"]], c: [] }, 400);
  const stateAt = (second: number) => {
    const verdict = verdicts.get(second)!;
    const witnesses = verdict.nodes.map(({ node, time }) => ({ node, reachable: true, ...withoutUndefined({ time }) }));
    const round = { witnesses, atMillis: verdict.atMillis, wallClock: verdict.at };
    const readings = sourcesReadings({ network: "n", round, verdict, before: verdicts.get(second - 5)?.memory });
    return readings.find(({ kind, subject }) => kind === "network.time-back" && subject === "b")?.state;
  };
  expect([95, 100, 275, 290, 400].map((second) => stateAt(second))).toEqual([
    "good",
    "bad",
    "bad",
    "unknown",
    "unknown",
  ]);
});
