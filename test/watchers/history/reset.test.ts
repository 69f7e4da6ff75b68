import { expect, onTestFinished, test } from "vitest";

import { watchedTestnet } from "../watched-testnet.ts";

/** A channel that subscribes to resets and to what is wrong with nodes, and how often they were seen. */
async function watched(nodes: number) {
  const { stage, simulator, watch, pass } = await watchedTestnet(["history.reset", "node.lagging", "node.lying"], {
    marked: true,
    simulator: { nodesPerNetwork: nodes },
    watchers: ["sources", "checkpoints"],
  });
  const schedule = watch();
  onTestFinished(() => schedule.stop());
  return {
    fault: simulator.faults,
    pass,
    seen: async () =>
      (await stage.engine.decisions({ limit: 500 })).filter(
        ({ what, detail }) => what === "seen" && detail?.includes("history.reset"),
      ),
  };
}

test.each([1, 3])("a reset of the history of a network of %i nodes is announced once", async (nodes) => {
  const { fault, pass, seen } = await watched(nodes);
  expect(await pass(30)).toEqual([]);
  fault.set({ kind: "history-reset", network: "testnet" });
  expect(await pass(240)).toEqual([expect.stringMatching(/reset|anew/iu)]);
  expect(await seen()).toHaveLength(1);
  expect(await pass(120)).toEqual([]);
});

test.each([1, 2])(
  "where only the history of node %i was reset, that node is not believed and nothing is said of the network",
  async (node) => {
    const { fault, pass, seen } = await watched(3);
    await pass(30);
    fault.set({ kind: "history-reset", network: "testnet", node });
    expect(await pass(120)).toEqual([expect.stringMatching(/^simulated warning: node\.lying/u)]);
    expect(await seen()).toEqual([]);
  },
);
