import { describe, expect, test } from "vitest";

import type { ApiClient } from "../../src/api/api-client.ts";
import { BODY_BYTES } from "../../src/api/limits.ts";
import { clientOf, node, outcome } from "./client-under-test.ts";

const ID = "ab".repeat(32);
const page = '{"edges":[],"pageInfo":{}}';

const operations: [keyof typeof BODY_BYTES, string, (api: ApiClient) => Promise<unknown>][] = [
  ["networkTime", '"timestamp":"1"', (api) => api.getNetworkTime()],
  ["nodeInfo", '"version":"v"', (api) => api.getNodeInfo()],
  ["order", '"order":{}', (api) => api.getOrder(ID)],
  ["bundle", '"signatures":""', (api) => api.getListAssetBundle(ID)],
  ["bundle", '"signatures":""', (api) => api.getAssetLimitsBundle(ID)],
  ["page", `"checkpoints":${page}`, (api) => api.getCheckpoints()],
  ["page", `"coreSnapshots":${page}`, (api) => api.getSnapshots()],
  ["page", `"keyRotations":${page}`, (api) => api.getKeyRotations()],
];

describe("the most bytes of an answer", () => {
  test.each(operations)("%s: %s", async (kind, member, ask) => {
    let bytes = BODY_BYTES[kind];
    const a = await node((_request, response) => {
      const body = `{${member},"later":""}`;
      response.end(`{${member},"later":"${"x".repeat(bytes - body.length)}"}`);
    });
    await ask(clientOf([a], { cache: false }));
    bytes += 1;
    const error = await outcome(ask(clientOf([a], { cache: false })));
    expect(error).toMatchObject({ kind: "unreadable" });
    expect(error.message).toMatch(/\b[\d.]+ [kM]B\b/u);
  });

  test("of an error the first 64 KiB are read, and the rest is not waited for", async () => {
    const a = await node((_request, response) => {
      response.writeHead(503, { "Content-Type": "text/plain", "Content-Length": "1000000000" });
      response.write(`too busy ${"x".repeat(BODY_BYTES.error)}`);
    });
    const error = await outcome(clientOf([a], { limits: { callMillis: 60_000, tryMillis: 60_000 } }).getNodeInfo());
    expect(error).toMatchObject({ kind: "server", httpStatus: 503 });
    expect(error.nodeMessage).toMatch(/^too busy x/u);
  });

  test("a byte order mark before an answer is taken", async () => {
    const a = await node((_request, response) => void response.end('\uFEFF{"version":"v0.71.6"}'));
    expect((await clientOf([a]).getNodeInfo()).value.version).toBe("v0.71.6");
  });
});
