import type { ServerResponse } from "node:http";

import { describe, expect, test } from "vitest";

import type { ApiClient } from "../../../src/api/api-client.ts";
import { nanoseconds } from "../../../src/units/time.ts";
import { clientOf, name, node } from "../client-under-test.ts";
import { type FakeNode, sendJson } from "../serve-wire.ts";
import { VirtualClock } from "../virtual-clock.ts";

/** A node's block: its age against the wall clock, and its height. */
interface Block {
  seconds?: number;
  height?: number;
}

interface Network {
  readonly clock: VirtualClock;
  readonly nodes: readonly FakeNode[];
  readonly blocks: Block[];
  readonly api: ApiClient;
  /** The position of the node that answers. */
  readonly asked: () => Promise<number>;
  /** What the watcher of the sources does. */
  readonly watch: () => Promise<void>;
  /** How often each node was asked since the last time. */
  readonly counts: () => number[];
}

/** Nodes of one network that lag as told; nobody watches them unless told. */
async function network(...blocks: Block[]): Promise<Network> {
  const clock = new VirtualClock();
  const nodes = await Promise.all(
    blocks.map((_block, index) =>
      node((_request, response) => {
        const { seconds, height } = blocks[index]!;
        const at = nanoseconds(clock.wallClock() - BigInt((seconds ?? 0) * 1e9));
        sendJson(
          response,
          { timestamp: String(at), version: `v${index}` },
          {
            headers: {
              ...(seconds === undefined ? {} : { "X-Block-Timestamp": String(at) }),
              ...(height === undefined ? {} : { "X-Block-Height": String(height) }),
            },
          },
        );
      }),
    ),
  );
  const api = clientOf(nodes, { clock, cache: false });
  let before = nodes.map(() => 0);
  return {
    clock,
    nodes,
    blocks,
    api,
    asked: async () => {
      const { asOf } = await api.getNodeInfo();
      return nodes.findIndex((one) => name(one) === asOf.node);
    },
    watch: async () => {
      await Promise.all(api.nodes.map((one) => one.getNetworkTime({ lane: "watchers", fresh: true })));
    },
    counts: () => {
      const counts = nodes.map((one, index) => one.asked.length - before[index]!);
      before = nodes.map((one) => one.asked.length);
      return counts;
    },
  };
}

describe("the order of the nodes", () => {
  test.each<[string, Block[], number]>([
    ["the first lags by time", [{ seconds: 600 }, { seconds: 1 }, { seconds: 1 }], 1],
    ["the first two lag by time", [{ seconds: 600 }, { seconds: 90 }, { seconds: 1 }], 2],
    ["the first lags by blocks", [{ height: 800 }, { height: 1000 }], 1],
    [
      "the history of the first began anew",
      [
        { seconds: 1, height: 3 },
        { seconds: 1, height: 100_000 },
      ],
      1,
    ],
    [
      "the first is a little behind",
      [
        { seconds: 50, height: 930 },
        { seconds: 1, height: 1000 },
      ],
      0,
    ],
    ["all lag alike", [{ seconds: 600 }, { seconds: 600 }, { seconds: 600 }], 0],
    ["nobody says a block", [{}, {}], 0],
    ["only another says a block", [{}, { seconds: 0, height: 1000 }], 0],
    ["another is ahead of the wall clock beyond belief", [{ seconds: 1 }, { seconds: -300, height: 900_000 }], 0],
    [
      "each is behind the other in something",
      [
        { seconds: 600, height: 1000 },
        { seconds: 1, height: 3 },
      ],
      0,
    ],
    ["there is but one, which lags", [{ seconds: 600 }], 0],
  ])("where %s", async (_name, blocks, first) => {
    const { asked, watch, counts } = await network(...blocks);
    await watch();
    counts();
    expect(await asked()).toBe(first);
    expect(counts()).toEqual(blocks.map((_block, index) => (index === first ? 1 : 0)));
  });

  test("a node that has caught up is the first again", async () => {
    const { clock, blocks, asked, watch } = await network({ seconds: 600 }, { seconds: 1 });
    await watch();
    expect(await asked()).toBe(1);
    blocks[0] = { seconds: 2 };
    await clock.advance(5000);
    await watch();
    expect(await asked()).toBe(0);
  });

  test("a network that stops makes nobody look behind, whenever each node was last seen", async () => {
    const { clock, blocks, api, asked, counts } = await network({ seconds: 5 }, { seconds: 5 }, { seconds: 5 });
    for (let round = 0; round < 20; round += 1) {
      await api.nodes[round % 3]!.getNodeInfo();
      await clock.advance(9000);
      for (const block of blocks) block.seconds! += 9;
      counts();
      expect(await asked()).toBe(0);
    }
  });

  test("what was seen long ago proves nothing", async () => {
    const { clock, blocks, asked, watch, counts } = await network({ seconds: 600 }, { seconds: 1 });
    await watch();
    blocks[0] = { seconds: 1 };
    await clock.advance(31_000);
    counts();
    expect(await asked()).toBe(0);
    expect(counts()).toEqual([1, 0]);
  });

  test("where the others fail, the one that lags answers", async () => {
    const { nodes, asked, watch, counts } = await network({ seconds: 600 }, { seconds: 1 }, { seconds: 1 });
    await watch();
    nodes[1]!.serve = (_request, response) => void response.writeHead(503).end();
    nodes[2]!.serve = (_request, response) => void response.writeHead(429).end();
    counts();
    expect(await asked()).toBe(0);
    expect(counts()).toEqual([1, 1, 1]);
    // Both circuits are open now.
    expect(await asked()).toBe(0);
    expect(counts()).toEqual([1, 0, 0]);
  });

  test("a cached answer of the one that lags is not given again", async () => {
    const { clock, nodes } = await network({ seconds: 600 }, { seconds: 1 });
    const api = clientOf(nodes, { clock });
    await api.nodes[0]!.getNodeInfo();
    await api.nodes[1]!.getNetworkTime();
    expect((await api.getNodeInfo()).asOf.node).toBe(name(nodes[1]!));
  });

  test("exports keep to it, too", async () => {
    const { nodes, api, watch } = await network({ seconds: 600 }, { seconds: 1 });
    await watch();
    for (const one of nodes) one.serve = (_request, response) => void response.end("vega_time\n");
    const query = { partyId: "a".repeat(64), assetId: "b".repeat(64) };
    const stream = await api.exportLedger(query);
    expect(stream.asOf.node).toBe(name(nodes[1]!));
    await stream.consume(() => undefined);
  });
});

