import { describe, expect, test } from "vitest";

import type { ApiClient } from "../../../src/api/api-client.ts";
import type { ApiError } from "../../../src/api/api-error.ts";
import { saying } from "../../support/said.ts";
import { clientOf, name, node, outcome, TIME } from "../client-under-test.ts";
import { type FakeNode, sendJson } from "../serve-wire.ts";
import { settled, VirtualClock } from "../virtual-clock.ts";

describe("429 and 403 are obeyed to the letter", () => {
  test("after a 429 nothing is sent to that node for at least a second", async () => {
    const a = await node((_request, response) => void response.writeHead(429).end("Too Many Requests"));
    const clock = new VirtualClock();
    const api = clientOf([a], { clock, limits: { callMillis: 500 } });
    expect(await outcome(api.getNetworkTime())).toMatchObject({ kind: "rate-limited", httpStatus: 429 });
    for (let millis = 0; millis < 1000; millis += 100) {
      const error = await outcome(api.nodes[0]!.getNodeInfo({ lane: "watchers", fresh: true }));
      expect(error.kind).toBe("rate-limited");
      expect(error.message).toMatch(saying(name(a), 429));
      await clock.advance(100);
    }
    expect(a.asked).toHaveLength(1);
    a.serve = (_request, response) => sendJson(response, TIME);
    await clock.advance(1000);
    await api.getNetworkTime();
    expect(a.asked).toHaveLength(2);
  });

  test("many that are refused concurrently count as one refusal; a second one in a row lasts longer", async () => {
    const a = await node((_request, response) => void response.writeHead(429).end());
    const clock = new VirtualClock();
    const api = clientOf([a], { clock, limits: { callMillis: 500 } });
    const restOf = async (): Promise<number> => {
      const ids = Array.from({ length: 10 }, (_, index) => `order-${index}`);
      await Promise.all(ids.map(async (id) => outcome(api.getOrder(id, undefined, { lane: "watchers" }))));
      return api.nodes[0]!.health.circuitOpenUntilMillis! - Number(clock.wallClock() / 1_000_000n);
    };
    expect(await restOf()).toBe(1500);
    await clock.advance(1501);
    expect(await restOf()).toBe(3000);
  });

  test("another node takes over meanwhile", async () => {
    const a = await node((_request, response) => void response.writeHead(429).end());
    const b = await node((_request, response) => sendJson(response, TIME));
    const api = clientOf([a, b], { cache: false });
    for (let calls = 0; calls < 5; calls += 1) expect((await api.getNetworkTime()).asOf.node).toBe(name(b));
    expect(a.asked).toHaveLength(1);
  });

  test.each([
    [{ "RateLimit-Retry-After": "437" }, 437_000],
    [{ "Retry-After": "Mon, 01 May 2023 12:01:30 GMT", Date: "Mon, 01 May 2023 12:00:00 GMT" }, 90_000],
    [{ "Retry-After": "Mon, 01 May 2023 11:00:00 GMT", Date: "Mon, 01 May 2023 12:00:00 GMT" }, 600_000],
    [{ "Retry-After": "soon" }, 600_000],
    [{}, 600_000],
  ])("a ban with %j lasts as long as told, ten minutes by default", async (headers, millis) => {
    const a = await node((_request, response) => void response.writeHead(403, headers).end());
    const clock = new VirtualClock();
    const api = clientOf([a], { clock });
    expect(await outcome(api.getNetworkTime())).toMatchObject({ kind: "banned", retryAfterMillis: millis });
    a.serve = (_request, response) => sendJson(response, TIME);
    await clock.advance(millis - 1);
    expect((await outcome(api.getNetworkTime({ lane: "watchers" }))).message).toMatch(saying(name(a), "HTTP 403"));
    expect(a.asked).toHaveLength(1);
    await clock.advance(2);
    await api.getNetworkTime();
    expect(a.asked).toHaveLength(2);
  });

  test("the people lane is refused above its limit, and a watcher still gets through", async () => {
    const a = await node((_request, response) => sendJson(response, { order: {} }));
    const api = clientOf([a], { limits: { requestsPerSecond: 1, burst: 10, reservedForWatchers: 4, queueMillis: 0 } });
    const calls = await Promise.allSettled(Array.from({ length: 30 }, async (_, index) => api.getOrder(`o${index}`)));
    const refused = calls.filter((call) => call.status === "rejected").map((call) => call.reason as ApiError);
    expect(refused).toHaveLength(24);
    expect(refused[0]).toMatchObject({ kind: "rate-limited", httpStatus: undefined });
    expect(refused[0]!.message).toMatch(saying(name(a), /\d+ s/u));
    expect(refused[0]!.message.replace(/\d+ s\b/u, "<n> s")).toMatchSnapshot();
    expect(api.nodes[0]!.health.circuitOpen).toBe(false);
    await api.getOrder("watched", undefined, { lane: "watchers" });
    expect(a.asked).toHaveLength(7);
  });
});

