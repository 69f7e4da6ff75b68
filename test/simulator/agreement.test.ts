import { expect, inject, test } from "vitest";

import { sampleIds } from "../support/sample-ids.ts";
import { simulated, type Simulated } from "./simulated.ts";

const ALL_OF_IT = [
  "/api/v2/network/time",
  "/api/v2/info",
  "/api/v2/markets/data",
  "/api/v2/checkpoints",
  "/api/v2/snapshots",
  "/api/v2/network/keys/ethereum/rotations",
  "/parties/stake",
  "/api/v2/markets",
  "/api/v2/assets",
  "/api/v2/nodes",
];

interface Answered {
  readonly path: string;
  readonly block: string | null;
  readonly body: string;
}

const NETWORKS = inject("manyRuns") ? (["mainnet", "testnet"] as const) : (["mainnet"] as const);

async function everything({ ask, simulator }: Simulated): Promise<Answered[]> {
  const all: Answered[] = [];
  for (const network of NETWORKS) {
    const { orderId, assetId, proposalId, partyId } = simulator.samples[network];
    const fresh = simulator.freshSamples(network);
    const paths = [
      ...ALL_OF_IT,
      `/api/v2/order/${orderId}`,
      ...Object.values(fresh.orders).map((id) => `/api/v2/order/${id}`),
      `/api/v2/erc20/asset/list/bundle?assetId=${assetId}`,
      `/api/v2/erc20/asset/limits/bundle?proposalId=${proposalId}`,
      `/api/v2/erc20/asset/limits/bundle?proposalId=${fresh.proposalId}`,
      `/api/v2/ledgerentry/export?partyId=${partyId}&assetId=${assetId}`,
    ];
    for (const path of paths) {
      const { status, text, headers } = await ask(path, { network });
      expect({ path, status }).toEqual({ path, status: 200 });
      const block = headers.get("x-block-height") && headers.get("x-block-timestamp");
      all.push({ path, block, body: text });
    }
  }
  return all;
}

/** What is answered differently; the markets' order, which changes each time, is no difference. */
function differing(one: readonly Answered[], other: readonly Answered[]): string[] {
  const ordered = (body = ""): string => {
    const data = /^\{"marketsData":(\[.*\])\}$/u.exec(body)?.[1];
    if (data === undefined) return body;
    return (JSON.parse(data) as unknown[])
      .map((row) => JSON.stringify(row))
      .toSorted()
      .join();
  };
  const differs = ({ body, block }: Answered, other: Answered | undefined): boolean =>
    ordered(body) !== ordered(other?.body) || block !== other?.block;
  return one.filter((answered, index) => differs(answered, other[index])).map(({ path }) => path);
}

test("two simulators of one seed and clock agree to the byte, also on the wake of a stall", async () => {
  const [one, other] = [await simulated({ seed: "a" }), await simulated({ seed: "a" })];
  for (const world of [one, other]) {
    world.simulator.faults.set({ kind: "stall", network: "mainnet", from: world.now(), forSeconds: 600 });
    world.advance(3600);
  }
  // The second was asked before, at another time: what it then worked out must not show.
  other.advance(-1800);
  await everything(other);
  other.advance(1800);
  const answered = await everything(one);
  const again = await everything(other);
  expect(differing(again, answered)).toEqual([]);
});

test("another seed is another network", async () => {
  const [one, other] = [await simulated({ seed: "a" }), await simulated({ seed: "b" })];
  const [answered, otherwise] = [await everything(one), await everything(other)];
  const same = answered.filter(({ body }, index) => body === otherwise[index]?.body).map(({ path }) => path);
  expect(same).toEqual(NETWORKS.map(() => "/api/v2/info"));
  expect(sampleIds("a").mainnet).toEqual(one.simulator.samples.mainnet);
  expect(sampleIds("a").mainnet).not.toEqual(sampleIds("a").testnet);
});

test("the bare root answers as mainnet's first node, and every node of a network tells the same chain", async () => {
  const { ask, simulator } = await simulated();
  const direct = await fetch(`${simulator.url}/api/v2/checkpoints`);
  const first = await ask("/api/v2/checkpoints");
  expect(await direct.text()).toBe(first.text);
  const nodes = (text: string): unknown =>
    (JSON.parse(text) as { checkpoints: { edges: { node: unknown }[] } }).checkpoints.edges.map((edge) => edge.node);
  for (const node of [2, 3]) {
    expect(nodes((await ask("/api/v2/checkpoints", { node })).text)).toEqual(nodes(first.text));
  }
});

test("each sample id leads somewhere", async () => {
  const { ask, simulator } = await simulated();
  for (const network of ["mainnet", "testnet"] as const) {
    const samples = simulator.samples[network];
    const answered: Record<string, number> = {};
    for (const [name, path] of Object.entries({
      marketId: `/api/v2/market/${samples.marketId}`,
      orderId: `/api/v2/order/${samples.orderId}?version=3`,
      rejectedOrderId: `/api/v2/order/${samples.rejectedOrderId}`,
      stoppedOrderId: `/api/v2/order/${samples.stoppedOrderId}`,
      parkedOrderId: `/api/v2/order/${samples.parkedOrderId}`,
      assetId: `/api/v2/asset/${samples.assetId}`,
      unsignedAssetId: `/api/v2/erc20/asset/list/bundle?assetId=${samples.unsignedAssetId}`,
      builtinAssetId: `/api/v2/asset/${samples.builtinAssetId}`,
      proposalId: `/api/v2/erc20/asset/limits/bundle?proposalId=${samples.proposalId}`,
      unsignedProposalId: `/api/v2/erc20/asset/limits/bundle?proposalId=${samples.unsignedProposalId}`,
    })) {
      answered[name] = (await ask(path, { network })).status;
    }
    expect(Object.values(answered)).toEqual(Object.values(answered).map(() => 200));
    const codes = (await ask("/api/v2/markets", { network })).text;
    expect(codes).toContain(JSON.stringify(samples.marketCode));
    expect(codes).toContain(JSON.stringify(samples.jumpyMarketCode));
    expect((await ask(`/parties/stake?party=${samples.partyId}`, { network })).text).toContain("TYPE_LINK");
    expect((await ask("/api/v2/nodes", { network })).text).toContain(samples.nodeId);
  }
});
