import { expect, test } from "vitest";

import { nodeHistoriesWatcher } from "../../../src/watchers/history/node-histories.ts";
import { clientOf } from "../../api/client-under-test.ts";
import { watchedTestnet } from "../watched-testnet.ts";
import { compared } from "./compared.ts";

test("a node with other hashes than the others diverges until it agrees again; its lists are not read meanwhile", async () => {
  const { look, fault, simulator, name, selector, api } = await compared();
  expect((await look()).states).toEqual(["good", "good", "good"]);
  fault({ kind: "wrong-hash", node: 1 });
  const { states, readings, events } = await look();
  expect(states).toEqual(["bad", "good", "good"]);
  expect(events).toEqual([]);
  expect(readings[0]).toMatchObject({
    kind: "node.diverges",
    subject: name(1),
    nodes: 3,
    seenBy: [name(1), name(2), name(3)],
    facts: {
      what: expect.stringMatching(/^(?:checkpoints|snapshots)$/u),
      field: expect.stringMatching(/hash$/u),
      by: [name(2), name(3)],
    },
  });
  expect(selector.clientFor(api)).toBe(api.nodes[1]);
  fault({ kind: "die", node: 1 });
  expect((await look()).states).toEqual(["unknown", "good", "good"]);
  simulator.faults.clear();
  expect((await look()).states).toEqual(["good", "good", "good"]);
  expect(selector.clientFor(api)).toBe(api);
});

test("where a majority is on another chain since a block, that is a fork, told once; the rest diverges", async () => {
  const { look, fault, name } = await compared();
  await look();
  for (const node of [2, 3]) fault({ kind: "fork", node, seconds: 1800 });
  const { states, events } = await look();
  expect(states).toEqual(["bad", "good", "good"]);
  expect(events).toMatchObject([
    { kind: "history.forked", beforeBy: [name(1)], afterBy: [name(2), name(3)], blocks: expect.any(Number) },
  ]);
  const [event] = events;
  const { blocks = 0, before = [], after = [] } = event?.kind === "history.forked" ? event : {};
  // Half an hour of checkpoints, one a minute, and of snapshots.
  expect(blocks).toBeGreaterThan(29);
  expect(blocks).toBeLessThan(50);
  expect(before).not.toEqual(after);
  fault({ kind: "fork", node: 1, seconds: 1860 });
  expect(await look()).toMatchObject({ states: ["good", "good", "good"], events: [] });
});

test.each([undefined, 1])(
  "a history that begins anew at all nodes (or at node %i) is no fork, and no divergence",
  async (node) => {
    const { look, fault } = await compared();
    await look();
    fault({ kind: "history-reset", ...(node === undefined ? {} : { node }) });
    for (let minute = 0; minute < 20; minute += 1) {
      const { states, events } = await look();
      expect([states.includes("bad"), events]).toEqual([false, []]);
    }
  },
);

test("each node is asked for each list once a look", async () => {
  const asked: string[] = [];
  const { simulator, clock, network, config } = await compared();
  const urls = simulator.networks[network].map(({ url }) => url);
  const api = clientOf(urls, { clock, network, onRequest: ({ node }) => void asked.push(node) });
  const watcher = nodeHistoriesWatcher({ network, config });
  const look = () => watcher.observe(api, { before: undefined, subjects: () => [] }, new AbortController().signal);
  // One node speaks another dialect, which the first look learns.
  await look();
  asked.length = 0;
  await look();
  expect(asked.toSorted()).toEqual(api.nodes.flatMap(({ name }) => [name, name, name]).toSorted());
});

test("a lying node and a fork are told in a channel, each once; the lie also when it ends", async () => {
  const { simulator, watch, pass } = await watchedTestnet(["node.diverges", "history.forked"], {
    watchers: ["sources", "node-histories"],
  });
  const schedule = watch();
  expect(await pass(130)).toEqual([]);
  const network = "testnet";
  const { id } = simulator.faults.set({ kind: "wrong-hash", network, node: 2 });
  expect(await pass(130)).toEqual([expect.stringMatching(/^warning: node\.diverges/u)]);
  simulator.faults.clear({ id });
  expect(await pass(190)).toEqual([expect.stringMatching(/node\.diverges.* resolved|resolved.*node\.diverges/u)]);
  simulator.faults.set({ kind: "fork", network, seconds: 600 });
  expect(await pass(190)).toEqual([expect.stringMatching(/^critical: history\.forked/u)]);
  await schedule.stop();
});
