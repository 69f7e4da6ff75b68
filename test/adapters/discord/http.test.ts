import { generateKeyPairSync } from "node:crypto";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { INTERACTIONS_PATH } from "../../../src/adapters/discord/transport/signature.ts";
import { MAX_WEBHOOK_BYTES } from "../../../src/adapters/web/limits.ts";
import { createLog } from "../../../src/log.ts";
import { Balancer } from "../../support/balancer.ts";
import type { Signing } from "../../support/fake-discord/endpoint.ts";
import { labelsOf, textOf } from "../../support/fake-discord/person.ts";
import { until } from "../../support/fake-discord/until.ts";
import { once } from "../../support/once.ts";
import { saying } from "../../support/said.ts";
import { probes } from "./probe-commands.ts";
import { stage, type Stage, type StageOptions } from "./stage.ts";
import { watchForRejections } from "./watch-for-rejections.ts";

// Interactions over HTTP, as Discord posts them: real requests to the console's server, signed here.

watchForRejections();

const timing = { backoffMillis: 20, failedMillis: 100, checkMillis: 30 };
const begin = (more: StageOptions = {}): Promise<Stage> =>
  stage({ http: true, simulated: false, extra: probes, timing, ...more });

/** Everything that people can do, and what each comes to. */
async function walk(on: Stage): Promise<unknown[]> {
  const [ann, bob] = [on.fake.person("Ann", { manages: true }), on.fake.person("Bob")];
  const at = (text: string): string => text.replaceAll(/<t:\d+:\w>|\d{15,}/gu, "…");
  const said: unknown[] = [];
  const say = (what: string, { last }: Awaited<ReturnType<typeof ann.run>>): void =>
    void said.push([what, at(textOf(last)), last.onlyFor !== undefined, labelsOf(last)]);
  const asked = await ann.run(on.channel, "probe buttons");
  say("a command", asked);
  say("a mistake", await ann.run(on.channel, "probe fail", { how: "caller" }));
  say("files", await ann.run(on.channel, "probe files", { count: 2 }));
  const completed = await ann.complete(on.channel, "probe complete", "word", "b");
  said.push(["completion", completed]);
  say("a press of the asker", await ann.press(asked.last, "Next"));
  say("a press of another", await bob.press(asked.last, "Next"));
  const markets = await ann.run(on.channel, "market list");
  const entry = labelsOf(markets.last).find((label) => label.includes("/")) ?? "";
  const picked = await ann.press(markets.last, entry);
  said.push(["a pick from a menu", entry !== "", picked.messages.length > 0]);
  const opened = await ann.press((await ann.run(on.channel, "alerts add")).last, "Change…");
  said.push(["a form", (opened.interaction.modal?.components ?? []).length]);
  const sent = await ann.submit(opened, { severity: "critical" });
  const [subscription] = await on.engine.subscriptions();
  said.push(["a form sent", sent.last.onlyFor !== undefined, subscription?.floor]);
  say("a command of a message", await bob.choose(asked.last, "Why this alert?"));
  return said;
}

/** What the same comes to over the gateway. */
const overGateway = once(async () => {
  await using on = await begin({ http: false });
  return await walk(on);
});

test("whatever people do comes to the same as over the gateway, which is not opened", async () => {
  await using http = await begin();
  const said = await walk(http);
  expect(said).toEqual(await overGateway());
  expect(said).toContainEqual(["a form sent", true, "critical"]);
  expect(http.fake.endpoint.statuses).toEqual(Array.from({ length: 12 }, () => 202));
  expect(http.fake.gateway.seen.identify).toBe(0);
  expect(http.fake.requests.filter(({ path }) => path.startsWith("/gateway"))).toEqual([]);
});

