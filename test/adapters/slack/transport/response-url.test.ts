import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { describe, expect, test } from "vitest";

import {
  ResponseUnreached,
  ResponseUrl,
  ResponseUrlExpired,
} from "../../../../src/adapters/slack/transport/response-url.ts";

const MINUTE = 60_000;
const { signal } = new AbortController();
const body = { text: "x" };

/** An address where nothing listens any more. */
async function nowhere(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/`;
}

describe("a response_url", () => {
  test("loses no use by calls that never reached Slack", async () => {
    const url = new ResponseUrl({ url: await nowhere(), since: 0, used: 2 }, { now: () => 0, signal });
    await expect(url.post(body)).rejects.toThrow(ResponseUnreached);
    expect(url.left).toBe(3);
  });

  test.each([
    ["at first", 0, 0, 5],
    ["used before", MINUTE, 4, 1],
    ["used up", MINUTE, 5, 0],
    ["shortly before half an hour", 29 * MINUTE, 0, 5],
    ["too late to arrive within it", 30 * MINUTE - 15_000, 0, 0],
    ["after it", 31 * MINUTE, 0, 0],
  ])("%s", async (_name, now, used, left) => {
    const url = new ResponseUrl({ url: await nowhere(), since: 0, used }, { now: () => now, signal });
    expect(url.left).toBe(left);
    await expect(url.post(body)).rejects.toThrow(left === 0 ? ResponseUrlExpired : ResponseUnreached);
  });

  test.each([
    [500, {}, "internal_error", "500", undefined, 4],
    [503, {}, '{"ok":false,"error":"invalid_blocks"}', "503", undefined, 4],
    [429, { "retry-after": "7" }, "ratelimited", "429", 7000, 5],
    [429, {}, "no", "429", 5000, 5],
    [400, {}, "invalid_blocks", "invalid_blocks", undefined, 4],
  ])("answered with %i %j %s", async (status, headers, said, code, retryAfterMillis, left) => {
    const server = createServer((_request, response) => void response.writeHead(status, headers).end(said));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const url = new ResponseUrl({ url: `http://127.0.0.1:${port}/`, since: 0, used: 0 }, { now: () => 0, signal });
    await expect(url.post(body)).rejects.toMatchObject({ name: "ResponseRefused", code, retryAfterMillis });
    expect(url.left).toBe(left);
    server.closeAllConnections();
    server.close();
  });
});