describe("an answer that shows its node to lag", () => {
  test("is not given where another, already known to be further on, has a later one", async () => {
    const { blocks, asked, watch, counts } = await network({ seconds: 1 }, { seconds: 1 }, { seconds: 1 });
    await watch();
    blocks[0] = { seconds: 600 };
    counts();
    expect(await asked()).toBe(1);
    expect(counts()).toEqual([1, 1, 0]);
  });

  test("is not given where nobody has been heard yet, and one after the other is asked", async () => {
    const { asked, counts } = await network({ seconds: 600 }, { seconds: 400 }, { seconds: 1 });
    expect(await asked()).toBe(2);
    expect(counts()).toEqual([1, 1, 1]);
    expect(await asked()).toBe(2);
    expect(counts()).toEqual([0, 0, 1]);
  });

  test("is not given where its list is empty since its history began anew, though nobody has been heard yet", async () => {
    const { nodes, api, clock } = await network({}, {});
    const serve = (height: string, edges: object[]) => {
      const headers = { "X-Block-Height": height, "X-Block-Timestamp": String(clock.wallClock()) };
      return (_request: unknown, response: ServerResponse): void =>
        sendJson(response, { checkpoints: { edges, pageInfo: {} } }, { headers });
    };
    nodes[0]!.serve = serve("3", []);
    nodes[1]!.serve = serve("90000", [{ cursor: "c", node: { atBlock: "89000" } }]);
    expect((await api.getCheckpoints()).value.rows).toHaveLength(1);
    nodes[0]!.serve = serve("90000", []);
    expect((await clientOf(nodes, { clock }).getCheckpoints()).value.rows).toHaveLength(0);
  });

  test("is given where all others are as old, and they are not asked again for that", async () => {
    const { clock, blocks, asked, counts } = await network({ seconds: 600 }, { seconds: 600 });
    expect(await asked()).toBe(0);
    expect(counts()).toEqual([1, 1]);
    await clock.advance(20_000);
    for (const block of blocks) block.seconds! += 20;
    expect(await asked()).toBe(0);
    expect(counts()).toEqual([1, 0]);
  });

  test("is given where another is further behind, or fails", async () => {
    const { nodes, asked, counts } = await network({ seconds: 600 }, { seconds: 900 }, { seconds: 1 });
    nodes[2]!.serve = (_request, response) => void response.destroy();
    expect(await asked()).toBe(0);
    expect(counts()).toEqual([1, 1, 1]);
  });

  test("is given where another does not answer soon", async () => {
    const { clock, nodes } = await network({ seconds: 600 }, { seconds: 1 });
    nodes[1]!.serve = () => undefined;
    const api = clientOf(nodes, { clock, limits: { tryMillis: 40, retryMillis: 0 } });
    expect((await api.getNodeInfo()).asOf.node).toBe(name(nodes[0]!));
  });

  test("does not outlive its caller", async () => {
    const { nodes, api } = await network({ seconds: 600 }, { seconds: 1 });
    nodes[1]!.serve = () => undefined;
    const caller = new AbortController();
    const call = api.getNodeInfo({ signal: caller.signal });
    await expect.poll(() => nodes[1]!.asked.length).toBe(1);
    caller.abort(new Error("left"));
    await expect(call).rejects.toThrow("left");
  });
});

test("cursors stay with the node that gave them, though it lags", async () => {
  const { nodes, blocks, api, clock, watch } = await network({ seconds: 1 }, { seconds: 1 });
  const serve = nodes.map((one) => one.serve);
  for (const [index, one] of nodes.entries()) {
    one.serve = (request, response) => {
      if (request.url?.includes("/checkpoints") !== true) return serve[index]!(request, response);
      const at = nanoseconds(clock.wallClock() - BigInt(blocks[index]!.seconds! * 1e9));
      const page = { edges: [{ cursor: "c1", node: { atBlock: "1" } }], pageInfo: { endCursor: "c1" } };
      sendJson(response, { checkpoints: page }, { headers: { "X-Block-Timestamp": String(at) } });
    };
  }
  expect((await api.getCheckpoints({ first: 1 })).asOf.node).toBe(name(nodes[0]!));
  blocks[0] = { seconds: 600 };
  await watch();
  expect((await api.getCheckpoints({ first: 1, after: "c1" })).asOf.node).toBe(name(nodes[0]!));
  expect((await api.getCheckpoints({ first: 1 })).asOf.node).toBe(name(nodes[1]!));
});
