import { describe, expect, test } from "vitest";

import type { FaultRequest } from "../../../src/simulator/faults/faults.ts";
import { fetchAll, pageIn, simulated, type Simulated } from "../simulated.ts";

const TIME = "/api/v2/network/time";

interface Seen {
  readonly height: number;
  /** Seconds behind the clock, negative when ahead. */
  readonly behind: number;
}

async function see({ ask, now }: Simulated, node = 1, network: "mainnet" | "testnet" = "mainnet"): Promise<Seen> {
  const { json, headers } = await ask(node === 3 ? "/api/v2/vega/time" : TIME, { node, network });
  expect(headers.get("x-block-timestamp")).toBe(json["timestamp"]);
  return {
    height: Number(headers.get("x-block-height")),
    behind: Number((now() - BigInt(String(json["timestamp"]))) / 1_000_000n) / 1000,
  };
}

describe("faults of the chain", () => {
  test("a network that stalls stands still on all nodes, then goes on from where it stood", async () => {
    const world = await simulated();
    const { simulator, advance } = world;
    const before = await see(world);
    simulator.faults.set({ kind: "stall", network: "mainnet", forSeconds: 100 });
    advance(60);
    for (const node of [1, 2, 3]) {
      const { height, behind } = await see(world, node);
      expect(height).toBe(before.height);
      expect(behind).toBeGreaterThanOrEqual(60);
    }
    expect((await see(world, 1, "testnet")).behind).toBeLessThan(2);
    advance(50);
    const after = await see(world);
    expect(after.behind).toBeLessThan(2);
    // Ten seconds of blocks since the end; the hundred before are not made up for.
    expect(after.height - before.height).toBeGreaterThan(10);
    expect(after.height - before.height).toBeLessThan(18);
  });

  test("a stall without an end lasts until it is cleared", async () => {
    const world = await simulated();
    const { simulator, advance } = world;
    const before = await see(world);
    const { id } = simulator.faults.set({ kind: "stall", network: "mainnet" });
    advance(86_400);
    expect((await see(world)).height).toBe(before.height);
    expect(simulator.faults.clear({ id })).toBe(1);
    expect(simulator.faults.list()).toEqual([]);
    expect(simulator.faults.list({ past: true })).toMatchObject([{ kind: "stall", id }]);
    advance(10);
    const after = await see(world);
    expect(after.behind).toBeLessThan(2);
    expect(after.height - before.height).toBeLessThan(18);
  });

  test("a node that stalls alone is overtaken, and catches up at once", async () => {
    const world = await simulated();
    const { simulator, advance } = world;
    simulator.faults.set({ kind: "stall", network: "mainnet", node: 2, forSeconds: 50 });
    advance(40);
    expect((await see(world, 2)).behind).toBeGreaterThanOrEqual(40);
    expect((await see(world, 1)).behind).toBeLessThan(2);
    advance(20);
    expect(await see(world, 2)).toEqual(await see(world, 1));
  });

  test("a node that lags stands still first, and then follows at its distance", async () => {
    const world = await simulated();
    const { simulator, advance } = world;
    const before = await see(world, 2);
    simulator.faults.set({ kind: "lag", network: "mainnet", node: 2, seconds: 90 });
    advance(45);
    expect((await see(world, 2)).height).toBe(before.height);
    advance(600);
    const { behind } = await see(world, 2);
    expect(behind).toBeGreaterThanOrEqual(90);
    expect(behind).toBeLessThan(92);
  });

  test("time goes back at once, and blocks with it", async () => {
    const world = await simulated();
    const before = await see(world);
    world.simulator.faults.set({ kind: "time-back", network: "mainnet", node: 1, seconds: 300 });
    const after = await see(world);
    expect(after.behind).toBeGreaterThanOrEqual(300);
    expect(before.height - after.height).toBeGreaterThan(380);
  });

  test("a clock that is ahead lies about the time alone", async () => {
    const world = await simulated();
    const before = await see(world);
    world.simulator.faults.set({ kind: "time-ahead", network: "mainnet", node: 1, seconds: 45.5 });
    const after = await see(world);
    expect(after.height).toBe(before.height);
    expect(before.behind - after.behind).toBeCloseTo(45.5, 2);
  });

  test("a node with wrong hashes contradicts the others at the same heights", async () => {
    const { simulator, ask } = await simulated();
    simulator.faults.set({ kind: "wrong-hash", network: "mainnet", node: 2 });
    for (const [path, height, hash] of [
      ["/api/v2/checkpoints?pagination.first=5", "atBlock", "blockHash"],
      ["/api/v2/snapshots?pagination.first=5", "blockHeight", "blockHash"],
    ] as const) {
      const valueAt = async (node: number, key: string): Promise<unknown[]> =>
        pageIn(await ask(path, { node })).edges.map((edge) => edge.node[key]);
      expect(await valueAt(2, height)).toEqual(await valueAt(1, height));
      expect(await valueAt(2, hash)).not.toEqual(await valueAt(1, hash));
      expect(await valueAt(3, hash)).toEqual(await valueAt(1, hash));
    }
  });

  test("forked nodes have the same other hashes since a block, and the old ones before it", async () => {
    const { simulator, ask } = await simulated();
    for (const node of [2, 3]) simulator.faults.set({ kind: "fork", network: "mainnet", node, seconds: 3600 });
    const hashes = async (node: number): Promise<unknown[]> =>
      pageIn(await ask("/api/v2/checkpoints?pagination.first=40", { node })).edges.map((edge) => edge.node["hash"]);
    const [first, second, third] = [await hashes(1), await hashes(2), await hashes(3)];
    expect(second).toEqual(third);
    // An hour of a checkpoint every five minutes, and some for withdrawals.
    const since = first.findIndex((hash, index) => hash === second[index]);
    expect(since).toBeGreaterThan(11);
    expect(second.slice(since)).toEqual(first.slice(since));
    expect(second.slice(0, since).some((hash) => first.includes(hash))).toBe(false);
  });

  test("a node that prunes keeps so much and no more", async () => {
    const { simulator, ask } = await simulated();
    const count = async (): Promise<number> =>
      pageIn(await ask("/api/v2/checkpoints?pagination.first=1000")).edges.length;
    expect(await count()).toBe(1000);
    simulator.faults.set({ kind: "prune", network: "mainnet", node: 1, seconds: 3600 });
    expect(await count()).toBeLessThan(30);
  });

  test("lists in disorder have the same rows in another order, one of them twice", async () => {
    const { simulator, ask } = await simulated();
    const rows = async (): Promise<string[]> =>
      pageIn(await ask("/api/v2/checkpoints?pagination.first=20")).edges.map((edge) => JSON.stringify(edge.node));
    const before = await rows();
    simulator.faults.set({ kind: "disorder", network: "mainnet", node: 1 });
    const [one, another] = [await rows(), await rows()];
    expect(one).toHaveLength(21);
    expect(new Set(one)).toEqual(new Set(before));
    expect(one).not.toEqual(another);
    expect([...new Set(one)]).not.toEqual(before);
  });

  test("a history that is reset begins at block 1 with nothing before it", async () => {
    const world = await simulated();
    const { simulator, ask, advance } = world;
    const cursor = pageIn(await ask("/api/v2/checkpoints?pagination.first=1")).pageInfo.endCursor;
    simulator.faults.set({ kind: "history-reset", network: "mainnet", node: 1 });
    advance(600);
    const { height, behind } = await see(world);
    expect(height).toBeLessThan(900);
    expect(behind).toBeLessThan(2);
    const { edges } = pageIn(await ask("/api/v2/checkpoints"));
    expect(edges.length).toBeGreaterThan(0);
    expect(edges.length).toBeLessThan(5);
    expect(edges.every((edge) => Number(edge.node["atBlock"]) <= height)).toBe(true);
    const rotations = await ask("/api/v2/network/keys/ethereum/rotations");
    expect(pageIn(rotations).edges).toEqual([]);
    // The kept cursor names a block that this chain has not reached.
    const newer = `pagination.newestFirst=false&pagination.first=10&pagination.after=${encodeURIComponent(cursor)}`;
    expect(pageIn(await ask(`/api/v2/checkpoints?${newer}`)).edges).toEqual([]);
  });

  test("an upgrade stops the blocks and changes the core's version, for good", async () => {
    const world = await simulated();
    const { simulator, ask, advance } = world;
    const before = await see(world);
    simulator.faults.set({ kind: "upgrade", network: "mainnet", version: "v0.99.0", forSeconds: 120 });
    advance(100);
    expect((await see(world)).height).toBe(before.height);
    advance(1000);
    const { edges } = pageIn(await ask("/api/v2/snapshots?pagination.first=4"));
    const versions = edges.map((edge) => [Number(edge.node["blockHeight"]) > before.height, edge.node["coreVersion"]]);
    expect(versions[0]).toEqual([true, "v0.99.0"]);
    expect(versions.at(-1)?.[0]).toBe(false);
    expect(versions.at(-1)?.[1]).toMatch(/^v0\.71\./u);
  });

  test("a node changes its version", async () => {
    const { simulator, ask } = await simulated();
    simulator.faults.set({ kind: "version", network: "mainnet", node: 1, version: "v0.73.1", commitHash: "abc" });
    expect((await ask("/api/v2/info")).json).toEqual({ version: "v0.73.1", commitHash: "abc" });
    simulator.faults.clear();
    expect((await ask("/api/v2/info")).json).toMatchObject({ version: "v0.71.6" });
  });
});

