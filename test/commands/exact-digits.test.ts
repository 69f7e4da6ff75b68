import { describe, expect, test } from "vitest";

import { replyToJson } from "../../src/reply/json.ts";
import { loopbackNode } from "../support/loopback-node.ts";
import { talk } from "../support/talk.ts";

// No digit of a 64-bit value (or of a 78-digit nonce) changes on its way from the wire to a reply.

const ID = "ab".repeat(32);
const extremes = ["9223372036854775807", "18446744073709551615", (2n ** 256n - 1n).toString()];
const page = (node: object) => ({ edges: [{ cursor: "c", node }], pageInfo: {} });

const cases: { line: string; path: string; fields: string[]; body: (fields: Record<string, string>) => unknown }[] = [
  {
    line: `market show ${ID}`,
    path: "/api/v2/markets/data",
    fields: [
      "markPrice",
      "midPrice",
      "staticMidPrice",
      "lastTradedPrice",
      "indicativePrice",
      "indicativeVolume",
      "bestBidPrice",
      "bestBidVolume",
      "bestOfferPrice",
      "bestOfferVolume",
      "bestStaticBidPrice",
      "bestStaticBidVolume",
      "bestStaticOfferPrice",
      "bestStaticOfferVolume",
      "openInterest",
      "marketValueProxy",
      "suppliedStake",
      "targetStake",
    ],
    body: (fields) => ({ marketsData: [{ market: ID, marketState: "STATE_ACTIVE", ...fields }] }),
  },
  {
    line: "market list",
    path: "/api/v2/markets/data",
    fields: ["markPrice", "bestBidPrice", "bestOfferPrice", "openInterest"],
    body: (fields) => ({ marketsData: [{ market: ID, marketState: "STATE_ACTIVE", ...fields }] }),
  },
  {
    line: `order ${ID}`,
    path: `/api/v2/order/${ID}`,
    fields: ["price", "size", "remaining", "batchId"],
    body: (fields) => ({ order: { id: ID, status: "STATUS_ACTIVE", ...fields } }),
  },
  {
    line: `stake ${ID}`,
    path: "/parties/stake",
    fields: ["amount", "logIndex", "blockHeight"],
    body: (fields) => ({ partiesStake: [{ party: ID, currentStakeAvailable: "1", stakeLinkings: [fields] }] }),
  },
  {
    line: "rotations",
    path: "/api/v2/network/keys/ethereum/rotations",
    fields: ["blockHeight"],
    body: (fields) => ({ keyRotations: page({ nodeId: ID, ...fields }) }),
  },
  {
    line: "snapshots",
    path: "/api/v2/snapshots",
    fields: ["blockHeight"],
    body: (fields) => ({ coreSnapshots: page(fields) }),
  },
  {
    line: "checkpoints",
    path: "/api/v2/checkpoints",
    fields: ["atBlock"],
    body: (fields) => ({ checkpoints: page(fields) }),
  },
  {
    line: `bundle list-asset ${ID}`,
    path: "/api/v2/erc20/asset/list/bundle",
    fields: ["nonce"],
    body: (fields) => ({ signatures: "", ...fields }),
  },
  {
    line: `bundle asset-limits ${ID}`,
    path: "/api/v2/erc20/asset/limits/bundle",
    fields: ["nonce", "lifetimeLimit", "threshold"],
    body: (fields) => ({ networkAssetId: ID, signatures: "", ...fields }),
  },
];

const assets = { assets: page({ id: ID, details: { symbol: "TOK", decimals: "18", erc20: {} } }) };
const markets = {
  markets: page({
    id: ID,
    decimalPlaces: "5",
    positionDecimalPlaces: "3",
    tradableInstrument: { instrument: { code: "TOK/USD", future: { settlementAsset: ID } } },
  }),
};

describe.each(["with names", "without names"])("%s", (names) => {
  test.each(cases)("$line", async ({ line, path, fields, body }) => {
    for (const extreme of extremes) {
      // Each field has a value of its own, so that none is taken for another; none ends in a zero, which sizes drop behind the point.
      const sent = Object.fromEntries(
        fields.map((name, index) => [name, String(BigInt(extreme) - BigInt(index) * 10n)]),
      );
      await using node = await loopbackNode((request) => {
        if (request.path === path) return { body: body(sent) };
        if (names === "without names") return undefined;
        if (request.path === "/api/v2/assets") return { body: assets };
        return request.path === "/api/v2/markets" ? { body: markets } : undefined;
      });
      await using conversation = await talk({ networks: { mainnet: [node.url] } });
      const reply = await conversation.askFor(line);
      expect(reply.failure).toBeUndefined();
      // Points and separators apart, the digits are there, and none beside them.
      const digits = JSON.stringify(replyToJson(reply)).replaceAll(/(?<=\d)[.,](?=\d)/gu, "");
      for (const value of Object.values(sent)) {
        expect(digits).toMatch(new RegExp(`(?<!\\d)0*${value}(?!\\d)`, "u"));
      }
    }
  });
});

test("a party's stake and what all parties stake keep every digit", async () => {
  for (const extreme of extremes) {
    const partiesStake = [{ party: ID, currentStakeAvailable: extreme, stakeLinkings: [] }];
    await using node = await loopbackNode(({ path }) =>
      path === "/parties/stake" ? { body: { partiesStake } } : undefined,
    );
    await using conversation = await talk({ networks: { mainnet: [node.url] } });
    for (const line of ["stake", `stake ${ID}`]) {
      const said = JSON.stringify(replyToJson(await conversation.askFor(line)));
      expect(said.replaceAll(/[.,]/gu, "")).toContain(extreme);
    }
  }
});

test("the network time keeps its nanoseconds", async () => {
  const timestamp = `${Date.UTC(2026, 0, 15, 12) - 2000}123457`;
  await using node = await loopbackNode(({ path }) =>
    path === "/api/v2/network/time" ? { body: { timestamp } } : undefined,
  );
  await using conversation = await talk({ networks: { mainnet: [node.url] } });
  expect(JSON.stringify(replyToJson(await conversation.askFor("time")))).toContain(timestamp);
});
