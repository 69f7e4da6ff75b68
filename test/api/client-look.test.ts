import { describe, expect, test } from "vitest";

import { clientOf, deadUrl, name, node } from "./client-under-test.ts";
import { sendJson } from "./serve-wire.ts";
import { VirtualClock } from "./virtual-clock.ts";

describe("a look", () => {
  test("asks every node, and remembers what it saw", async () => {
    const clock = new VirtualClock();
    const a = await node((_request, response) =>
      sendJson(
        response,
        { timestamp: String(clock.wallClock() - 1_000_000_000n) },
        { headers: { "X-Block-Height": "17" } },
      ),
    );
    const dead = await deadUrl();
    const api = clientOf([a, dead], { clock });
    const first = await api.look();
    expect(first).toMatchObject({ network: "healthy", basis: "age", ageMillis: 1000 });
    expect(first.nodes).toMatchObject([
      { node: name(a), state: "ok", height: 17n },
      { state: "down", why: "refused the connection" },
    ]);
    await clock.advance(5000);
    expect(await api.look({ fresh: true })).toMatchObject({ network: "healthy", basis: "advance" });
  });

  test("takes a node that is too slow as not reachable, and leaves with its caller", async () => {
    const a = await node(() => undefined);
    const api = clientOf([a]);
    expect((await api.look({ timeoutMillis: 30 })).nodes).toMatchObject([
      { state: "down", why: "did not answer within 30 ms" },
    ]);
    const leaver = new AbortController();
    const look = api.look({ signal: leaver.signal });
    leaver.abort(new Error("left"));
    await expect(look).rejects.toThrow("left");
  });

  test("takes a node that refuses us as unknown", async () => {
    const a = await node((_request, response) => void response.writeHead(403).end());
    expect((await clientOf([a]).look()).nodes).toMatchObject([{ state: "unknown" }]);
  });

  test("takes a node without a time yet as unknown", async () => {
    const a = await node((_request, response) => sendJson(response, { timestamp: "0" }));
    expect(await clientOf([a]).look()).toMatchObject({ network: "blind", nodes: [{ state: "unknown" }] });
  });
});
