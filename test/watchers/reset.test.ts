import { expect, onTestFinished, test } from "vitest";

import { silentLog } from "../../src/log.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { createWatchers } from "../../src/watchers/create-watchers.ts";
import { startSchedule } from "../../src/watchers/schedule.ts";
import { aSubscription } from "../alerts/samples.ts";
import { Stage } from "../alerts/stage.ts";
import { clientOf } from "../api/client-under-test.ts";
import { requestsUnderWay } from "./under-way.ts";

/** A simulated network under watch, the whole way to a channel. */
async function watched(nodes: number) {
  const stage = await Stage.open({ simulated: ["testnet"] });
  onTestFinished(() => stage.close());
  const { clock, config } = stage;
  const simulator = await startSimulator({
    now: () => clock.wallClock(),
    rateLimit: false,
    nodesPerNetwork: nodes,
  });
  onTestFinished(() => simulator.close());
  const api = clientOf(
    simulator.networks.testnet.map(({ url }) => url),
    { clock, network: "testnet" },
  );
  const settle = requestsUnderWay();
  await stage.engine.putSubscription(
    aSubscription({ network: "testnet", kinds: ["history.reset", "node.lagging"] }),
    "ada",
  );
  const watchers = createWatchers({ network: "testnet", nodes, config, clock });
  const schedule = startSchedule({
    networks: [{ api, watchers: watchers.filter(({ name }) => name === "sources" || name === "checkpoints") }],
    load: async (network, watcher) => (await stage.engine.snapshot(network, watcher))?.data,
    subjects: () => [],
    sink: async (seen) => void (await stage.engine.record(seen)),
    log: silentLog(),
    clock,
    random: () => 0.5,
  });
  onTestFinished(() => schedule.stop());
  return {
    fault: simulator.faults,
    /** What was posted meanwhile. */
    pass: async (seconds: number): Promise<readonly string[]> => {
      for (let second = 0; second < seconds; second += 1) {
        await clock.advance(1000);
        await settle();
      }
      await stage.pass(0);
      return stage.sender.posts.splice(0).map(({ title }) => title);
    },
    seen: async () =>
      (await stage.engine.log({ limit: 500 })).filter(
        ({ what, detail }) => what === "seen" && detail?.includes("history.reset"),
      ),
  };
}

test.each([1, 3])("a network of %i nodes whose history began anew is told of once", async (nodes) => {
  const { fault, pass, seen } = await watched(nodes);
  expect(await pass(30)).toEqual([]);
  fault.set({ kind: "history-reset", network: "testnet" });
  expect(await pass(240)).toEqual([expect.stringMatching(/reset|anew/iu)]);
  expect(await seen()).toHaveLength(1);
  expect(await pass(120)).toEqual([]);
});

test.each([1, 2])(
  "where only the history of node %i did, that node lags and nothing is said of the network",
  async (node) => {
    const { fault, pass, seen } = await watched(3);
    await pass(30);
    fault.set({ kind: "history-reset", network: "testnet", node });
    expect(await pass(120)).toEqual([expect.stringMatching(/WARNING.+lags behind/u)]);
    expect(await seen()).toEqual([]);
  },
);
