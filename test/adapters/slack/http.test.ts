import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { commands } from "../../../commands/index.ts";
import { slackManifest } from "../../../src/adapters/slack/manifest.ts";
import { EVENTS_PATH } from "../../../src/adapters/slack/transport/signature.ts";
import { MAX_WEBHOOK_BYTES } from "../../../src/adapters/web/limits.ts";
import type { AnyCommand } from "../../../src/bot/command.ts";
import { createLog } from "../../../src/log.ts";
import { reply } from "../../../src/reply/reply.ts";
import { Balancer } from "../../support/balancer.ts";
import { until } from "../../support/fake-discord/until.ts";
import type { Signing } from "../../support/fake-slack/endpoint.ts";
import { type Dialog, labelsOf } from "../../support/fake-slack/person.ts";
import type { Envelope } from "../../support/fake-slack/sockets.ts";
import { once } from "../../support/once.ts";
import { saying } from "../../support/said.ts";
import { probe } from "./probe-commands.ts";
import { said } from "./shown.ts";
import { stage, type Stage, type StageOptions } from "./stage.ts";

// Requests over HTTP, as Slack posts them: real requests to the console's server, signed here.

const begin = (more: StageOptions = {}): Promise<Stage> => stage({ http: true, extra: [pages], ...more });

/** An answer that is the same at any time, with a button. */
const pages: AnyCommand = {
  ...probe("probe pages", ({ options: { page = 1 } }) => {
    const next = { command: "probe pages", options: { page: Number(page) + 1 } };
    const actions = [{ label: "Next", invocation: next, effect: "replace" as const }];
    return Promise.resolve(reply({ title: `Page ${Number(page)}`, actions }));
  }),
  options: { page: { kind: "integer", description: "Page", min: 1, max: 99 } },
};

/** Everything that people can do, and what each comes to. */
async function walk(scene: Stage): Promise<unknown[]> {
  const { channel, fake } = scene;
  const ann = fake.person("ann");
  const seen: unknown[] = [];
  const plain = (words: string): string =>
    words.replaceAll(/<!date\^[^>]*>|\d{4}-\d\d-\d\d [\d:]+|[UCDT]\d{4,}/gu, "…");
  const say = (what: string, { last }: Dialog): void =>
    void seen.push([what, plain(said(last)), last.onlyFor !== undefined, labelsOf(last.blocks)]);
  const acknowledged = (envelope: Envelope): Promise<void> =>
    until(() => envelope.acknowledgedAfter !== undefined, `the acknowledgement of ${envelope.type}`);
  const asked = await ann.run(channel, "probe pages");
  say("a command", asked);
  say("a mistake", await ann.run(channel, "markt lsit"));
  say("a press", await ann.press(asked.last, "Next"));
  say("another press", await ann.press(asked.last, "Share"));
  const bare = ann.type(channel, "market show");
  const form = await ann.form();
  const offered = await ann.complete(form, "market", "b");
  seen.push(["options", offered]);
  seen.push(["a form with an error", await ann.submit(form, { market: "no such market" })]);
  seen.push(["a form sent", await ann.submit(form, { market: offered[0] ?? "" })]);
  await bare.answered();
  const shared = fake.state.messages.find(({ onlyFor }) => onlyFor === undefined)!;
  const why = ann.shortcut("Why this alert?", shared);
  await why.answered();
  say("a shortcut of a message", why);
  ann.shortcut("Ask Bellwether");
  seen.push(["a global shortcut", await ann.submit(await ann.form(), { "ask:line": "help" })]);
  seen.push(["its answer", plain(said(await ann.answerInView())).length > 0]);
  const mention = ann.mention(channel, "probe pages private:yes", "1.000001");
  await until(() => ann.sees(channel).some(({ thread, onlyFor }) => thread === "1.000001" && onlyFor === ann.id), "it");
  const home = await ann.openHome();
  seen.push(["the home tab", labelsOf(home.blocks)]);
  const pressed = ann.pressAtHome(home, "Help");
  await Promise.all([acknowledged(mention), acknowledged(pressed)]);
  const gone = ann.event({ type: "tokens_revoked", tokens: { bot: ["UBOT1"] } });
  await acknowledged(gone);
  return seen;
}

/** What the same comes to over Socket Mode. */
const overSockets = once(async () => {
  await using scene = await begin({ http: false });
  return await walk(scene);
});

