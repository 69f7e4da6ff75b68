import { describe, expect, test } from "vitest";

import { rawChunk, LAST_CHUNK, rawHead, rawNode } from "../../support/raw-node.ts";
import { talk } from "../../support/talk.ts";
import { clientOf, node, outcome } from "../client-under-test.ts";
import { sendJson } from "../serve-wire.ts";

// Sentences about a node's failure: no secret of the base URL, no code of a library.

const SECRETS = ["operator-7", "pa&ss<w>ord", "tok/en=1"];

describe("a secret that a node repeats is hidden, wherever the text is cut", () => {
  const withSecrets = (url: string): string => {
    const secret = new URL(url);
    [secret.username, secret.password] = [SECRETS[0]!, encodeURIComponent(SECRETS[1]!)];
    secret.searchParams.set("key", SECRETS[2]!);
    return secret.href;
  };
  const html = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

  test.each<[string, (secret: string) => string | object]>([
    ["a message", (secret) => ({ code: 13, message: secret })],
    ["a detail", (secret) => ({ code: 13, message: "x", details: [{ message: secret, inner: secret }] })],
    ["a page's title", (secret) => `<html><title>${html(secret)}</title>`],
    ["plain text", (secret) => secret],
    ["JSON that breaks off", (secret) => `{"message":${JSON.stringify(secret)}`],
  ])("%s", async (_name, body) => {
    let text = "";
    const a = await node((_request, response) => {
      const said = body(text);
      if (typeof said === "string") response.writeHead(500).end(said);
      else sendJson(response, said, { status: 500 });
    });
    for (const secret of SECRETS) {
      for (const before of [0, 280, 292, 295, 299]) {
        text = `${"x".repeat(before)}${secret} and more`;
        const api = clientOf([withSecrets(a.url)], { cache: false, limits: { callMillis: 300 } });
        const { message, nodeMessage = "", innerWords = "" } = await outcome(api.getNodeInfo());
        for (const said of [message, nodeMessage, innerWords]) {
          expect(said).not.toContain(secret.slice(0, 4));
          expect(said).not.toContain(html(secret).slice(0, 4));
        }
      }
    }
  });
});

test.each([
  ["a number beyond all numbers", '{"marketsData":1e999}', "expected a list, not a number at marketsData"],
  ["a list", "[]", "expected an object, not a list at the top"],
  ["null", "null", "expected an object, not null at the top"],
  ["a text", '{"marketsData":["x"]}', "expected an object, not a string at marketsData[0]"],
])("%s instead of an answer is named in plain words", async (_name, body, words) => {
  const a = await node((_request, response) => void response.end(body));
  const { message } = await outcome(clientOf([a]).getMarketsData());
  expect(message).toContain(words);
});

test("a fault of the connection is said without a library's code", async () => {
  await using a = await rawNode((_head, socket) =>
    socket.end("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
  );
  const { message } = await outcome(clientOf([a.url]).getNodeInfo());
  expect(message).not.toMatch(/[A-Z]{2,}_[A-Z_]+|\bE[A-Z]{4,}\b/u);
});

test.each([1, 7, 1000])("100 Continue before an answer is taken, in pieces of %s bytes", async (size) => {
  await using a = await rawNode((head, socket) => {
    const body = head.includes("ledgerentry")
      ? "asset_id,account_from_party_id,account_to_party_id\n"
      : '{"version":"v0.71.6"}';
    const wire = Buffer.concat([
      Buffer.from("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\nVia: proxy\r\n\r\n"),
      Buffer.from(rawHead("HTTP/1.1 200 OK", ["Transfer-Encoding: chunked"])),
      rawChunk(Buffer.from(body)),
      LAST_CHUNK,
    ]);
    void (async () => {
      socket.setNoDelay(true);
      for (let at = 0; at < wire.length; at += size) {
        socket.write(wire.subarray(at, at + size));
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
  });
  const api = clientOf([a.url], { cache: false });
  for (let count = 0; count < 3; count += 1) expect((await api.getNodeInfo()).value.version).toBe("v0.71.6");
  const stream = await api.exportLedger({ partyId: "a", assetId: "b" });
  const parts: string[] = [];
  await stream.consume((part) => void parts.push(part.toString()));
  expect(parts.join("")).toBe("asset_id,account_from_party_id,account_to_party_id\n");
});

test("an unknown field nested 100,000 deep is shown as far as it can be", async () => {
  const ID = "ab".repeat(32);
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const bodies: Record<string, string> = {
    "/api/v2/markets/data": `{"marketsData":[{"market":"${ID}","later":${deep}}]}`,
    "/api/v2/erc20/asset/list/bundle": `{"signatures":"","later":${deep}}`,
    "/api/v2/erc20/asset/limits/bundle": `{"signatures":"","later":${deep}}`,
    [`/api/v2/order/${ID}`]: `{"order":{"id":"${ID}","later":${deep}}}`,
  };
  const a = await node((request, response) => {
    const body = bodies[new URL(request.url ?? "", "http://x").pathname];
    if (body === undefined) sendJson(response, { code: 5, message: "Not Found", details: [] }, { status: 404 });
    else response.end(body);
  });
  await using conversation = await talk({ networks: { mainnet: [a.url] } });
  for (const line of [`market show ${ID}`, `bundle list-asset ${ID}`, `bundle asset-limits ${ID}`, `order ${ID}`]) {
    await conversation.ask(line);
    expect.soft(conversation.lastReply.failure, line).toBeUndefined();
  }
});
