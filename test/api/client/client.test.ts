import { describe, expect, test } from "vitest";

import { ApiError } from "../../../src/api/api-error.ts";
import { clientOf, name, node, outcome, TIME } from "../client-under-test.ts";
import { sendJson, sendRouteMissing, type Serve } from "../serve-wire.ts";
import { VirtualClock } from "../virtual-clock.ts";

describe("one answer", () => {
  test("says from where and as of when it is", async () => {
    const a = await node((_request, response) =>
      sendJson(response, TIME, { headers: { "X-Block-Height": "17", "X-Block-Timestamp": "1682942400000000001" } }),
    );
    const clock = new VirtualClock();
    const { value, asOf } = await clientOf([a], { clock, simulated: true }).getNetworkTime();
    expect(value.timestamp).toBe(1682942400000000000n);
    expect(asOf).toEqual({
      network: "mainnet",
      node: name(a),
      blockHeight: 17n,
      blockTime: 1682942400000000001n,
      receivedAt: clock.wallClock(),
      simulated: true,
    });
  });

  test("of a node that has taken in no block yet is of no time", async () => {
    const a = await node((_request, response) =>
      sendJson(response, { version: "v0.71.6" }, { headers: { "X-Block-Height": "0", "X-Block-Timestamp": "0" } }),
    );
    const { asOf } = await clientOf([a]).getNodeInfo();
    expect(asOf).toMatchObject({ blockHeight: 0n });
    expect(asOf).not.toHaveProperty("blockTime");
  });

  test("comes from under the base URL's own path, with its credentials, which nobody sees", async () => {
    const seen: (string | undefined)[] = [];
    const a = await node((request, response) => {
      seen.push(request.url, request.headers.authorization, request.headers.accept);
      sendJson(response, {}, { status: 418 });
    });
    const url = `${a.url.replace("http://", "http://bot:s3cret@")}/vega/main/?key=hidden`;
    const error = await outcome(clientOf([url]).getNodeInfo());
    expect(seen).toEqual([
      "/vega/main/api/v2/info?key=hidden",
      `Basic ${Buffer.from("bot:s3cret").toString("base64")}`,
      "application/json",
    ]);
    expect(error.node).toBe(`${name(a)}/vega/main`);
    expect(JSON.stringify([error.message, error])).not.toMatch(/s3cret|hidden/u);
  });

  test("about stake comes from the core node where that has its own URL", async () => {
    const data = await node((_request, response) => sendJson(response, TIME));
    const core = await node((_request, response) => sendJson(response, { partiesStake: [] }));
    const api = clientOf([], { nodes: [{ url: data.url, name: "first", coreUrl: `${core.url}/core` }] });
    const { asOf } = await api.getPartiesStake("ab cd");
    expect(core.asked).toEqual(["/core/parties/stake?party=ab+cd"]);
    expect(asOf.node).toBe(`${name(core)}/core`);
    expect((await api.getNetworkTime()).asOf.node).toBe("first");
  });
});

describe("a hundred people asking the same", () => {
  test("cost the node one request, and soon after none", async () => {
    const a = await node((_request, response) => sendJson(response, TIME));
    const clock = new VirtualClock();
    const api = clientOf([a], { clock });
    const hundred = async (): Promise<void> => {
      await Promise.all(
        Array.from({ length: 100 }, () => api.getNetworkTime({ signal: new AbortController().signal })),
      );
    };
    await hundred();
    await hundred();
    await api.nodes[0]!.getNetworkTime();
    expect(a.asked).toHaveLength(1);
    await clock.advance(501);
    await hundred();
    expect(a.asked).toHaveLength(2);
    await api.getNetworkTime({ fresh: true });
    expect(a.asked).toHaveLength(3);
  });

  test("do not disturb each other by leaving; when all have left the request ends", async () => {
    let answer: () => void = () => undefined;
    let dropped = 0;
    const a = await node((_request, response) => {
      answer = () => sendJson(response, TIME);
      response.on("close", () => {
        if (!response.writableEnded) dropped += 1;
      });
    });
    const api = clientOf([a], { cache: false });
    const leaver = new AbortController();
    const left = api.getNetworkTime({ signal: leaver.signal }).catch((error: unknown) => error);
    const stays = api.getNetworkTime({ signal: new AbortController().signal });
    await expect.poll(() => a.asked.length).toBe(1);
    leaver.abort(new Error("left"));
    expect(await left).toMatchObject({ message: "left" });
    answer();
    expect((await stays).value.timestamp).toBe(1682942400000000000n);
    expect(dropped).toBe(0);
    const others = new AbortController();
    const both = [1, 2].map(() => api.getNodeInfo({ signal: others.signal }).catch((error: unknown) => error));
    await expect.poll(() => a.asked.length).toBe(2);
    others.abort(new Error("all left"));
    expect(await Promise.all(both)).toEqual([new Error("all left"), new Error("all left")]);
    await expect.poll(() => dropped).toBe(1);
  });

  test("get a signed bundle from memory for long, an unsigned one for a second", async () => {
    let signatures = "";
    const a = await node((request, response) =>
      request.url?.includes("/erc20/") === true ? sendJson(response, { signatures }) : sendRouteMissing(response),
    );
    const clock = new VirtualClock();
    const api = clientOf([a], { clock });
    const asks = (): number => a.asked.filter((path) => path.includes("/erc20/")).length;
    await api.getAssetLimitsBundle("p");
    await clock.advance(1001);
    signatures = "0xabc";
    await api.getAssetLimitsBundle("p");
    expect(asks()).toBe(2);
    await clock.advance(500_000);
    expect((await api.getAssetLimitsBundle("p")).value.signatures).toBe("0xabc");
    expect(asks()).toBe(2);
  });
});