test("whatever people do comes to the same as over Socket Mode, of which no socket is opened", async () => {
  await using http = await begin();
  const seen = await walk(http);
  expect(seen).toEqual(await overSockets());
  expect([http.fake.sockets.opened, http.fake.begun.includes("apps.connections.open")]).toEqual([0, false]);
  const { envelopes } = http.fake.sockets;
  // Whatever stands in the response to a command would be posted as a message.
  expect(envelopes.filter(({ type, answer }) => type !== "interactive" && answer !== undefined)).toEqual([]);
});

test("whatever people do comes to the same where each request reaches another of two processes", async () => {
  await using balancer = await Balancer.start();
  await using http = await begin({ live: () => 2 });
  await http.twin();
  balancer.origins.push(...http.consoles.map(({ url }) => url));
  http.fake.state.manifest = slackManifest(commands, "/bell", { endpoint: balancer.origin + EVENTS_PATH });
  await http.fake.endpoint.verify();
  const walked = await walk(http);
  expect(walked).toEqual(await overSockets());
  const [one = 0, other = 0] = balancer.handed.values();
  expect([Math.abs(one - other) <= 1, one > 5]).toEqual([true, true]);
});

const CHALLENGE = JSON.stringify({
  type: "url_verification",
  token: "t",
  challenge: "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmd",
});
const COMMAND = "command=%2Fbell&text=time&user_id=U1&team_id=T1&channel_id=C1&trigger_id=1.2";
const secondsFromNow = (seconds: number): string => String(Math.floor(Date.now() / 1000) + seconds);

describe("the endpoint", () => {
  let scene: Stage;
  let url: string;
  let endpoint: Stage["fake"]["endpoint"];
  beforeAll(async () => {
    scene = await begin();
    ({ endpoint } = scene.fake);
    url = scene.fake.state.manifest.settings.event_subscriptions.request_url ?? "";
  });
  afterAll(() => scene[Symbol.asyncDispose]());

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
  const SIGNATURE = "x-slack-signature";
  const TIMESTAMP = "x-slack-request-timestamp";

  test.each<[string, (body: string) => Record<string, string>]>([
    ["another secret", signedOtherwise({ secret: "0".repeat(32) })],
    ["an empty secret", signedOtherwise({ secret: "" })],
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
    ["a version alone", changed(SIGNATURE, () => "v0=")],
    ["no version", changed(SIGNATURE, (right) => right.slice(3))],
    ["another version", changed(SIGNATURE, (right) => right.replace("v0", "v1"))],
    ["a signature cut short", changed(SIGNATURE, (right) => right.slice(0, -1))],
    ["a signature with more behind it", changed(SIGNATURE, (right) => `${right}0`)],
    ["a signature of zeros", changed(SIGNATURE, () => `v0=${"0".repeat(64)}`)],
    ["letters that only look like its own", changed(SIGNATURE, (right) => right.replace(/.$/u, "\u00e9"))],
    [
      "a signature with one digit changed",
      changed(SIGNATURE, (right) => right.replace(/.$/u, (last) => (last === "0" ? "1" : "0"))),
    ],
  ])("refuses what is signed with %s", async (_what, headersOf) => {
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const sent = [
      fetch(url, { method: "POST", body: CHALLENGE, headers: headersOf(CHALLENGE) }),
      fetch(url, { method: "POST", body: COMMAND, headers: { ...headersOf(COMMAND), ...form } }),
    ];
    const answers = await Promise.all(sent);
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
    expect(await answers[0]!.text()).toBe("");
    // The bot would have answered it.
    expect(scene.fake.requests.filter(({ method }) => method !== "auth.test")).toEqual([]);
  });

  test.each<[string, () => Promise<Response>, number, unknown]>([
    [
      "a check of the certificate, which is not signed",
      () =>
        fetch(url, {
          method: "POST",
          body: "token=gIkuvaNzQIHg97ATvDxqgjtO&ssl_check=1",
          headers: { "content-type": "application/x-www-form-urlencoded" },
        }),
      200,
      "",
    ],
    ["a challenge", () => endpoint.send(url, CHALLENGE), 200, '{"challenge":"3eZbrw1aBm2rZgRNFdxV2595E9CY3gmd"}'],
    ["a look with a browser", () => fetch(url), 405, expect.any(String)],
    ["no JSON", () => endpoint.send(url, "{"), 400, ""],
    ["JSON that is no object", () => endpoint.send(url, "[]"), 400, ""],
    [
      "a form without anything",
      () => endpoint.send(url, "a=b", {}, { "content-type": "application/x-www-form-urlencoded; charset=utf-8" }),
      400,
      "",
    ],
    [
      "a payload that is no JSON",
      () => endpoint.send(url, "payload=%7B", {}, { "content-type": "application/x-www-form-urlencoded" }),
      400,
      "",
    ],
    ["an event that is none", () => endpoint.send(url, '{"type":"event_callback","event_id":"E0"}'), 200, ""],
    ["a kind that nobody knows", () => endpoint.send(url, '{"type":"app_rate_limited"}'), 200, ""],
    ["too much", () => endpoint.send(url, " ".repeat(MAX_WEBHOOK_BYTES + 1)), 413, expect.any(String)],
  ])("answers %s", async (_what, send, status, body) => {
    const answer = await send();
    expect([answer.status, await answer.text(), answer.headers.get("set-cookie")]).toEqual([status, body, null]);
    // Slack need not send again what cannot be read.
    expect(answer.headers.get("x-slack-no-retry")).toBe(status === 400 ? "1" : null);
  });

  test("does nothing of what comes unsigned with a check of the certificate", async () => {
    const body = `${COMMAND}&ssl_check=1`;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    expect((await fetch(url, { method: "POST", body, headers })).status).toBe(200);
    expect(scene.fake.requests.filter(({ method }) => method !== "auth.test")).toEqual([]);
  });

  test("answers an event that is sent again once, and so a command", async () => {
    const { channel, fake } = scene;
    const ann = fake.person("ann");
    const envelope = ann.mention(channel, "time private:yes");
    const answers = () => ann.sees(channel).filter(({ onlyFor }) => onlyFor !== undefined);
    await until(() => answers().length === 1, "the answer");
    for (const number of [1, 2, 3]) await endpoint.post(envelope, { number, reason: "http_timeout" });
    const dialog = await ann.run(channel, "time");
    await endpoint.post(dialog.envelope);
    await ann.run(channel, "help");
    expect([answers().length, dialog.messages.length, dialog.uses]).toEqual([3, 1, 1]);
  });

  test("tells a workspace that is not served so", async () => {
    const ann = scene.fake.person("ann");
    const dialog = ann.type(scene.channel, "my parties", "/bell", { team_id: "T99", enterprise_id: "E9" });
    await dialog.answered();
    expect(said(dialog.last)).toMatch(/one workspace, \*Acme\*/u);
    expect(dialog.last.onlyFor).toBe(ann.id);
  });

  test("is there under any host name", async () => {
    const headers = { ...endpoint.headers(CHALLENGE), host: "balancer.example", origin: "https://balancer.example" };
    const answer = await scene.consoles[0]!.send(EVENTS_PATH, { method: "POST", headers, body: CHALLENGE });
    expect(answer.status).toBe(200);
  });
});