test("of several processes, each asks its part of what a node allows, and people can always ask", async () => {
  const a = await node((_request, response) => sendJson(response, { order: {} }));
  const limits = { requestsPerSecond: 1, burst: 10, reservedForWatchers: 4, queueMillis: 0 };
  for (const [processes, answered] of [
    [1, 6],
    [2, 3],
    [99, 1],
  ] as const) {
    a.asked.length = 0;
    const api = clientOf([a], { limits, processes: () => processes });
    await Promise.allSettled(Array.from({ length: 12 }, async (_, index) => api.getOrder(`o${index}`)));
    expect([processes, a.asked.length]).toEqual([processes, answered]);
  }
});

describe("where every node refuses requests", () => {
  /** Nodes that each sent a 429 just now and would answer from now on. */
  async function refusing(...seconds: number[]): Promise<{ api: ApiClient; nodes: FakeNode[]; clock: VirtualClock }> {
    const nodes = await Promise.all(
      seconds.map((wait) =>
        node((_request, response) => void response.writeHead(429, { "Retry-After": String(wait) }).end()),
      ),
    );
    const clock = new VirtualClock();
    const api = clientOf(nodes, { clock, random: () => 0, limits: { callMillis: 3900 } });
    await Promise.all(api.nodes.map((one) => outcome(one.getNodeInfo({ lane: "watchers" }))));
    for (const one of nodes) {
      one.asked.length = 0;
      one.serve = (_request, response) => sendJson(response, TIME);
    }
    return { api, nodes, clock };
  }

  test("people wait for the first that may be asked again, and it answers", async () => {
    const { api, nodes, clock } = await refusing(6, 4, 5);
    await clock.advance(2000);
    const call = api.getNetworkTime();
    await clock.advance(1999);
    expect(nodes.map((one) => one.asked.length)).toEqual([0, 0, 0]);
    await clock.advance(2);
    expect((await call).asOf.node).toBe(name(nodes[1]!));
    expect(nodes.map((one) => one.asked.length)).toEqual([0, 1, 0]);
  });

  test("the one node there is is waited for, too", async () => {
    const { api, nodes, clock } = await refusing(4);
    await clock.advance(2000);
    const call = api.getNetworkTime();
    await clock.advance(2001);
    expect((await call).asOf.node).toBe(name(nodes[0]!));
  });

  test("a wait that is too long is not begun: the sentence names every node", async () => {
    const { api, nodes, clock } = await refusing(6, 4, 5);
    await clock.advance(500);
    const error = await outcome(api.getNetworkTime());
    const [a, b, c] = nodes.map(name);
    const each = [b, 3, a, 5, c, 4].map((one) => (typeof one === "number" ? [`${one} s`, "HTTP 429"] : [String(one)]));
    expect(error.message).toMatch(saying("mainnet", ...each.flat()));
    expect(error).toMatchSnapshot();
    expect(error).toMatchObject({ kind: "rate-limited", node: b, retryAfterMillis: 3500 });
    expect(nodes.map((one) => one.asked.length)).toEqual([0, 0, 0]);
  });

  test("one that fails after the wait is listed with the others, and no second wait begins", async () => {
    const { api, nodes, clock } = await refusing(6, 4, 5);
    nodes[1]!.serve = (_request, response) => void response.writeHead(403, { "Retry-After": "60" }).end();
    await clock.advance(2000);
    const call = outcome(api.getNetworkTime());
    await clock.advance(2001);
    const error = await call;
    expect(error).toMatchObject({ kind: "banned", node: name(nodes[1]!) });
    expect(error.tried.map((one) => one.node)).toEqual([name(nodes[1]!), name(nodes[0]!), name(nodes[2]!)]);
  });

  test("a caller that aborts meanwhile rejects at once, and no request is sent for it", async () => {
    const { api, nodes, clock } = await refusing(4, 4);
    await clock.advance(2000);
    const caller = new AbortController();
    const call = api.getNetworkTime({ signal: caller.signal });
    await settled();
    caller.abort(new Error("left"));
    await expect(call).rejects.toThrow("left");
    await clock.advance(3000);
    expect(nodes.map((one) => one.asked.length)).toEqual([0, 0]);
  });

  test("watchers do not wait, nor does who asks one node by itself", async () => {
    const { api, clock } = await refusing(4, 4);
    await clock.advance(2000);
    expect((await outcome(api.getNetworkTime({ lane: "watchers" }))).tried).toHaveLength(2);
    expect((await outcome(api.nodes[0]!.getNetworkTime())).tried).toHaveLength(1);
  });

  test("a node that fails otherwise does not hide those that were not asked", async () => {
    const { api, nodes, clock } = await refusing(4, 9);
    await clock.advance(4001);
    nodes[0]!.serve = (_request, response) =>
      sendJson(response, { code: 13, message: "Internal error", details: [{ message: "no disk" }] }, { status: 500 });
    const error = await outcome(api.getNetworkTime());
    expect(error).toMatchObject({ kind: "server", innerWords: "no disk" });
    expect(error.message).toContain(`${name(nodes[0]!)} says “no disk” (HTTP 500); ${name(nodes[1]!)} is left alone`);
  });
});
