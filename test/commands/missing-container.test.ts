import { describe, expect, test } from "vitest";

import { loopbackNode } from "../support/loopback-node.ts";
import { talk } from "../support/talk.ts";

// Real nodes send `[]`, null or "" where there is nothing. An answer without its list, its page or its main field is no
// answer to the question: it is the network's failure, never "there is none".

const ID = "ab".repeat(32);
const noEdges = { pageInfo: {} };
const noPageInfo = { edges: [] };

const rows: [line: string, path: string, field: string, bodies: object[]][] = [
  ["time", "/api/v2/network/time", "timestamp", [{}, { time: "1" }]],
  ["info", "/api/v2/info", "version", [{}, { commitHash: "ab" }]],
  ["market list", "/api/v2/markets/data", "marketsData", [{}, { markets: [] }]],
  [`market show ${ID}`, "/api/v2/markets/data", "marketsData", [{}]],
  [`order ${ID}`, `/api/v2/order/${ID}`, "order", [{}]],
  ["stake", "/parties/stake", "partiesStake", [{}]],
  [`stake ${ID}`, "/parties/stake", "partiesStake", [{}]],
  ...["keyRotations", "coreSnapshots", "checkpoints"].map((field, at): (typeof rows)[number] => [
    ["rotations", "snapshots", "checkpoints"][at]!,
    ["/api/v2/network/keys/ethereum/rotations", "/api/v2/snapshots", "/api/v2/checkpoints"][at]!,
    field,
    [{}, { [field]: {} }, { [field]: noEdges }, { [field]: noPageInfo }],
  ]),
  [`bundle list-asset ${ID}`, "/api/v2/erc20/asset/list/bundle", "signatures", [{}, { networkAssetId: ID }]],
  [`bundle asset-limits ${ID}`, "/api/v2/erc20/asset/limits/bundle", "signatures", [{}, { networkAssetId: ID }]],
];

describe("an answer without its container cannot be understood", () => {
  test.each(rows)("%s", async (line, path, field, bodies) => {
    let body: unknown;
    await using node = await loopbackNode((request) => (request.path === path ? { body } : undefined));
    await using conversation = await talk({ networks: { mainnet: [node.url] } });
    for (body of bodies) {
      const screen = await conversation.ask(line);
      expect.soft(conversation.lastReply.failure, JSON.stringify(body)).toBe("network");
      expect.soft(screen, JSON.stringify(body)).toMatch(new RegExp(`${field}(\\.\\w+)? is missing`, "u"));
    }
  });

  test.each(rows.filter(([, , field]) => field !== "order"))("%s: null is empty", async (line, path, field) => {
    await using node = await loopbackNode((request) =>
      request.path === path ? { body: { [field]: null } } : undefined,
    );
    await using conversation = await talk({ networks: { mainnet: [node.url] } });
    expect(await conversation.ask(line)).not.toContain("cannot be understood");
  });
});
