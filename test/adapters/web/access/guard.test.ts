import { describe, expect, test } from "vitest";

import { MAX_BODY_BYTES } from "../../../../src/adapters/web/limits.ts";
import { saying } from "../../../support/said.ts";
import { echoBot, startConsole } from "../harness.ts";

const TOKEN = "a-token-of-twenty-four-chars";
const body = JSON.stringify({ text: "time" });

describe("every answer carries the headers that keep a browser safe", () => {
  test.each([
    "/",
    "/page/console.js",
    "/page/none.js",
    "/api/console",
    "/healthz",
    "/login",
    "/nothing",
    "/api/files/x",
  ])("%s", async (path) => {
    await using harness = await startConsole(echoBot(), { token: TOKEN });
    const { headers } = await harness.send(path);
    const policy = headers["content-security-policy"];
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'self'",
      "require-trusted-types-for 'script'",
    ]) {
      expect(policy).toContain(rule);
    }
    expect(policy).not.toContain("unsafe");
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "same-origin",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "x-frame-options": "DENY",
    });
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  });
});

describe("requests from foreign pages are refused", () => {
  const own = (port: number): string => `http://127.0.0.1:${port}`;
  const json = { "content-type": "application/json" };

  test.each<[string, (port: number) => Record<string, string>, number]>([
    ["a program", () => json, 200],
    ["the page itself", (port) => ({ ...json, origin: own(port), "sec-fetch-site": "same-origin" }), 200],
    ["a page elsewhere", () => ({ ...json, origin: "https://evil.example" }), 403],
    ["a page on another port", (port) => ({ ...json, origin: own(port + 1), "sec-fetch-site": "same-site" }), 403],
    ["a page without an origin", () => ({ ...json, origin: "null" }), 403],
    ["a page that hides its origin", () => ({ ...json, "sec-fetch-site": "cross-site" }), 403],
    ["another port that hides its origin", () => ({ ...json, "sec-fetch-site": "same-site" }), 403],
    ["a name of somebody else", (port) => ({ ...json, host: `evil.example:${port}` }), 421],
    [
      "a name of somebody else, consistently",
      (port) => ({ ...json, host: `evil.example:${port}`, origin: `http://evil.example:${port}` }),
      421,
    ],
    ["a form", () => ({ "content-type": "application/x-www-form-urlencoded" }), 415],
    ["a simple request", () => ({ "content-type": "text/plain" }), 415],
    ["no type at all", () => ({}), 415],
    ["a type that only looks like JSON", () => ({ "content-type": "application/jsonx" }), 415],
    ["JSON with a character set", () => ({ "content-type": "application/json; charset=utf-8" }), 200],
  ])("%s", async (_who, headers, status) => {
    const bot = echoBot();
    await using harness = await startConsole(bot);
    const answer = await harness.send("/api/invocations", { method: "POST", headers: headers(harness.port), body });
    expect(answer.status).toBe(status);
    expect(bot.asked).toHaveLength(status === 200 ? 1 : 0);
    // A refusal gives its reason, in a sentence.
    expect(answer.body).toMatch(status === 200 ? /^\{"tone"/u : /^\{"error":"[A-Z].*[.…]"\}$/u);
  });

  test("no preflight is ever granted", async () => {
    await using harness = await startConsole(echoBot());
    const answer = await harness.send("/api/invocations", {
      method: "OPTIONS",
      headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
    });
    expect(answer.status).toBe(403);
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
  });

  test.each<[string, string, Record<string, string>, number]>([
    ["following a link to the page", "/", { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }, 200],
    ["framing the page", "/", { "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" }, 403],
    ["loading a script", "/page/console.js", { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script" }, 403],
    ["following a link to a file", "/api/files/x", { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }, 403],
    ["reading metrics", "/metrics", { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "empty" }, 403],
  ])("%s from another site", async (_what, path, headers, status) => {
    await using harness = await startConsole(echoBot());
    const answer = await harness.send(path, { headers: { "sec-fetch-site": "cross-site", ...headers } });
    expect(answer.status).toBe(status);
  });

  test("the token opens it under any name: no page elsewhere knows it", async () => {
    await using harness = await startConsole(echoBot(), { token: TOKEN });
    const headers = { host: "bellwether:8080", authorization: `Bearer ${TOKEN}` };
    expect((await harness.send("/metrics", { headers })).status).toBe(200);
    expect((await harness.send("/metrics", { headers: { host: "bellwether:8080" } })).status).toBe(421);
    expect((await harness.send("/healthz", { headers: { host: "bellwether:8080" } })).status).toBe(200);
  });
});

describe("a request without a length is answered like any other", () => {
  const headers = { "content-type": "application/json", "transfer-encoding": "chunked" };

  test("asking and completing", async () => {
    const bot = echoBot();
    await using harness = await startConsole(bot);
    const asked = await harness.send("/api/invocations", { method: "POST", headers, body });
    expect([asked.status, bot.asked]).toMatchObject([200, [{ line: "time" }]]);
    const completed = await harness.send("/api/completions", { method: "POST", headers, body: '{"text":"market"}' });
    expect([completed.status, completed.json()]).toMatchObject([200, { lines: ["market list", "market show "] }]);
  });

  test("signing in", async () => {
    await using harness = await startConsole(echoBot(), { token: TOKEN });
    const form = { "content-type": "application/x-www-form-urlencoded", "transfer-encoding": "chunked" };
    const send = (given: string) => harness.send("/login", { method: "POST", headers: form, body: given });
    expect((await send(`token=${TOKEN}`)).status).toBe(303);
    expect((await send(`token=${"x".repeat(5000)}`)).status).toBe(413);
  });

  test.each<[string, string, number]>([
    ["POST", "/api/invocations", 400],
    ["OPTIONS", "/api/alerts", 404],
    ["PROPFIND", "/api/alerts", 404],
    ["TRACE", "/api/alerts", 404],
  ])("%s %s without a body", async (method, path, status) => {
    await using harness = await startConsole(echoBot());
    const answer = await harness.send(path, { method, headers });
    expect(answer.status).toBe(status);
    const bare = await harness.send(path, { method, headers: { "content-type": "application/json" } });
    expect(bare.status).toBe(status);
  });
});

test("a body beyond its bound is refused, with or without a length", async () => {
  const bot = echoBot();
  await using harness = await startConsole(bot);
  const large = JSON.stringify({ text: "x".repeat(MAX_BODY_BYTES) });
  const headers = { "content-type": "application/json" };
  const sized = await harness.send("/api/invocations", { method: "POST", headers, body: large });
  const chunked = await harness.send("/api/invocations", {
    method: "POST",
    headers: { ...headers, "transfer-encoding": "chunked" },
    body: large,
  });
  for (const answer of [sized, chunked]) {
    expect(answer.status).toBe(413);
    expect(answer.json()).toEqual({ error: expect.stringMatching(saying("64 KiB")) });
  }
  expect(bot.asked).toHaveLength(0);
});

test.each([
  "/page/../index.ts",
  "/page/..%2f..%2findex.ts",
  "/page/tsconfig.json",
  "/page/%00",
  "/page/.",
  "/page//etc/passwd",
])("%s names no file", async (path) => {
  await using harness = await startConsole(echoBot());
  const answer = await harness.send(path);
  expect(answer.status).toBe(404);
});
