import { describe, expect, test } from "vitest";

import { pollNodes } from "../../../src/api/client/poll-nodes.ts";
import { clientOf, deadUrl, name, node } from "../client-under-test.ts";
import { sendJson } from "../serve-wire.ts";
import { VirtualClock } from "../virtual-clock.ts";

describe("an assessment", () => {
  test("asks every node, and remembers what it saw", async () => {
    const clock = new VirtualClock();
    const serve = () =>
      node((_request, response) =>
        sendJson(
          response,
          { timestamp: String(clock.wallClock() - 1_000_000_000n) },
          { headers: { "X-Block-Height": String(clock.wallClock() / 1_000_000_000n) } },
        ),
      );
    const [a, b, dead] = [await serve(), await serve(), await deadUrl()];
    const api = clientOf([a, b, dead], { clock });
    const first = await api.assess();
    expect(first).toMatchObject({ network: "healthy", basis: "age", ageMillis: 1000 });
    expect(first.nodes).toMatchObject([
      { node: name(a), state: "ok", height: first.nodes[1]?.height },
      { node: name(b), state: "ok" },
      { state: "down", why: "refused the connection" },
    ]);
    await clock.advance(5000);
    const second = await api.assess({ fresh: true });
    expect(second).toMatchObject({ network: "healthy", basis: "advance" });
    expect(second.nodes.map(({ vote }) => vote)).toEqual(["moves", "moves", "silent"]);
  });

  test("calls no network stalled because the wall clock is an hour off", async () => {
    const clock = new VirtualClock();
    const a = await node((_request, response) =>
      sendJson(response, { timestamp: String(clock.wallClock() - 3_600_000_000_000n) }),
    );
    const assessed = clientOf([a], { clock }).assess();
    await elapse(clock, assessed);
    expect(await assessed).toMatchObject({ network: "healthy", basis: "advance", ageMillis: 3_600_000 });
  });

  test("watches for some seconds before it calls an old time a stall, and does so once", async () => {
    const clock = new VirtualClock();
    const old = String(clock.wallClock() - 3_600_000_000_000n);
    let asked = 0;
    const a = await node((_request, response) => {
      asked += 1;
      sendJson(response, { timestamp: old });
    });
    const api = clientOf([a], { clock });
    const assessed = api.assess();
    await elapse(clock, assessed);
    expect(await assessed).toMatchObject({ network: "stalled" });
    expect(clock.monotonicMillis()).toBeGreaterThanOrEqual(3000);
    const before = asked;
    expect(await api.assess({ fresh: true })).toMatchObject({ network: "stalled" });
    expect(asked).toBe(before + 1);
  });

  test("says that the wall clock may be wrong where every node is ahead of it", async () => {
    const clock = new VirtualClock();
    const a = await node((_request, response) =>
      sendJson(response, { timestamp: String(clock.wallClock() + 3_600_000_000_000n) }),
    );
    expect(await clientOf([a], { clock }).assess()).toMatchObject({
      network: "blind",
      why: expect.stringContaining("bot's clock") as string,
    });
  });

  test("takes a node that is too slow as not reachable, and leaves with its caller", async () => {
    const a = await node(() => undefined);
    const api = clientOf([a]);
    expect((await api.assess({ timeoutMillis: 30 })).nodes).toMatchObject([
      { state: "down", why: expect.stringContaining("30 ms") as string },
    ]);
    const leaver = new AbortController();
    const assessed = api.assess({ signal: leaver.signal });
    leaver.abort(new Error("left"));
    await expect(assessed).rejects.toThrow("left");
  });

  test("asks all nodes at once: one that is slow takes no time from the others", async () => {
    // Each answers once all have been asked.
    const waiting: (() => void)[] = [];
    const nodes = await Promise.all(
      ["a", "b", "c"].map(() =>
        node((_request, response) => {
          waiting.push(() => sendJson(response, { timestamp: `${Date.now()}000000` }));
          if (waiting.length === 3) for (const answer of waiting) answer();
        }),
      ),
    );
    expect((await clientOf(nodes).assess()).nodes).toMatchObject([{ state: "ok" }, { state: "ok" }, { state: "ok" }]);
  });

  test("asks a node that does not answer once more where that is wanted", async () => {
    const asked = { a: 0, b: 0 };
    const a = await node((_request, response) => {
      asked.a += 1;
      if (asked.a === 2) sendJson(response, { timestamp: `${Date.now()}000000` });
    });
    const b = await node(() => void (asked.b += 1));
    const { witnesses } = await pollNodes(clientOf([a, b]), { asksAgain: true, timeoutMillis: 1000 });
    expect(witnesses.map(({ reachable }) => reachable)).toEqual([true, false]);
    expect(asked).toEqual({ a: 2, b: 2 });
  });

  test("takes a node that refuses us as unknown", async () => {
    const a = await node((_request, response) => void response.writeHead(403).end());
    expect((await clientOf([a]).assess()).nodes).toMatchObject([{ state: "unknown" }]);
  });

  test("takes a node that its own budget lets it ask too late as unknown", async () => {
    const a = await node((_request, response) => sendJson(response, { timestamp: `${Date.now()}000000` }));
    const limits = { requestsPerSecond: 1, burst: 1, reservedForWatchers: 0 };
    const api = clientOf([a], { limits });
    const options = { lane: "watchers", timeoutMillis: 200 } as const;
    expect((await pollNodes(api, options)).witnesses).toMatchObject([{ reachable: true }]);
    // The next one would have to wait for most of a second.
    expect((await pollNodes(api, options)).witnesses).toMatchObject([{ reachable: false, refused: true }]);
  });

  test("takes a node without a time yet as unknown", async () => {
    const a = await node((_request, response) => sendJson(response, { timestamp: "0" }));
    expect(await clientOf([a]).assess()).toMatchObject({
      network: "blind",
      nodes: [{ state: "unknown" }],
    });
  });
});

/** Lets time go on, a tenth of a second after another, until the promise has settled. */
async function elapse(clock: VirtualClock, promise: Promise<unknown>): Promise<void> {
  const settled = new AbortController();
  const settle = (): void => settled.abort();
  promise.then(settle, settle);
  while (!settled.signal.aborted) await clock.advance(100);
}
