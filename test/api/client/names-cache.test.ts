import { describe, expect, test } from "vitest";

import { saying } from "../../support/said.ts";
import { clientOf, deadUrl, node, outcome } from "../client-under-test.ts";
import { sendJson, sendRouteMissing } from "../serve-wire.ts";
import { VirtualClock } from "../virtual-clock.ts";

describe("names", () => {
  test("are cached for long, and their absence is no failure", async () => {
    const a = await node((_request, response) => sendRouteMissing(response));
    const clock = new VirtualClock();
    const api = clientOf([a, await deadUrl()], { clock, limits: { retryMillis: 0 } });
    expect(await api.getMarketNames()).toEqual([]);
    expect(await api.getMarketNames()).toEqual([]);
    expect(a.asked).toHaveLength(1);
    a.serve = (_request, response) =>
      sendJson(response, { markets: { edges: [{ node: { id: "m" } }], pageInfo: null } });
    await clock.advance(61_000);
    expect(await api.getMarketNames()).toMatchObject([{ id: "m" }]);
    a.serve = (_request, response) => void response.destroy();
    await clock.advance(601_000);
    expect(await api.getMarketNames()).toMatchObject([{ id: "m" }]);
  });

  test("are read over all pages", async () => {
    const a = await node((request, response) => {
      const after = new URL(request.url ?? "", "http://x").searchParams.get("pagination.after");
      const id = after === null ? "first" : `behind ${after}`;
      sendJson(response, {
        nodes: { edges: [{ node: { id, name: "n" } }], pageInfo: { hasNextPage: after === null, endCursor: "+/=" } },
      });
    });
    expect(await clientOf([a]).getNodeNames()).toEqual([
      { id: "first", name: "n" },
      { id: "behind +/=", name: "n" },
    ]);
  });

  test("are read of 20,000 markets, which price alerts need the decimals of, and not for ever", async () => {
    let last = 20;
    const a = await node((request, response) => {
      const page = Number(new URL(request.url ?? "", "http://x").searchParams.get("pagination.after") ?? 0) + 1;
      const edges = [{ node: { id: `m${page}`, decimalPlaces: "2" } }];
      sendJson(response, { markets: { edges, pageInfo: { hasNextPage: page < last, endCursor: String(page) } } });
    });
    const named = await clientOf([a]).getMarketNames();
    expect(named.at(-1)).toMatchObject({ id: "m20", decimalPlaces: 2 });
    last = Infinity;
    expect((await clientOf([a]).getMarketNames()).length).toBeLessThan(100);
  });

  test("of an asset that is no ERC20 token keep its bundle from being asked for", async () => {
    const a = await node((request, response) =>
      request.url?.startsWith("/api/v2/assets") === true
        ? sendJson(response, {
            assets: {
              edges: [{ node: { id: "ab", details: { symbol: "FAKE", builtinAsset: {} } } }],
              pageInfo: null,
            },
          })
        : sendJson(response, { nonce: "1", signatures: "" }),
    );
    const api = clientOf([a]);
    const error = await outcome(api.getListAssetBundle("AB"));
    expect(error.kind).toBe("invalid");
    expect(error.message).toMatch(saying("FAKE", "ERC20"));
    expect((await api.getListAssetBundle("cd")).value.nonce).toBe(1n);
    expect(a.asked.filter((path) => path.includes("bundle"))).toEqual(["/api/v2/erc20/asset/list/bundle?assetId=cd"]);
  });
});

test("orders are none where the nodes list none, which are then left alone for a while", async () => {
  const a = await node((_request, response) => sendRouteMissing(response));
  const clock = new VirtualClock();
  const api = clientOf([a], { clock, limits: { retryMillis: 0 } });
  expect([await api.getOrders({ party: "ab" }), await api.getOrders({ party: "ab" })]).toEqual([[], []]);
  expect(a.asked).toHaveLength(1);
  a.serve = (_request, response) =>
    sendJson(response, { orders: { edges: [{ node: { id: "o", status: "STATUS_ACTIVE" } }], pageInfo: null } });
  await clock.advance(61_000);
  expect(await api.getOrders({ party: "ab" })).toMatchObject([{ id: "o", status: "STATUS_ACTIVE" }]);
  expect(a.asked.at(-1)).toMatch(/\/api\/v2\/orders\?filter\.partyIds=ab&pagination\.first=\d+$/u);
});
