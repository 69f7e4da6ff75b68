import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { describe, expect, test } from "vitest";

import type { Samples } from "../../src/simulator/samples.ts";
import { simulated, type Answered, type Simulated } from "./simulated.ts";
import { shapeOf, strangers } from "./wire-shape.ts";

// The fixtures were written from the interface alone, before and apart from the simulator.
const FOLDER = path.join(import.meta.dirname, "../fixtures/wire");

interface Case {
  readonly name: string;
  readonly request: { readonly path: string; readonly query: Record<string, string> };
  readonly dialect: "contract" | "v0.71" | "both";
  readonly response: { readonly status: number; readonly headers: Record<string, string>; readonly body?: unknown };
}

const CASES = new Map<string, readonly Case[]>(
  readdirSync(FOLDER)
    .filter((name) => name.endsWith(".json"))
    .map((name) => {
      const file = JSON.parse(readFileSync(path.join(FOLDER, name), "utf8")) as { cases: Case[] };
      return [name.replace(".json", ""), file.cases];
    }),
);

function casesOf(operation: string): readonly Case[] {
  const cases = CASES.get(operation);
  if (cases === undefined) throw new Error(`no fixture for ${operation}`);
  return cases;
}

const PAGES = ["first page", "next page", "oldest first", "two in one block", "across an upgrade"];

/** Which cases tell how a healthy node answers, and what to ask the simulator for the same. */
const HEALTHY: {
  operation: string;
  cases: readonly string[];
  ask: (samples: Samples) => string[];
  node?: number;
}[] = [
  { operation: "getNetworkTime", cases: ["contract path"], ask: () => ["/api/v2/network/time"] },
  { operation: "getNetworkTime", cases: ["real path"], ask: () => ["/api/v2/vega/time"], node: 3 },
  { operation: "getNodeInfo", cases: ["both fields"], ask: () => ["/api/v2/info"] },
  {
    operation: "getOrder",
    cases: ["current version as a real node sends it", "every field set", "rejected with a reason"],
    ask: ({ orderId, rejectedOrderId, stoppedOrderId, parkedOrderId }) =>
      [orderId, rejectedOrderId, stoppedOrderId, parkedOrderId, `${orderId}?version=1`].map(
        (order) => `/api/v2/order/${order}`,
      ),
  },
  {
    operation: "getPartiesStake",
    cases: ["one party", "all parties", "unknown party", "pending, rejected, not final"],
    ask: ({ partyId }) => ["/parties/stake", `/parties/stake?party=${partyId}`, "/parties/stake?party=unknown"],
  },
  {
    operation: "getMarketsData",
    cases: ["one active market", "several markets in no order", "negative volumes and open interest"],
    ask: () => ["/api/v2/markets/data"],
  },
  {
    operation: "getAssetLimitsBundle",
    cases: ["contract names", "not signed yet"],
    ask: ({ proposalId, unsignedProposalId }) =>
      [proposalId, unsignedProposalId].map((id) => `/api/v2/erc20/asset/limits/bundle?proposalId=${id}`),
  },
  {
    operation: "getAssetLimitsBundle",
    cases: ["real names", "not signed yet"],
    ask: ({ proposalId }) => [`/api/v2/erc20/asset/limits/bundle?proposalId=${proposalId}`],
    node: 3,
  },
  {
    operation: "getListAssetBundle",
    cases: ["contract names", "not signed yet"],
    ask: ({ assetId, unsignedAssetId }) =>
      [assetId, unsignedAssetId].map((id) => `/api/v2/erc20/asset/list/bundle?assetId=${id}`),
  },
  {
    operation: "getKeyRotations",
    cases: ["first page, contract path", "next page, contract path", "of one node"],
    ask: ({ nodeId }) => [
      "/api/v2/network/keys/ethereum/rotations?pagination.first=50",
      `/api/v2/network/keys/ethereum/rotations?nodeId=${nodeId}`,
    ],
  },
  {
    operation: "getKeyRotations",
    cases: ["first page, real path", "next page, real path", "of an unknown node"],
    ask: ({ assetId }) => [
      "/api/v2/vega/keys/ethereum/rotations?pagination.first=50",
      `/api/v2/vega/keys/ethereum/rotations?nodeId=${assetId}`,
    ],
    node: 3,
  },
  { operation: "getSnapshots", cases: PAGES, ask: () => ["/api/v2/snapshots", "/api/v2/snapshots?pagination.last=9"] },
  {
    operation: "getCheckpoints",
    cases: PAGES,
    ask: () => ["/api/v2/checkpoints", "/api/v2/checkpoints?pagination.first=9&pagination.newestFirst=false"],
  },
];