test("takes nothing while the bot stops", async () => {
  await using scene = await begin();
  const ann = scene.fake.person("ann");
  const { envelope } = await ann.run(scene.channel, "time");
  await scene.adapter.stop();
  const { request_url: url = "" } = scene.fake.state.manifest.settings.event_subscriptions;
  const answer = await scene.fake.endpoint.send(url, JSON.stringify(envelope.payload));
  // Slack sends an event again, later.
  expect([answer.status, answer.headers.get("retry-after"), answer.headers.get("x-slack-no-retry")]).toEqual([
    503,
    "1",
    null,
  ]);
});

describe("the health over HTTP", () => {
  test("goes down with Slack, and comes back with it", async () => {
    await using scene = await begin();
    scene.fake.offline = true;
    await until(() => scene.adapter.health.state === "down", "the loss to be noticed");
    scene.fake.offline = false;
    await until(() => scene.adapter.health.state === "up", "the recovery");
  });

  test("tells of a refused token, and stays so while Slack is gone", async () => {
    let unanswered = 0;
    const count = (line: string): number => (unanswered += line.includes('"token check unanswered"') ? 1 : 0);
    await using scene = await begin({ log: createLog("debug", { write: count }) });
    const { fake } = scene;
    fake.expected.add("invalid_auth");
    const right = fake.state.botToken;
    fake.state.botToken = "xoxb-other";
    await until(() => scene.adapter.health.state === "failed", "the failure");
    expect(scene.adapter.health.why).toMatch(saying("bot token"));
    fake.offline = true;
    const before = unanswered;
    await until(() => unanswered > before + 2, "checks without an answer");
    expect(scene.adapter.health.state).toBe("failed");
    fake.offline = false;
    fake.state.botToken = right;
    await until(() => scene.adapter.health.state === "up", "the recovery");
  });
});
