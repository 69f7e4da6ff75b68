import { describe, expect, test } from "vitest";

import { saying } from "../../support/said.ts";
import { clientOf, deadUrl, name, node, outcome, TIME } from "../client-under-test.ts";
import { sendJson, type Serve } from "../serve-wire.ts";
import { VirtualClock } from "../virtual-clock.ts";

describe("when a node fails", () => {
  test("the next one answers, and goes on answering while the first one's circuit is open", async () => {
    const a = await node((_request, response) => sendJson(response, {}, { status: 503 }));
    const b = await node((_request, response) => sendJson(response, TIME));
    const clock = new VirtualClock();
    const api = clientOf([a, b], { clock, cache: false });
    expect((await api.getNetworkTime()).asOf.node).toBe(name(b));
    expect((await api.getNetworkTime()).asOf.node).toBe(name(b));
    expect(a.asked).toHaveLength(1);
    expect(api.nodes[0]!.health).toMatchObject({
      circuitOpen: true,
      lastError: expect.stringContaining("503") as string,
    });
    a.serve = (_request, response) => sendJson(response, TIME);
    await clock.advance(2000);
    expect((await api.getNetworkTime()).asOf.node).toBe(name(a));
    expect(api.nodes[0]!.health).toEqual({ circuitOpen: false });
  });

  test("one caller at a time probes whether it is back", async () => {
    let release: () => void = () => undefined;
    const a = await node((_request, response) => sendJson(response, {}, { status: 503 }));
    const b = await node((_request, response) => sendJson(response, { version: "b", marketsData: [] }));
    const clock = new VirtualClock();
    const api = clientOf([a, b], { clock, cache: false });
    await api.getNodeInfo();
    a.serve = (_request, response) => {
      release = () => sendJson(response, { version: "a" });
    };
    await clock.advance(2000);
    const probe = api.getNodeInfo();
    await expect.poll(() => a.asked.length).toBe(2);
    expect((await api.getMarketsData()).asOf.node).toBe(name(b));
    release();
    expect((await probe).value.version).toBe("a");
  });

  test.each<[string, Serve]>([
    ["a dropped connection", (_request, response) => void response.destroy()],
    [
      "a body cut half-way",
      (_request, response) => {
        response.writeHead(200, { "Content-Length": "100" });
        response.write('{"timestamp":');
        setTimeout(() => response.destroy(), 5);
      },
    ],
    ["502 from a proxy", (_request, response) => void response.writeHead(502).end("<html><title>Bad Gateway</title>")],
  ])("%s is tried again, and heals", async (_name, fail) => {
    const a = await node((request, response) =>
      a.asked.length < 3 ? fail(request, response) : sendJson(response, TIME),
    );
    expect((await clientOf([a]).getNetworkTime()).value.timestamp).toBe(1682942400000000000n);
    expect(a.asked).toHaveLength(3);
  });

  test("a node that echoes the requested address does not leak its credentials", async () => {
    const a = await node((request, response) => {
      const said = `no ${String(request.url)} for ${String(request.headers.authorization)}`;
      sendJson(response, { code: 2, message: said, details: [{ message: said, inner: said }] }, { status: 500 });
    });
    const basic = Buffer.from("user:s3cret").toString("base64");
    const error = await outcome(clientOf([`${a.url.replace("//", "//user:s3cret@")}/?key=t0psecret`]).getNodeInfo());
    expect(error.message).toContain("/api/v2/info?key=… for Basic …");
    const { message, nodeMessage, innerWords, tried } = error;
    expect(JSON.stringify([message, nodeMessage, innerWords, tried])).not.toMatch(
      new RegExp(`s3cret|t0psecret|${basic}`, "u"),
    );
  });

  test("the sentence names every node that was tried, and why it failed", async () => {
    const dead = await deadUrl();
    const b = await node((_request, response) =>
      sendJson(
        response,
        { code: 13, message: "Internal error", details: [{ message: "the store is closed" }] },
        { status: 500 },
      ),
    );
    const error = await outcome(clientOf([dead, b]).getOrder("a".repeat(64)));
    expect(error.message).toMatch(
      saying("aaaaaaaaaaaa", "mainnet", dead.replace("http://", ""), name(b), "the store is closed", "HTTP 500"),
    );
    expect(error).toMatchSnapshot();
    expect(error).toMatchObject({ kind: "server", node: name(b), innerWords: "the store is closed" });
    expect(error.tried.map((attempt) => attempt.node)).toEqual([dead.replace("http://", ""), name(b)]);
  });

  test.each<[number, object, string]>([
    [404, { code: 5, message: "Not Found", details: [{ message: "order not found" }] }, "not-found"],
    [400, { code: 3, message: "Bad Request", details: [{ message: "invalid order ID" }] }, "invalid"],
  ])("HTTP %i about the request is an answer: no other node is asked", async (status, body, kind) => {
    const a = await node((_request, response) => sendJson(response, body, { status }));
    const b = await node((_request, response) => sendJson(response, { order: {} }));
    expect((await outcome(clientOf([a, b]).getOrder("x"))).kind).toBe(kind);
    expect([a.asked.length, b.asked.length]).toEqual([1, 0]);
  });

  test("garbage from one node is skipped, an unknown shape is reported with its JSON path", async () => {
    const html = await node((_request, response) => void response.end("<html><body>Welcome</body></html>"));
    const b = await node((_request, response) => void response.end('{"marketsData":[{"markPrice":9007199254740993}]}'));
    const error = await outcome(clientOf([html, b]).getMarketsData());
    expect(error).toMatchObject({ kind: "unreadable", node: name(b), path: "marketsData[0].markPrice" });
    expect(error.message).toMatch(saying(name(html), "JSON", name(b), "marketsData[0].markPrice"));
    expect(error).toMatchSnapshot();
  });
});