describe("a healthy node answers in the shape of the fixtures", () => {
  test.each(HEALTHY)("$operation ($cases.0)", async ({ operation, cases, ask, node = 1 }) => {
    const { simulator, ask: get } = await simulated();
    const known = casesOf(operation).filter((one) => cases.includes(one.name));
    expect(known.length).toBeGreaterThan(0);
    const allowed = shapeOf(known.map((one) => one.response.body));
    const asked = ask(simulator.samples.mainnet);
    const replies: Answered[] = [];
    for (const request of asked) replies.push(await get(request, { node }));

    expect(replies.map((reply) => reply.status)).toEqual(asked.map(() => 200));
    expect(replies.map((reply) => reply.headers.get("content-type"))).toEqual(asked.map(() => "application/json"));
    const found = shapeOf(replies.map((reply) => reply.json));
    expect(strangers(allowed, found)).toEqual([]);
    // The other way round: the simulator sends every name in the fixtures, too.
    const other = node === 3 ? ".networkAssetId" : ".vegaAssetId";
    expect(found.has(other)).toBe(false);
    expect([...allowed.keys()].filter((place) => !found.has(place) && place !== other)).toEqual([]);
    for (const header of ["x-block-height", "x-block-timestamp"]) {
      const wanted = known.some((one) =>
        Object.keys(one.response.headers).some((name) => name.toLowerCase() === header),
      );
      expect(replies.map((reply) => reply.headers.has(header))).toEqual(asked.map(() => wanted));
    }
  });

  test.each([
    ["getMarketNames", "one market", "/api/v2/markets"],
    ["getAssetNames", "an ERC20 and a built-in asset", "/api/v2/assets"],
    ["getNodeNames", "two nodes", "/api/v2/nodes"],
  ])("%s: all that the fixture %j tells, and more", async (operation, name, request) => {
    const { ask } = await simulated();
    const wanted = casesOf(operation).find((one) => one.name === name);
    const reply = await ask(request);
    const found = shapeOf([reply.json]);
    expect(reply.status).toBe(200);
    expect([...shapeOf([wanted?.response.body]).keys()].filter((place) => !found.has(place))).toEqual([]);
  });
});

/** Cases that stand for a node that is broken, or say the same as another case in another way. */
const NOT_ASKED = new Set([
  "internal error, wrapped",
  "500 before the first byte, wrapped",
  "500 before the first byte, bare",
  "429 before the first byte",
  "HTML from a proxy",
  "contract path is no route, details absent",
]);

const REFUSALS = [...CASES]
  .filter(([operation]) => operation !== "errors")
  .flatMap(([operation, cases]) =>
    cases
      .filter((one) => one.response.status !== 200 && !NOT_ASKED.has(one.name))
      .flatMap((one) =>
        (one.dialect === "both" ? (["contract", "v0.71"] as const) : [one.dialect]).map((dialect) => ({
          operation,
          dialect,
          one,
          name: one.name,
        })),
      ),
  );

/** The id of a proposal of another kind is the simulator's own; all other ids are unknown to it, as they shall be. */
function pathOf(one: Case, { simulator }: Simulated): string {
  const query = new URLSearchParams(one.request.query);
  if (one.name === "a proposal of another kind") {
    query.set("proposalId", simulator.samples.mainnet.marketProposalId);
  }
  return `${one.request.path}?${query.toString()}`;
}

/** An id in the words is that of the request, which may be another. */
function withoutParticulars(value: unknown): unknown {
  const details = { details: [], ...(value as object) };
  const text = JSON.stringify(details)
    .replaceAll(/[\da-f]{64}/gu, "ID")
    // Which byte of a cursor is wrong depends on how the decoder counts.
    .replace(/input byte \d+/u, "input byte N");
  return JSON.parse(text) as unknown;
}

describe("a node refuses in the very words of the fixtures", () => {
  test.each(REFUSALS)("$operation, $dialect: $name", async ({ one, dialect }) => {
    const world = await simulated({ nodes: [{}, { names: false, stake: true }, { stake: false }] });
    const node = dialect === "contract" ? 2 : 3;
    const reply = await world.ask(pathOf(one, world), { node });
    expect({ status: reply.status, body: withoutParticulars(reply.json) }).toEqual({
      status: one.response.status,
      body: withoutParticulars(one.response.body),
    });
    // A handler's refusal may bear either content type, the gateway's own bears the plain one.
    const types = [one.response.headers["Content-Type"], "application/json, application/grpc"];
    expect(types.slice(0, JSON.stringify(one.response.body).includes("@type") ? 2 : 1)).toContain(
      reply.headers.get("content-type"),
    );
  });
});