test("whatever people do comes to the same where each request reaches another of two processes", async () => {
  await using balancer = await Balancer.start();
  await using http = await begin();
  await http.twin();
  balancer.origins.push(...http.consoles.map(({ url }) => url));
  await http.fake.endpoint.save(balancer.origin + INTERACTIONS_PATH);
  const walked = await walk(http);
  expect(walked).toEqual(await overGateway());
  const [one = 0, other = 0] = balancer.handed.values();
  expect([Math.abs(one - other) <= 1, one > 5]).toEqual([true, true]);
});

const PING = JSON.stringify({ type: 1, id: "1", token: "t", version: 1 });
const COMMAND = JSON.stringify({ type: 2, id: "9", token: "t", data: { id: "1", type: 1, name: "time" } });
const secondsFromNow = (seconds: number): string => String(Math.floor(Date.now() / 1000) + seconds);

describe("the endpoint", () => {
  let on: Stage;
  let url: string;
  let endpoint: Stage["fake"]["endpoint"];
  beforeAll(async () => {
    on = await begin();
    ({ endpoint } = on.fake);
    url = endpoint.url ?? "";
  });
  afterAll(() => on[Symbol.asyncDispose]());

  /** The headers of a right request with one of them changed; undefined takes it away. */
  const changed =
    (name: string, change: (right: string) => string | undefined) =>
    (body: string): Record<string, string> => {
      const { [name]: right = "", ...rest } = endpoint.headers(body) as Record<string, string>;
      const value = change(right);
      return value === undefined ? rest : { ...rest, [name]: value };
    };
  const signedOtherwise = (signing: Signing) => (body: string) => endpoint.headers(body, signing);
  const signedAt =
    (seconds: number, form: (at: string) => string = (at) => at) =>
    (body: string) =>
      endpoint.headers(body, { timestamp: form(secondsFromNow(seconds)) });
  const SIGNATURE = "x-signature-ed25519";
  const TIMESTAMP = "x-signature-timestamp";
  const stranger = generateKeyPairSync("ed25519").privateKey;

  test.each<[string, (body: string) => Record<string, string>]>([
    ["another application's key", signedOtherwise({ key: stranger })],
    ["another body", signedOtherwise({ signed: "{}" })],
    ["no body", signedOtherwise({ signed: "" })],
    ["six minutes ago", signedAt(-360)],
    ["six minutes ahead", signedAt(360)],
    ["a timestamp that is none", signedOtherwise({ timestamp: "now" })],
    ["an empty timestamp", signedOtherwise({ timestamp: "" })],
    ["a timestamp in another form", signedAt(0, (at) => `${at}.0`)],
    ["nothing at all", () => ({})],
    ["no signature", changed(SIGNATURE, () => undefined)],
    ["no timestamp", changed(TIMESTAMP, () => undefined)],
    ["another timestamp", changed(TIMESTAMP, (right) => String(Number(right) - 1))],
    ["an empty signature", changed(SIGNATURE, () => "")],
    ["a signature cut short", changed(SIGNATURE, (right) => right.slice(2))],
    ["a signature with more behind it", changed(SIGNATURE, (right) => `${right}00`)],
    ["two signatures", changed(SIGNATURE, (right) => `${right}, ${right}`)],
    ["a signature in another notation", changed(SIGNATURE, (right) => Buffer.from(right, "hex").toString("base64"))],
    ["a signature of zeros", changed(SIGNATURE, () => "00".repeat(64))],
    [
      "a signature with one digit changed",
      changed(SIGNATURE, (right) => (right.startsWith("0") ? "1" : "0") + right.slice(1)),
    ],
  ])("refuses what is signed with %s", async (_what, headersOf) => {
    const answers = [PING, COMMAND].map((body) => fetch(url, { method: "POST", body, headers: headersOf(body) }));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([401, 401]);
    // The bot would have answered it at the callback.
    expect(on.fake.requests.filter(({ path }) => path.startsWith("/interactions"))).toEqual([]);
  });

  test("answers a ping at once, without a cookie, under any host name", async () => {
    const [served] = on.consoles;
    const headers = { ...endpoint.headers(PING), host: "balancer.example", origin: "https://balancer.example" };
    const answer = await served!.send(INTERACTIONS_PATH, { method: "POST", headers, body: PING });
    expect([answer.status, answer.json(), answer.headers["content-type"]]).toEqual([
      200,
      { type: 1 },
      "application/json",
    ]);
    expect(answer.headers["set-cookie"]).toBeUndefined();
  });

  test.each<[string, () => Promise<Response>, number]>([
    ["a look with a browser", () => fetch(url), 405],
    ["no JSON", () => endpoint.send(url, "{"), 400],
    ["nothing", () => endpoint.send(url, ""), 400],
    ["JSON that is no object", () => endpoint.send(url, "null"), 400],
    ["no interaction", () => endpoint.send(url, '{"type":2}'), 400],
    ["too much", () => endpoint.send(url, " ".repeat(MAX_WEBHOOK_BYTES + 1)), 413],
  ])("answers %s in its own way", async (_what, send, status) => {
    expect((await send()).status).toBe(status);
  });

  test("answers an interaction that is posted twice once", async () => {
    const ann = on.fake.person("Ann");
    const posts = on.fake.requests.length;
    const asked = await ann.run(on.channel, "probe buttons");
    const callbacks = on.fake.requests.slice(posts).filter(({ path }) => path.includes(asked.interaction.token)).length;
    await endpoint.repeat();
    await ann.run(on.channel, "probe fail", { how: "caller" });
    const again = on.fake.requests.filter(({ path }) => path.includes(asked.interaction.token)).length;
    expect([endpoint.statuses.slice(-3), again, ann.sees(on.channel).length]).toEqual([[202, 202, 202], callbacks, 2]);
  });
});

