import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import { afterEach, beforeEach, expect, it } from "vitest";

import { examineConfig } from "../../../src/config.ts";
import { examineSettings } from "../../../src/main/doctor/doctor.ts";
import { PLATFORM_RECORDS } from "../../../src/main/platforms/list.ts";
import { platformsOf } from "../../../src/main/platforms/platforms.ts";
import { shown } from "../../commands/alert-channel.ts";
import { talkToSimulator } from "../../commands/conversation.ts";
import { createSandbox, type Sandbox } from "../../support/bellwether.ts";
import { loopbackNode } from "../../support/loopback-node.ts";
import { draw } from "../../support/made-up/page/page.js";
import { stubRecord } from "../../support/made-up/record.ts";

// A platform that stands in test/support/made-up alone, in the real program: only the list differs.

const script = "test/support/made-up/run.ts";
const RECORDS = [...PLATFORM_RECORDS, stubRecord];

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.cleanUp());

/** The platform's own side: it takes requests with its token, and remembers what is posted. */
async function openYard() {
  const posted: { channel?: string; text?: string }[] = [];
  let waiting = Promise.withResolvers<void>();
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    if (body !== "") posted.push(JSON.parse(body) as (typeof posted)[number]);
    response.writeHead(request.headers.authorization === "stub-secret" ? 200 : 401).end();
    waiting.resolve();
    waiting = Promise.withResolvers();
  };
  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    posted,
    async said(pattern: RegExp) {
      while (!posted.some((one) => pattern.test(one.text ?? ""))) await waiting.promise;
      return posted.find((one) => pattern.test(one.text ?? ""));
    },
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

it("answers a command, is told of an alert, previewed on the console and checked by the doctor", async () => {
  let stoodSince: number | undefined;
  await using node = await loopbackNode(({ path }) =>
    path.endsWith("/time") ? { body: { timestamp: String((stoodSince ?? Date.now()) * 1_000_000) } } : undefined,
  );
  await using yard = await openYard();
  const env = {
    MAINNET_URLS: node.url,
    STUB_TOKEN: "stub-secret",
    STUB_URL: yard.url,
    OPERATOR_CHANNEL: "stub:!den",
    ALERT_MANAGERS: "stub:@ann",
    ALERTS_CONFIG: new URL("made-up/alerts.json", new URL("../../support/", import.meta.url)).pathname,
  };
  const running = sandbox.run(["start"], env, { script });
  const [url = ""] = await running.printed(/http:\/\/127\.0\.0\.1:\d+\//u);
  const type = async (line: string, person = "@ann", token = "stub-secret") => {
    const body = JSON.stringify({ line, channel: "!den", person });
    const headers = { Authorization: token };
    const answer = await fetch(new URL("stub/commands", url), { method: "POST", headers, body });
    return [answer.status, await answer.text()] as const;
  };
  expect((await type("time", "@ann", "other"))[0]).toBe(401);
  expect(await type("time")).toEqual([200, expect.stringContaining("mainnet")]);
  expect((await type("alerts add network.stalled", "@bob"))[1]).toContain("Bellwether's operator names those who may");
  expect((await type("alerts add network.stalled mention:%night"))[1]).toContain("this channel");

  stoodSince = Date.now() - 600_000;
  expect(await yard.said(/^mainnet makes no block since/u)).toMatchObject({ channel: "!den" });

  const info = (await (await fetch(new URL("api/console", url))).json()) as { previewNames: object };
  const names = PLATFORM_RECORDS.map(({ platform }) => [platform.id, platform.name]);
  expect(info.previewNames).toEqual({ ...Object.fromEntries(names), stub: "Stub Chat" });
  const asked = await fetch(new URL("api/invocations?previews=1", url), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ command: "help", options: { command: "time" } }),
  });
  const { previews } = (await asked.json()) as { previews: { stub: { text: string } } };
  expect(previews.stub.text).toContain("time");
  expect(draw(previews.stub)).toMatchObject({ tag: "p", children: [expect.stringContaining("time")] });
  for (const name of ["page.js", "page.css"]) {
    const page = await fetch(new URL(`page/stub/page/${name}`, url));
    const file = new URL(`../../support/made-up/page/${name}`, import.meta.url);
    expect([page.status, await page.text()]).toEqual([200, await readFile(file, "utf8")]);
  }

  const { stdout } = await sandbox.run(["doctor"], env, { script }).ended;
  expect(stdout).toMatch(/^ok {7}settings: Stub Chat$/mu);
  expect(stdout).toMatch(/^ok {7}Stub token: the gate says 200$/mu);
  expect(stdout).toMatch(/^ok {7}OPERATOR_CHANNEL: the yard has !den$/mu);
  expect(`${stdout}${running.stderr()}`).not.toMatch(/stub-secret|discord|slack/iu);
}, 60_000);

it("declares its settings, which are refused like all others, and its subcommands", async () => {
  const greeted = await sandbox.run(["stub-greet"], {}, { script }).ended;
  expect(greeted).toMatchObject({ code: 0, stdout: "Hello, yard.\n" });
  const faultsOf = (env: Record<string, string>) => examineConfig(env, RECORDS).faults.join("\n");
  expect(faultsOf({ STUB_TOKEN: "two words", ALLOW_SIMULATOR: "1" })).toContain("STUB_TOKEN must not contain spaces");
  expect(faultsOf({ STUB_TOKEN: "t" })).toContain("STUB_TOKEN is set, but neither MAINNET_URLS");
  const { hints } = examineConfig({ STUB_BOT_TOKEN: "t", STUB_URL: yardless }, RECORDS).config;
  expect(hints).toEqual([
    expect.stringContaining("but STUB_TOKEN is"),
    expect.stringContaining("STUB_URL is set, but not STUB_TOKEN"),
  ]);
});

const yardless = "http://127.0.0.1:9/";

it.each([
  {},
  { MAINNET_URLS: yardless, DISCORD_TOKEN: "t", SLACK_BOT_TOKEN: "b", SLACK_APP_TOKEN: "a", DEADMAN_URL: yardless },
  { SLACK_BOT_TOKEN: "b", OPERATOR_CHANNEL: "#ops", ALERT_MANAGERS: "bob", WEB_HOST: "0.0.0.0" },
  { DISCORD_PUBLIC_KEY: "x", SLACK_CLIENT_ID: "1", PUBLIC_URL: "http://bell.example" },
])("changes no word where it is not set up: %j", async (env) => {
  const said = async (records: typeof RECORDS) => {
    const examined = examineConfig(env, records);
    const platforms = platformsOf(examined.config);
    const talk = await talkToSimulator({ platforms });
    const answers = [];
    for (const line of ["help", "help alerts add", "help alerts edit", "answers show", "alerts add node.down to:x:1"]) {
      answers.push(shown(await talk.askFor(line)));
    }
    return [examined.faults, examined.config.hints, examineSettings(examined), answers];
  };
  expect(await said(RECORDS)).toEqual(await said([...PLATFORM_RECORDS]));
});
