import { expect, test } from "vitest";

import type { ApiClient } from "../../../src/api/api-client.ts";
import { checkpointsWatcher } from "../../../src/watchers/history/lists.ts";
import { marketsWatcher } from "../../../src/watchers/markets/markets.ts";
import { NodeSelector } from "../../../src/watchers/sources/node-selector.ts";
import { sourcesWatcher } from "../../../src/watchers/sources/sources.ts";
import { simulatedNetwork } from "../simulated-network.ts";

test("a lagging node is asked last, one with an open circuit not at all; where all lag, the usual order holds", () => {
  const node = (name: string, circuitOpen = false) => ({ name, health: { circuitOpen } });
  const api = { nodes: [node("a"), node("b", true), node("c")] } as unknown as ApiClient;
  const selector = new NodeSelector();
  const note = (network: "healthy" | "blind", ...lagging: string[]): void =>
    selector.update({
      network,
      nodes: ["a", "b", "c"].map((one) => ({ node: one, state: lagging.includes(one) ? "lagging" : "ok" })),
    });
  const asked = () =>
    [selector.select(api)?.name, selector.clientFor(api) === api ? "in turn" : selector.clientFor(api)] as const;
  expect(asked()).toEqual(["a", "in turn"]);
  note("healthy", "a");
  expect(asked()).toEqual(["c", api.nodes[2]]);
  // Nobody can tell while blind.
  note("blind", "c");
  expect(asked()).toEqual(["c", api.nodes[2]]);
  note("healthy", "a", "b", "c");
  expect(asked()).toEqual(["a", "in turn"]);
  note("healthy", "c");
  expect(asked()).toEqual(["a", "in turn"]);
  selector.update({ network: "healthy", nodes: [{ node: "a", state: "unknown", disbelief: "outvoted" }] });
  expect(asked()).toEqual(["c", api.nodes[2]]);
});

test("a stalled node goes on answering, but the watchers turn to one that keeps up, and back", async () => {
  const { simulator, api, clock, pass, watch, network, config } = await simulatedNetwork();
  const selector = new NodeSelector();
  const sources = watch(sourcesWatcher({ network, config, clock, selector }));
  const checkpoints = watch(checkpointsWatcher({ network, nodes: 3, config, selector }));
  const markets = watch(marketsWatcher({ network, nodes: 3, config, selector }));
  const round = async () => {
    for (let poll = 0; poll < 12; poll += 1) {
      await pass(5);
      await sources.observe();
    }
    const [listed, read] = [await checkpoints.observe(), await markets.observe()];
    const announcedBy = new Set(listed.events.map(({ node }) => node));
    const seen = new Set(read.readings.map(({ seenBy }) => seenBy.join()));
    return {
      announcedBy: [...announcedBy],
      seen: [...seen],
      unknown: read.readings.every(({ state }) => state === "unknown"),
    };
  };
  const [first, second] = api.nodes.map(({ name }) => name);
  await round();
  expect(await round()).toEqual({ announcedBy: [first], seen: [first], unknown: false });
  simulator.faults.set({ kind: "stall", network, node: 1 });
  await round();
  expect(await round()).toEqual({ announcedBy: [second], seen: [second], unknown: false });
  simulator.faults.clear();
  await round();
  expect(await round()).toEqual({ announcedBy: [first], seen: [first], unknown: false });
});
