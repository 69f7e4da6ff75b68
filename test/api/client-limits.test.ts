import { describe, expect, test } from "vitest";

import type { ApiError } from "../../src/api/api-error.ts";
import { TIME, clientOf, name, node, outcome } from "./client-under-test.ts";
import { sendJson } from "./serve-wire.ts";
import { VirtualClock } from "./virtual-clock.ts";

describe("429 and 403 are obeyed to the letter", () => {
  test("after a 429 nothing is sent to that node for at least a second", async () => {
    const a = await node((_request, response) => void response.writeHead(429).end("Too Many Requests"));
    const clock = new VirtualClock();
    const api = clientOf([a], { clock, limits: { callMillis: 500 } });
    expect(await outcome(api.getNetworkTime())).toMatchObject({ kind: "rate-limited", httpStatus: 429 });
    for (let millis = 0; millis < 1000; millis += 100) {
      const error = await outcome(api.nodes[0]!.getNodeInfo({ lane: "watchers", fresh: true }));
      expect(error.kind).toBe("rate-limited");
      expect(error.message).toContain("is left alone for another");
      await clock.advance(100);
    }
    expect(a.asked).toHaveLength(1);
    a.serve = (_request, response) => sendJson(response, TIME);
    await clock.advance(1000);
    await api.getNetworkTime();
    expect(a.asked).toHaveLength(2);
  });

  test("many that are refused together are one refusal; a second one in a row rests longer", async () => {
    const a = await node((_request, response) => void response.writeHead(429).end());
    const clock = new VirtualClock();
    const api = clientOf([a], { clock, limits: { callMillis: 500 } });
    const restOf = async (): Promise<number> => {
      const ids = Array.from({ length: 10 }, (_, index) => `order-${index}`);
      await Promise.all(ids.map(async (id) => outcome(api.getOrder(id, undefined, { lane: "watchers" }))));
      return api.nodes[0]!.health.restsUntilMillis! - Number(clock.wallClock() / 1_000_000n);
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
    [{}, 600_000],
  ])("a ban with %j lasts as long as told, ten minutes by default", async (headers, millis) => {
    const a = await node((_request, response) => void response.writeHead(403, headers).end());
    const clock = new VirtualClock();
    const api = clientOf([a], { clock });
    expect(await outcome(api.getNetworkTime())).toMatchObject({ kind: "banned", retryAfterMillis: millis });
    a.serve = (_request, response) => sendJson(response, TIME);
    await clock.advance(millis - 1);
    expect((await outcome(api.getNetworkTime({ lane: "watchers" }))).message).toContain(
      "refuses our requests (HTTP 403)",
    );
    expect(a.asked).toHaveLength(1);
    await clock.advance(2);
    await api.getNetworkTime();
    expect(a.asked).toHaveLength(2);
  });

  test("people who ask too much are told so, and a watcher still gets through", async () => {
    const a = await node((_request, response) => sendJson(response, { order: {} }));
    const api = clientOf([a], { limits: { requestsPerSecond: 1, burst: 10, reservedForWatchers: 4, queueMillis: 0 } });
    const calls = await Promise.allSettled(Array.from({ length: 30 }, async (_, index) => api.getOrder(`o${index}`)));
    const refused = calls.filter((call) => call.status === "rejected").map((call) => call.reason as ApiError);
    expect(refused).toHaveLength(24);
    expect(refused[0]).toMatchObject({ kind: "rate-limited", httpStatus: undefined });
    expect(refused[0]!.message).toMatch(
      /has had all the questions that its rate limit allows for now; try again in \d+ s/u,
    );
    expect(api.nodes[0]!.health.resting).toBe(false);
    await api.getOrder("watched", undefined, { lane: "watchers" });
    expect(a.asked).toHaveLength(7);
  });
});