describe("faults of the wire", () => {
  const answered = async (world: Simulated, fault: Omit<FaultRequest, "network" | "node">) => {
    world.simulator.faults.set({ ...fault, network: "mainnet", node: 1 });
    const reply = await world.ask(TIME);
    // Nobody else suffers.
    expect((await world.ask(TIME, { node: 2 })).status).toBe(200);
    expect((await world.ask(TIME, { network: "testnet" })).status).toBe(200);
    return reply;
  };

  test("a dead node resets the connection", async () => {
    const { simulator, ask } = await simulated();
    simulator.faults.set({ kind: "die", network: "mainnet", node: 1 });
    const failure = await ask(TIME).catch((thrown: unknown) => thrown);
    expect((failure as { cause?: { code?: string } }).cause?.code).toBe("ECONNRESET");
    simulator.faults.clear({ kind: "die" });
    expect((await ask(TIME)).status).toBe(200);
  });

  test.each([
    [{ kind: "server-error" }, 500, 13, {}],
    [{ kind: "server-error", status: 503 }, 503, 14, {}],
    [{ kind: "server-error", status: 504 }, 504, 4, {}],
    [{ kind: "rate-limit" }, 429, 8, { "ratelimit-remaining": "0", "ratelimit-reset": "1" }],
    [{ kind: "ban" }, 403, 7, { "ratelimit-retry-after": "600" }],
    [{ kind: "ban", seconds: 37 }, 403, 7, { "ratelimit-retry-after": "37" }],
  ] as const)("%j: HTTP %i, code %i", async (fault, status, code, headers) => {
    const reply = await answered(await simulated(), fault);
    expect([reply.status, reply.json["code"]]).toEqual([status, code]);
    expect(Object.fromEntries([...reply.headers].filter(([name]) => name in headers))).toEqual(headers);
  });

  test("a status that no node sends is that of a proxy in front of it", async () => {
    const reply = await answered(await simulated(), { kind: "server-error", status: 502 });
    expect([reply.status, reply.headers.get("content-type")]).toEqual([502, "text/html"]);
    expect(reply.text).toContain("<title>502 Bad Gateway</title>");
  });

  test.each([
    ["html", "text/html", /^<!DOCTYPE html>/u],
    ["truncated", "application/json", /^\{"timestamp":"\d+$/u],
    ["wrong-types", "application/json", /^\{"timestamp":\["\d+"\]\}$/u],
    ["nulls", "application/json", /^\{"timestamp":null\}$/u],
    ["empty", "application/json", /^$/u],
  ] as const)("garbage: %s", async (body, contentType, text) => {
    const reply = await answered(await simulated(), { kind: "garbage", body });
    expect([reply.status, reply.headers.get("content-type")]).toEqual([200, contentType]);
    expect(reply.text).toMatch(text);
  });

  test("a slow node answers after its time, and lets go when the simulator stops", async () => {
    const { simulator, ask } = await simulated();
    simulator.faults.set({ kind: "slow", network: "mainnet", node: 1, millis: 30 });
    expect((await ask(TIME)).status).toBe(200);
    simulator.faults.set({ kind: "slow", network: "mainnet", node: 1, millis: 600_000 });
    const waiting = ask(TIME).catch((thrown: unknown) => thrown);
    expect((await ask(TIME, { node: 2 })).status).toBe(200);
    await simulator.close();
    expect(await waiting).toBeInstanceOf(Error);
  });

  test("a fault without network or node is everybody's, and ends when its time is over", async () => {
    const { simulator, ask, advance } = await simulated();
    simulator.faults.set({ kind: "server-error", forSeconds: 10 });
    for (const network of ["mainnet", "testnet"] as const) {
      for (const node of [1, 2, 3]) expect((await ask("/api/v2/info", { network, node })).status).toBe(500);
    }
    advance(10);
    expect((await ask("/api/v2/info")).status).toBe(200);
    expect(simulator.faults.list()).toEqual([]);
  });

  test("a fault may be set for later", async () => {
    const { simulator, ask, advance, now } = await simulated();
    const from = now();
    advance(-60);
    simulator.faults.set({ kind: "server-error", from, forSeconds: 30 });
    expect((await ask("/api/v2/info")).status).toBe(200);
    advance(75);
    expect((await ask("/api/v2/info")).status).toBe(500);
    advance(30);
    expect((await ask("/api/v2/info")).status).toBe(200);
  });
});

describe("what real nodes fall over", () => {
  test("older releases crash on the bundle of an asset that is no token, newer ones refuse", async () => {
    const { simulator, ask } = await simulated();
    const path = `/api/v2/erc20/asset/list/bundle?assetId=${simulator.samples.mainnet.builtinAssetId}`;
    expect((await ask(path, { node: 1 })).status).toBe(500);
    await expect(ask(path, { node: 3 })).rejects.toThrow("fetch failed");
  });

  test("older releases crash on an end without a start", async () => {
    const { simulator, ask } = await simulated();
    const { partyId, assetId } = simulator.samples.mainnet;
    const path = `/api/v2/ledgerentry/export?partyId=${partyId}&assetId=${assetId}&dateRange.endTimestamp=1`;
    expect((await ask(path, { node: 1 })).status).toBe(200);
    await expect(ask(path, { node: 3 })).rejects.toThrow("fetch failed");
  });

  test("only GET is served, and no path but those of the interface", async () => {
    const { simulator } = await simulated();
    const [node] = simulator.networks.mainnet;
    expect((await fetchAll(`${node?.url}${TIME}`, { method: "POST" })).status).toBe(501);
    for (const path of ["/", "/api/v2", "/api/v2/order/", "/api/v2/order/a/b", "/api/v2/%E0%A4%A"]) {
      const { status, json } = await fetchAll(`${node?.url}${path}`);
      expect([path, status, json]).toEqual([path, 404, { code: 5, message: "Not Found", details: [] }]);
    }
    expect((await fetchAll(`${simulator.url}/mainnet/9${TIME}`)).status).toBe(404);
    expect((await fetchAll(`${simulator.url}/mainnet${TIME}`)).status).toBe(404);
  });
});