test("takes nothing while the bot stops", async () => {
  await using on = await begin();
  await on.adapter.stop();
  const answer = await on.fake.endpoint.send(on.fake.endpoint.url ?? "", PING);
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
});

test("logs refused signatures once a minute, and an endpoint that the portal does not name", async () => {
  const lines: Record<string, unknown>[] = [];
  const log = createLog("info", { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  await using on = await begin({ log, publicUrl: "https://bell.example" });
  const stranger = { key: generateKeyPairSync("ed25519").privateKey };
  for (let tries = 0; tries < 5; tries += 1) await on.fake.endpoint.send(on.fake.endpoint.url ?? "", PING, stranger);
  const named = (event: string) => lines.filter((line) => line["event"] === event);
  expect(named("signature refused")).toMatchObject([{ path: INTERACTIONS_PATH, refused: 1 }]);
  await until(() => named("interactions endpoint not entered").length === 2, "the warnings");
  const checks = (): number => on.fake.requests.filter(({ path }) => path === "/applications/@me").length;
  const before = checks();
  await until(() => checks() > before + 1, "further checks");
  expect(named("interactions endpoint not entered")).toMatchObject([
    { entered: "", wanted: "https://bell.example/discord/interactions" },
    { entered: on.fake.endpoint.url, wanted: "https://bell.example/discord/interactions" },
  ]);
});

describe("the health over HTTP", () => {
  test("tells of the key of another application", async () => {
    await using on = await begin({ publicKey: "ab".repeat(32), connect: false });
    on.fake.state.application = { verify_key: on.fake.endpoint.publicKey };
    await until(() => on.adapter.health.state === "failed", "the failure");
    expect(on.adapter.health.why).toMatch(saying("DISCORD_PUBLIC_KEY"));
  });

  test("goes down with Discord, and comes back with it", async () => {
    await using on = await begin();
    on.fake.offline = true;
    await until(() => on.adapter.health.state === "down", "the loss to be noticed");
    on.fake.offline = false;
    await until(() => on.adapter.health.state === "up", "the recovery");
    expect(textOf((await on.fake.person("Ann").run(on.channel, "probe buttons")).last)).toContain("Page 1");
  });
});
