import { expect, test } from "vitest";

import { simulated, type Simulated } from "./simulated.ts";

type Order = Record<string, unknown>;

async function orders(world: Simulated): Promise<Record<string, Order>> {
  const { orders: ids } = world.simulator.freshSamples("mainnet");
  const found: Record<string, Order> = {};
  for (const [name, id] of Object.entries(ids)) {
    const { json, status } = await world.ask(`/api/v2/order/${id}`);
    expect(status).toBe(200);
    found[name] = json["order"] as Order;
  }
  return found;
}

test("a set of orders shows every status, type, time in force, peg and the usual reasons", async () => {
  const all = Object.values(await orders(await simulated()));
  const shown = (key: string): Set<unknown> => new Set(all.map((order) => order[key]));
  for (const status of [
    "ACTIVE",
    "EXPIRED",
    "CANCELLED",
    "STOPPED",
    "FILLED",
    "REJECTED",
    "PARTIALLY_FILLED",
    "PARKED",
  ]) {
    expect(shown("status")).toContain(`STATUS_${status}`);
  }
  for (const force of ["GTC", "GTT", "IOC", "FOK", "GFA", "GFN"]) {
    expect(shown("timeInForce")).toContain(`TIME_IN_FORCE_${force}`);
  }
  for (const type of ["LIMIT", "MARKET", "NETWORK"]) expect(shown("type")).toContain(`TYPE_${type}`);
  const pegs = all.map((order) => (order["peggedOrder"] as { reference: string } | null)?.reference);
  for (const peg of ["MID", "BEST_BID", "BEST_ASK"]) expect(pegs).toContain(`PEGGED_REFERENCE_${peg}`);
  expect(shown("reason").size).toBeGreaterThan(9);
  for (const order of all) {
    expect(BigInt(String(order["remaining"]))).toBeLessThanOrEqual(BigInt(String(order["size"])));
    const needsReason = order["status"] === "STATUS_REJECTED";
    expect(Object.hasOwn(order, "reason") || !needsReason).toBe(true);
  }
});

test("an order's earlier versions are given as they were, and later ones not at all", async () => {
  const { ask, simulator } = await simulated();
  const { orderId } = simulator.samples.mainnet;
  const version = async (asked: number): Promise<Order> =>
    (await ask(`/api/v2/order/${orderId}?version=${asked}`)).json["order"] as Order;
  const all = [await version(1), await version(2), await version(3), await version(4)];
  expect(all.map((order) => order["version"])).toEqual(["1", "2", "3", "4"]);
  expect(new Set(all.map((order) => order["price"])).size).toBe(4);
  expect((await ask(`/api/v2/order/${orderId.toUpperCase()}`)).json["order"]).toEqual(all[3]);
  expect((await ask(`/api/v2/order/${orderId}?version=5`)).status).toBe(404);
});

test("an order lives: it is amended and filled as time goes by", async () => {
  const world = await simulated();
  // Some order of the set that is being made now is not there yet, and then appears.
  const seen = new Set<string>();
  world.advance(20_000 * 0.7);
  const id = world.simulator.freshSamples("mainnet").orders["filled"] ?? "";
  world.advance(-20_000 * 0.7);
  for (let step = 0; step < 700; step++) {
    const { json, status } = await world.ask(`/api/v2/order/${id}`);
    const order = json["order"] as Order | undefined;
    seen.add(`${status} ${String(order?.["status"])}`);
    world.advance(60);
  }
  expect([...seen]).toEqual(["404 undefined", "200 STATUS_ACTIVE", "200 STATUS_FILLED"]);
});

test("some party's linking is pending, is accepted within the hour, and only then counts", async () => {
  const world = await simulated();
  type Party = { party: string; currentStakeAvailable: string; stakeLinkings: Record<string, string>[] };
  const parties = async (): Promise<Party[]> => (await world.ask("/parties/stake")).json["partiesStake"] as Party[];
  const pending = (all: Party[]) =>
    all.flatMap((party) =>
      party.stakeLinkings.filter((one) => one["status"] === "STATUS_PENDING").map((one) => one["id"]),
    );
  for (const { stakeLinkings, currentStakeAvailable } of await parties()) {
    const sum = stakeLinkings
      .filter((one) => one["status"] === "STATUS_ACCEPTED")
      .reduce((total, one) => total + BigInt(one["amount"] ?? 0) * (one["type"] === "TYPE_LINK" ? 1n : -1n), 0n);
    expect(currentStakeAvailable).toBe(sum.toString());
    expect(sum).toBeGreaterThan(0n);
  }
  const before = await parties();
  const waiting = pending(before);
  expect(waiting.length).toBeGreaterThan(0);
  const linking = before.flatMap((party) => party.stakeLinkings).find((one) => one["id"] === waiting[0]);
  expect(linking?.["finalizedAt"]).toBe("0");
  world.advance(3600);
  const after = (await parties()).flatMap((party) => party.stakeLinkings).find((one) => one["id"] === waiting[0]);
  expect(after?.["status"]).toBe("STATUS_ACCEPTED");
  expect(BigInt(after?.["finalizedAt"] ?? 0)).toBeGreaterThan(BigInt(after?.["ts"] ?? 0) * 1_000_000_000n);
});

test("a validator's rotations follow each other: what was new is what is old next", async () => {
  const { ask, simulator } = await simulated();
  const { nodeId } = simulator.samples.mainnet;
  const path = `/api/v2/network/keys/ethereum/rotations?nodeId=${nodeId}&pagination.newestFirst=false`;
  const { keyRotations } = (await ask(path)).json as {
    keyRotations: { edges: { node: Record<string, string> }[] };
  };
  const rows = keyRotations.edges.map((edge) => edge.node);
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.slice(1).map((row) => row["oldAddress"])).toEqual(rows.slice(0, -1).map((row) => row["newAddress"]));
});

test("a new proposal's bundle is signed within minutes, one never is, and nonces have 78 digits", async () => {
  const { ask, simulator, advance } = await simulated();
  advance(21_600 - (Math.floor(Date.UTC(2026, 0, 15, 12) / 1000) % 21_600));
  const { proposalId, unsignedProposalId } = simulator.samples.mainnet;
  const bundle = async (id: string): Promise<Record<string, string>> =>
    (await ask(`/api/v2/erc20/asset/limits/bundle?proposalId=${id}`)).json as Record<string, string>;
  const signed: string[] = [];
  let newest = simulator.freshSamples("mainnet").proposalId;
  for (let step = 0; step < 500 && newest === simulator.freshSamples("mainnet").proposalId; step++) advance(60);
  newest = simulator.freshSamples("mainnet").proposalId;
  for (let step = 0; step < 15; step++) {
    signed.push((await bundle(newest))["signatures"] === "" ? "not yet" : "signed");
    advance(60);
  }
  expect([signed[0], signed.at(-1)]).toEqual(["not yet", "signed"]);
  expect((await bundle(unsignedProposalId))["signatures"]).toBe("");
  for (const id of [proposalId, unsignedProposalId, newest])
    expect((await bundle(id))["nonce"]).toMatch(/^[1-9]\d{77}$/u);
  expect((await bundle(proposalId))["signatures"]).toMatch(/^0x([\da-f]{130}){9}$/u);
});
