import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { afterAll, expect, test } from "vitest";

import { createSandbox } from "../support/bellwether.ts";

// One server plays the nodes and both platforms, and says nothing but secrets: each one in each form that is usual.

const secrets = {
  discord: "dIsc0rd+token/with=signs",
  bot: "xoxb-0123456789-planted",
  app: "xapp-0123456789-planted",
  signing: "signing&secret<planted>",
  web: "web-token-that-is-planted",
  node: "n0de-passw0rd",
  key: "query-key-planted",
  deadman: "dead-man-planted-uuid",
};
const base64 = Buffer.alloc(32, "planted-secret-key").toString("base64");

const forms = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
  ...["", "a", "ab"].map((before) => Buffer.from(`${before}${secret}`).toString("base64").slice(4, 12)),
];
const planted = [...Object.values(secrets), base64].flatMap(forms);
const echo = [...Object.values(secrets), base64]
  .flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    ...["", "a", "ab"].map((before) => Buffer.from(`${before}${secret}`).toString("base64")),
  ])
  .join(" ");

const sandbox = createSandbox();
const requests: string[] = [];
const server = createServer((request, response) => {
  requests.push(request.url ?? "");
  const json = (status: number, body: object): void => {
    response.writeHead(status, echo.replaceAll(/[^ -~]/gu, ""), { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  };
  if (request.url?.includes("/info") === true) return json(200, { version: echo, commitHash: echo });
  if (request.url?.includes("/time") === true) return json(200, { timestamp: `${Date.now()}000000` });
  if (request.url?.includes("auth.test") === true)
    return json(200, { ok: true, team: echo, user_id: "U1", bot_id: "B1" });
  return json(401, { ok: false, error: echo, message: echo, code: 0, details: [{ message: echo }] });
});
afterAll(async () => {
  await sandbox.cleanUp();
  server.close();
});

test("what nodes and platforms repeat stands nowhere: not in replies, probes, the log or the database", async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const running = sandbox.run(["start"], {
    MAINNET_URLS: `http://reader:${secrets.node}@${host}/?key=${secrets.key}`,
    DISCORD_TOKEN: secrets.discord,
    DISCORD_API_URL: `http://${host}/api`,
    SLACK_BOT_TOKEN: secrets.bot,
    SLACK_APP_TOKEN: secrets.app,
    SLACK_SIGNING_SECRET: secrets.signing,
    SLACK_API_URL: `http://${host}/api/`,
    SECRET_KEY: base64,
    WEB_TOKEN: secrets.web,
    DEADMAN_URL: `http://${host}/${secrets.deadman}`,
    OPERATOR_CHANNEL: "slack:C0123456789",
    LOG_LEVEL: "trace",
  });
  const [url] = await running.printed(/http:\/\/127\.0\.0\.1:\d+\//u);
  const get = async (route: string, body?: object): Promise<string> => {
    const headers = { authorization: `Bearer ${secrets.web}`, "content-type": "application/json" };
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    return (await fetch(new URL(route, url), { headers, ...sent })).text();
  };
  for (const part of ["/api/v2/info", "/time", "gateway", "auth.test"]) {
    while (!requests.some((one) => one.includes(part))) {
      if (part === "/api/v2/info") await get("/api/invocations", { text: "info" });
      await sleep(20);
    }
  }
  const seen: Record<string, string> = {};
  for (const text of ["info", "time", "market list", "asset list", "alerts status", "alerts log", "help"]) {
    seen[text] = await get("/api/invocations", { text });
  }
  for (const route of ["/readyz", "/metrics", "/api/console", "/api/watch"]) seen[route] = await get(route);
  expect(seen["info"]).toContain("…");
  expect(seen["/readyz"]).toContain("discord");
  const { stdout, stderr } = await running.kill("SIGTERM");
  const data = path.join(sandbox.folder, "data");
  const database = readdirSync(data).filter((name) => name.startsWith("bellwether.db") && !name.endsWith(".sock"));
  const left = database.map((name) => readFileSync(path.join(data, name), "latin1")).join("");
  for (const [place, text] of Object.entries({ ...seen, stdout, stderr, database: left })) {
    expect([place, planted.filter((one) => text.includes(one))]).toEqual([place, []]);
  }
});