describe("both dialects", () => {
  test("the route is found once, and remembered per base URL", async () => {
    const real: Serve = (request, response) =>
      request.url?.startsWith("/api/v2/vega/") === true
        ? sendJson(response, { ...TIME, keyRotations: null })
        : sendRouteMissing(response);
    const a = await node(real);
    const api = clientOf([a], { cache: false });
    await api.getNetworkTime();
    await api.getNetworkTime();
    await api.getKeyRotations({ nodeId: "n" });
    expect(a.asked).toEqual([
      "/api/v2/network/time",
      "/api/v2/vega/time",
      "/api/v2/vega/time",
      "/api/v2/vega/keys/ethereum/rotations?pagination.first=50&nodeId=n",
    ]);
  });

  test("a node that learns the other dialect later is understood again", async () => {
    const a = await node((request, response) =>
      request.url === "/api/v2/vega/time" ? sendJson(response, TIME) : sendRouteMissing(response),
    );
    const api = clientOf([a], { cache: false });
    await api.getNetworkTime();
    a.serve = (request, response) =>
      request.url === "/api/v2/network/time" ? sendJson(response, TIME) : sendRouteMissing(response);
    await api.getNetworkTime();
    await api.getNetworkTime();
    expect(a.asked.slice(2)).toEqual(["/api/v2/vega/time", "/api/v2/network/time", "/api/v2/network/time"]);
  });

  test("a 404 with details, or of a proxy, is no reason to ask elsewhere", async () => {
    for (const body of [{ code: 5, message: "Not Found", details: [{ message: "x" }] }, "<html>404</html>"]) {
      const a = await node((_request, response) =>
        typeof body === "string" ? void response.writeHead(404).end(body) : sendJson(response, body, { status: 404 }),
      );
      await outcome(clientOf([a]).getNetworkTime());
      expect(a.asked).toEqual(["/api/v2/network/time"]);
    }
  });
});

describe("cursors", () => {
  test("go back to the node that gave them, even when another would be preferred", async () => {
    const list: Serve = (_request, response) =>
      sendJson(response, {
        checkpoints: { edges: [{ cursor: "c1", node: { atBlock: "1" } }], pageInfo: { endCursor: "c1" } },
      });
    const a = await node((_request, response) => void response.writeHead(503).end());
    const b = await node(list);
    const clock = new VirtualClock();
    const api = clientOf([a, b], { clock });
    await api.getCheckpoints({ first: 1 });
    a.serve = list;
    await clock.advance(60_000);
    expect((await api.getCheckpoints({ first: 1, after: "c1" })).asOf.node).toBe(name(b));
    expect((await api.getCheckpoints({ first: 1 })).asOf.node).toBe(name(a));
  });
});

test("connections are kept alive and shared", async () => {
  const a = await node((_request, response) => sendJson(response, TIME));
  const api = clientOf([a], { cache: false });
  for (let calls = 0; calls < 20; calls += 1) await api.getNetworkTime();
  // An answer is handed on a moment before its connection counts as free, so two take turns.
  expect(a.connections()).toBeLessThanOrEqual(2);
});

test("a closed client rejects, and so do calls under way", async () => {
  const a = await node(() => undefined);
  const api = clientOf([a]);
  const call = outcome(api.getNetworkTime());
  await expect.poll(() => a.asked.length).toBe(1);
  await api.close();
  expect(await call).toBeInstanceOf(ApiError);
  expect((await outcome(api.getNodeInfo())).message).toContain("closed");
});
