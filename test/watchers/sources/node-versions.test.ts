import { expect, test } from "vitest";

import { nodeVersionsWatcher } from "../../../src/watchers/sources/node-versions.ts";
import { simulatedNetwork } from "../simulated-network.ts";

test("a changed release is announced for its node, once; a node that is down keeps its last one", async () => {
  const { simulator, api, clock, pass, watch, network, config } = await simulatedNetwork();
  const observer = watch(nodeVersionsWatcher({ network, config, clock }));
  expect((await observer.observe()).events).toEqual([]);
  simulator.faults.set({ kind: "version", node: 2, version: "v0.72.0", commitHash: "abc" });
  simulator.faults.set({ kind: "die", node: 3 });
  await pass(60);
  const lost = await observer.observe({ keep: false });
  const { events } = await observer.observe();
  expect(events).toMatchObject([
    {
      kind: "node.version",
      subject: api.nodes[1]?.name,
      node: api.nodes[1]?.name,
      before: { version: "v0.71.6" },
      after: { version: "v0.72.0", commitHash: "abc" },
    },
  ]);
  expect(lost.events.map(({ key }) => key)).toEqual(events.map(({ key }) => key));
  simulator.faults.clear({ kind: "die" });
  await pass(60);
  expect((await observer.observe()).events).toEqual([]);
  simulator.faults.clear();
  await pass(60);
  const back = (await observer.observe()).events;
  expect(back).toMatchObject([{ after: { version: "v0.71.6" } }]);
  expect(back[0]?.key).not.toBe(events[0]?.key);
});

test("a node that comes back with another release is announced, and one of which only the commit differs", async () => {
  const { simulator, api, clock, pass, watch, network, config } = await simulatedNetwork();
  const observer = watch(nodeVersionsWatcher({ network, config, clock }));
  await observer.observe();
  simulator.faults.set({ kind: "die", node: 3 });
  await pass(60);
  expect((await observer.observe()).events).toEqual([]);
  simulator.faults.clear();
  simulator.faults.set({ kind: "version", node: 3, version: "v0.72.0", commitHash: "abc" });
  await pass(60);
  expect((await observer.observe()).events).toMatchObject([
    { subject: api.nodes[2]?.name, after: { version: "v0.72.0" } },
  ]);
  simulator.faults.clear();
  simulator.faults.set({ kind: "version", node: 3, version: "v0.72.0", commitHash: "def" });
  await pass(60);
  expect((await observer.observe()).events).toMatchObject([
    { before: { commitHash: "abc" }, after: { commitHash: "def" } },
  ]);
});

test("an observation that reaches no node fails", async () => {
  const { simulator, clock, watch, network, config } = await simulatedNetwork();
  simulator.faults.set({ kind: "die" });
  await expect(watch(nodeVersionsWatcher({ network, config, clock })).observe()).rejects.toThrow(/connection/u);
});
