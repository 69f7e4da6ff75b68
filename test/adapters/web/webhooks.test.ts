import { expect, test } from "vitest";

import type { Webhook } from "../../../src/adapters/webhook.ts";
import { MAX_WEBHOOK_BYTES, MAX_WEBHOOK_REQUESTS } from "../../../src/adapters/web/limits.ts";
import type { HttpSample } from "../../../src/adapters/web/index.ts";
import { until } from "../../support/fake-discord/until.ts";
import { echoBot, startConsole } from "./harness.ts";

// What the server does for any platform's requests; what each platform says is tested with its adapter.

const PATH = "/some/hook";
const webhook = (handle: Webhook["handle"]): Webhook => ({ path: PATH, handle });
const TOKEN = "a-token-of-twenty-four-chars";

test("hands over the bytes and the headers as they came, and answers what it is told, without sign-in", async () => {
  const seen: unknown[] = [];
  const hook = webhook(async (request) => {
    const { body } = request;
    seen.push([Buffer.from(body).toString("hex"), request.header("x-some-signature"), request.header("x-none")]);
    return { status: 202, headers: { "X-More": "1" }, body: "yes" };
  });
  await using harness = await startConsole(echoBot(), { webhooks: [hook], token: TOKEN });
  const headers = { "X-Some-Signature": "s", host: "elsewhere.example", origin: "https://elsewhere.example" };
  const answer = await harness.send(PATH, { method: "POST", headers, body: Buffer.from("00ff c3", "latin1") });
  expect([answer.status, answer.body, answer.headers["x-more"], answer.headers["set-cookie"]]).toEqual([
    202,
    "yes",
    "1",
    undefined,
  ]);
  expect(seen).toEqual([[Buffer.from("00ff c3", "latin1").toString("hex"), "s", undefined]]);
});

test("counts each by its path and status", async () => {
  const samples: HttpSample[] = [];
  const statuses = [202, 401] as const;
  let next = 0;
  const hook = webhook(async () => ({ status: statuses[next++] ?? 200 }));
  await using harness = await startConsole(echoBot(), { webhooks: [hook], onRequest: (one) => samples.push(one) });
  for (const _ of statuses) await harness.send(PATH, { method: "POST" });
  await harness.send(PATH);
  expect(samples.map(({ method, route, status }) => [method, route, status])).toEqual([
    ["POST", PATH, 202],
    ["POST", PATH, 401],
    ["GET", PATH, 405],
  ]);
});

test("refuses a body that is too long, whether or not it says so", async () => {
  let handled = 0;
  const hook = webhook(async () => {
    handled += 1;
    return { status: 200 };
  });
  await using harness = await startConsole(echoBot(), { webhooks: [hook] });
  const body = Buffer.alloc(MAX_WEBHOOK_BYTES + 1);
  const said = await harness.send(PATH, { method: "POST", body });
  const chunked = await harness.send(PATH, { method: "POST", headers: { "transfer-encoding": "chunked" }, body });
  expect([said.status, chunked.status, handled]).toEqual([413, 413, 0]);
});

test("answers 503 where the platform's own limit of 3 s is over, and where too many are under way", async () => {
  let running = 0;
  const released = Promise.withResolvers<void>();
  const hook = webhook(async () => {
    running += 1;
    await released.promise;
    return { status: 200 };
  });
  await using harness = await startConsole(echoBot(), { webhooks: [hook] });
  const held = Array.from({ length: MAX_WEBHOOK_REQUESTS }, () => harness.send(PATH, { method: "POST" }));
  await until(() => running === MAX_WEBHOOK_REQUESTS, "all to be under way");
  const refused = await harness.send(PATH, { method: "POST" });
  expect([refused.status, refused.headers["retry-after"], running]).toEqual([503, "1", MAX_WEBHOOK_REQUESTS]);
  // Those that take too long give their places back.
  const first = await Promise.race(held);
  expect([first.status, first.headers["retry-after"]]).toEqual([503, "1"]);
  await Promise.all(held);
  released.resolve();
  expect((await harness.send(PATH, { method: "POST" })).status).toBe(200);
});

test("a bug in an adapter is answered with 500, and harms no other request", async () => {
  let first = true;
  const hook = webhook(async () => {
    if (!first) return { status: 200 };
    first = false;
    throw new Error("a bug");
  });
  await using harness = await startConsole(echoBot(), { webhooks: [hook] });
  const answers = [await harness.send(PATH, { method: "POST" }), await harness.send(PATH, { method: "POST" })];
  expect(answers.map(({ status }) => status)).toEqual([500, 200]);
});