test.each([
  { error: { code: 13, message: "Internal error", details: [{ message: "no such table" }] } },
  { code: 13, message: "Internal error", details: [{ message: "no such table" }] },
])("an error is none the less one for coming with HTTP 200: %j", async (body) => {
  const a = await node((_request, response) => sendJson(response, body));
  const api = clientOf([a]);
  for (const asked of [api.getNetworkTime(), api.getMarketsData(), api.getAssetLimitsBundle("b".repeat(64))]) {
    const error = await outcome(asked);
    expect(error).toMatchObject({ kind: "unreadable", httpStatus: 200, code: 13, innerWords: "no such table" });
    expect(error.message).toContain(`${name(a)} says “no such table” (though with HTTP 200).`);
  }
});

describe("too slow or too large responses", () => {
  test("a node that does not answer, within the limit of a try", async () => {
    const a = await node(() => undefined);
    const error = await outcome(clientOf([a], { limits: { tryMillis: 40, callMillis: 60 } }).getNetworkTime());
    expect(error).toMatchObject({ kind: "timeout" });
    expect(error.message).toContain("40 ms");
  });

  test("a node that drips its answer, within the limit of a try", async () => {
    const a = await node((_request, response) => {
      const drip = setInterval(() => response.write(" "), 5);
      response.on("close", () => clearInterval(drip));
    });
    const error = await outcome(clientOf([a], { limits: { tryMillis: 60, callMillis: 60 } }).getNetworkTime());
    expect(error.kind).toBe("timeout");
  });

  test.each([
    ["announced", { "Content-Length": "65537" }],
    ["unannounced", {}],
  ])("a body above the limit, %s", async (_name, headers) => {
    const a = await node((_request, response) => {
      response.writeHead(200, headers);
      response.end("x".repeat(64 * 1024 + 1));
    });
    const error = await outcome(clientOf([a]).getNetworkTime());
    expect(error.kind).toBe("unreadable");
    expect(error.message).toContain("sent more than 65.5 kB");
  });
});
