import { describe, expect, test } from "vitest";

import { loopbackNode, type StubResponse } from "../support/loopback-node.ts";
import { talk } from "../support/talk.ts";

// Every operation of the interface, with every parameter that it has, is reached from a command: what the bot sends is
// compared with the interface document, once for the paths that it states and once for those that v0.71 nodes serve.

const ID = "ab".repeat(32);
const OTHER = "cd".repeat(32);
const PAGE = { edges: [], pageInfo: {} };
const TIME = `${Date.UTC(2026, 0, 15, 12)}000000`;
const FIRST = "pagination.first";
const LAST = "pagination.last";
const AFTER = "pagination.after";
const BEFORE = "pagination.before";
const NEWEST = "pagination.newestFirst";
const CURSOR = "a+b/c==";

type Dialect = "contract" | "v0.71";
interface Row {
  readonly line: string;
  readonly path: string | Readonly<Record<Dialect, string>>;
  readonly query: Readonly<Record<string, string>>;
}

const ROTATIONS = {
  contract: "/api/v2/network/keys/ethereum/rotations",
  "v0.71": "/api/v2/vega/keys/ethereum/rotations",
};
const lists: [string, Row["path"]][] = [
  ["rotations", ROTATIONS],
  ["snapshots", "/api/v2/snapshots"],
  ["checkpoints", "/api/v2/checkpoints"],
];
const rows: Row[] = [
  { line: "time", path: { contract: "/api/v2/network/time", "v0.71": "/api/v2/vega/time" }, query: {} },
  { line: "info", path: "/api/v2/info", query: {} },
  { line: "market list", path: "/api/v2/markets/data", query: {} },
  { line: `market show ${ID}`, path: "/api/v2/markets/data", query: {} },
  { line: `order ${ID}`, path: `/api/v2/order/${ID}`, query: {} },
  { line: `order ${ID} version:2`, path: `/api/v2/order/${ID}`, query: { version: "2" } },
  { line: "stake", path: "/parties/stake", query: {} },
  { line: `stake ${ID}`, path: "/parties/stake", query: { party: ID } },
  { line: `rotations ${ID}`, path: ROTATIONS, query: { nodeId: ID } },
  { line: `bundle list-asset ${ID}`, path: "/api/v2/erc20/asset/list/bundle", query: { assetId: ID } },
  { line: `bundle asset-limits ${ID}`, path: "/api/v2/erc20/asset/limits/bundle", query: { proposalId: ID } },
  {
    line: `ledger export ${ID} ${OTHER} from:2025-12-01 to:2025-12-31`,
    path: "/api/v2/ledgerentry/export",
    query: {
      partyId: ID,
      assetId: OTHER,
      "dateRange.startTimestamp": `${Date.UTC(2025, 11, 1)}000000`,
      "dateRange.endTimestamp": `${Date.UTC(2026, 0, 1)}000000`,
    },
  },
  ...lists.flatMap(([list, path]): Row[] => [
    { line: `${list} first:7`, path, query: { [FIRST]: "7" } },
    { line: `${list} first:7 after:${CURSOR}`, path, query: { [FIRST]: "7", [AFTER]: CURSOR } },
    { line: `${list} last:7`, path, query: { [LAST]: "7" } },
    { line: `${list} last:7 before:${CURSOR}`, path, query: { [LAST]: "7", [BEFORE]: CURSOR } },
    { line: `${list} first:7 newest:no`, path, query: { [FIRST]: "7", [NEWEST]: "false" } },
  ]),
];

const bodies: Readonly<Record<string, unknown>> = {
  "/api/v2/network/time": { timestamp: TIME },
  "/api/v2/vega/time": { timestamp: TIME },
  "/api/v2/info": { version: "v0.71.4", commitHash: "61d1f77e" },
  "/api/v2/markets/data": { marketsData: [{ market: ID }] },
  [`/api/v2/order/${ID}`]: { order: { id: ID, version: "1" } },
  "/parties/stake": { partiesStake: [{ party: ID, currentStakeAvailable: "1", stakeLinkings: [] }] },
  "/api/v2/network/keys/ethereum/rotations": { keyRotations: PAGE },
  "/api/v2/vega/keys/ethereum/rotations": { keyRotations: PAGE },
  "/api/v2/snapshots": { coreSnapshots: PAGE },
  "/api/v2/checkpoints": { checkpoints: PAGE },
  "/api/v2/erc20/asset/list/bundle": { assetSource: "0x1", nonce: "1", signatures: "0x2", vegaAssetId: ID },
  "/api/v2/erc20/asset/limits/bundle": { assetSource: "0x1", nonce: "1", signatures: "0x2", networkAssetId: ID },
  "/api/v2/ledgerentry/export": "vega_time,quantity,transfer_type,asset_id,account_from_party_id,account_to_party_id\n",
};
const foreign: Record<Dialect, string> = { contract: "/api/v2/vega/", "v0.71": "/api/v2/network/" };

describe.each<Dialect>(["contract", "v0.71"])("a node that speaks %s", (dialect) => {
  test.each(rows)("$line", async ({ line, path, query }) => {
    const answer = (asked: string): StubResponse | undefined =>
      asked.startsWith(foreign[dialect]) || bodies[asked] === undefined ? undefined : { body: bodies[asked] };
    await using node = await loopbackNode(({ path: asked }) => answer(asked));
    await using conversation = await talk({ networks: { mainnet: [node.url] } });
    const reply = await conversation.askFor(line);
    expect(reply.failure).toBeUndefined();
    const wanted = typeof path === "string" ? path : path[dialect];
    const heard = node.requests.filter((one) => one.path === wanted);
    expect(heard.map((one) => one.method)).toContain("GET");
    // newestFirst is true at the node unless told otherwise, so it may be left out or sent.
    const asked = heard.map((one) =>
      Object.fromEntries(Object.entries(one.query).filter(([name, value]) => name !== NEWEST || value !== "true")),
    );
    expect(asked).toContainEqual(withDefaultPage(line, query));
    for (const one of node.requests) expect(one.headers.accept).toContain("application/json");
  });
});

/** A list always names how many rows it wants. */
function withDefaultPage(line: string, query: Row["query"]): Row["query"] {
  return line.startsWith("rotations ") && !(FIRST in query) && !(LAST in query) ? { ...query, [FIRST]: "15" } : query;
}
