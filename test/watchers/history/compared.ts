import { expect } from "vitest";

import type { FaultRequest } from "../../../src/simulator/faults/faults.ts";
import { nodeHistoriesWatcher } from "../../../src/watchers/history/node-histories.ts";
import { NodeSelector } from "../../../src/watchers/sources/node-selector.ts";
import { simulatedNetwork } from "../simulated-network.ts";

/** A simulated network and the watcher that compares its nodes' histories. */
export async function compared(nodes = 3) {
  const world = await simulatedNetwork({ nodesPerNetwork: nodes });
  const { simulator, api, network, config, watch, pass } = world;
  const selector = new NodeSelector();
  const observer = watch(nodeHistoriesWatcher({ network, config, selector }));
  const name = (node: number): string => api.nodes[node - 1]!.name;
  return {
    ...world,
    selector,
    name,
    fault: (one: FaultRequest) => simulator.faults.set({ network, ...one }),
    look: async (seconds = 60) => {
      await pass(seconds);
      const { readings, events } = await observer.observe();
      return { states: readings.map(({ state }) => state), readings, events };
    },
  };
}

/** Expects no divergence in three hours with these faults, and so many good readings at least. */
export async function neverDiverges(faults: readonly FaultRequest[], least: number): Promise<void> {
  const { look, fault } = await compared();
  await look();
  for (const one of faults) fault(one);
  let [bad, good] = [0, 0];
  for (let count = 0; count < 12; count += 1) {
    const { states, events } = await look(900);
    bad += events.length + states.filter((state) => state === "bad").length;
    good += states.filter((state) => state === "good").length;
  }
  expect(bad).toBe(0);
  expect(good).toBeGreaterThanOrEqual(least);
}
