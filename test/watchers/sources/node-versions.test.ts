import { expect, test } from "vitest";

import { nodeVersionsWatcher } from "../../../src/watchers/sources/node-versions.ts";
import { clientOf, node } from "../../api/client-under-test.ts";
import { sendJson } from "../../api/serve-wire.ts";
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

test("a node that leaves its release out, or the commit, has not changed it", async () => {
  let body: object = { version: "v0.71.6", commitHash: "abc" };
  const a = await node((_request, response) => sendJson(response, body));
  const api = clientOf([a], { cache: false });
  const { clock, network, config } = await simulatedNetwork();
  const watcher = nodeVersionsWatcher({ network, config, clock });
  const { signal } = new AbortController();
  let before = await watcher.observe(api, { before: undefined, subjects: () => [] }, signal);
  for (body of [{ version: "v0.71.6" }, { version: "", commitHash: null }, { version: null }]) {
    const after = await watcher.observe(api, { before, subjects: () => [] }, signal);
    expect(watcher.judge(before, after, clock.wallClock()).events).toEqual([]);
    before = after;
  }
  body = {};
  await expect(watcher.observe(api, { before, subjects: () => [] }, signal)).rejects.toThrow("version is missing");
  body = { version: "v0.72.0" };
  const after = await watcher.observe(api, { before, subjects: () => [] }, signal);
  expect(watcher.judge(before, after, clock.wallClock()).events).toMatchObject([
    { before: { version: "v0.71.6", commitHash: "abc" }, after: { version: "v0.72.0" } },
  ]);
});
