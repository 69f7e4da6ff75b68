import { afterAll, beforeAll, expect, it } from "vitest";

import { FakeDiscord } from "../../support/fake-discord/fake-discord.ts";
import { FakeSlack } from "../../support/fake-slack/fake-slack.ts";
import { loopbackNode } from "../../support/loopback-node.ts";
import { createSandbox, type Sandbox } from "../../support/bellwether.ts";

// The doctor as people call it: a process of its own, beside a bot and beside nothing.

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = createSandbox();
});
afterAll(() => sandbox.cleanUp());
const doctor = (env: Record<string, string> = {}, ...args: string[]) => sandbox.run(["doctor", ...args], env).ended;

it("works beside the running bot, names it, and leaves it alone", async () => {
  const running = sandbox.run(["start"], { DATABASE_URL: "file:./beside.db" });
  const [url = ""] = await running.printed(/http:\/\/127\.0\.0\.1:\d+\//u);
  const { code, stdout } = await doctor({ DATABASE_URL: "file:./beside.db" });
  expect(stdout).toMatch(new RegExp(`^ok {7}database: .*${running.child.pid}`, "mu"));
  expect(stdout).toMatch(new RegExp(`^ok {7}console: .*${running.child.pid}.* ${RegExp.escape(url)}$`, "mu"));
  expect(code).toBe(0);
  expect((await fetch(new URL("/healthz", url))).status).toBe(200);
});

it("tells what the operator must mend from what the network must, and keeps every secret", async () => {
  await using service = await loopbackNode(() => ({ status: 500 }));
  const secrets = { DISCORD_TOKEN: "secret-discord-token", DEADMAN_URL: `${service.url}/secret-uuid` };
  const nodes = { MAINNET_URLS: "http://ops:secret-word@127.0.0.1:9", DISCORD_API_URL: "http://127.0.0.1:9/api" };
  const [mend, wait, wrong] = await Promise.all([
    doctor({ ...secrets, ...nodes, WEB_PORT: "http" }),
    doctor({ ...secrets, ...nodes, WEB_PORT: "0" }, "--ping"),
    doctor({}, "--fix"),
  ]);
  expect(mend.code).toBe(1);
  expect(mend.stdout).toMatch(/^fault {4}settings: WEB_PORT/mu);
  expect(wait.code).toBe(2);
  expect(wait.stdout).toMatch(/^fault {4}mainnet node 127\.0\.0\.1:9: /mu);
  expect(wait.stdout).toMatch(/^fault {4}Discord token: /mu);
  expect(wait.stdout).toMatch(/^fault {4}DEADMAN_URL: .*\b500\b/mu);
  // Only where it is asked to.
  expect(service.requests).toHaveLength(1);
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/doctor .*--ping/u)]);
  for (const { stdout, stderr } of [mend, wait, wrong]) expect(`${stdout}${stderr}`).not.toContain("secret-");
});

it("says that pictures cannot be drawn where their module cannot be loaded, and the bot starts all the same", async () => {
  const hooks = `import * as module from "node:module";
    module.registerHooks?.({ resolve(name, context, next) {
      if (name.startsWith("@resvg/")) throw new Error("no native module here");
      return next(name, context);
    } });`;
  const env = {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hooks)}`,
    DATABASE_URL: "file:./plain.db",
  };
  const running = sandbox.run(["start"], env);
  await running.printed(/http:\/\/127\.0\.0\.1:\d+\//u);
  const { code, stdout } = await doctor(env);
  expect(stdout).toMatch(/^warning {2}pictures: .*no native module here/mu);
  expect(code).toBe(0);
});

it("finds nothing wrong with what a bot of the same version set up", async () => {
  const discord = await FakeDiscord.start();
  const slack = await FakeSlack.start();
  slack.expected.add("message_not_found");
  const env = {
    ALLOW_SIMULATOR: "1",
    DEFAULT_NETWORK: "testnet",
    DISCORD_TOKEN: discord.state.token,
    DISCORD_API_URL: discord.apiUrl,
    SLACK_BOT_TOKEN: slack.state.botToken,
    SLACK_APP_TOKEN: slack.state.appToken,
    SLACK_API_URL: slack.apiUrl,
    OPERATOR_CHANNEL: `slack:${slack.channel()}`,
    WEB_PORT: "0",
  };
  try {
    const registered = await sandbox.run(["discord-register"], { ...env, DATABASE_URL: "file:./other.db" }).ended;
    expect(registered.code).toBe(0);
    const { code, stdout } = await doctor(env);
    expect(stdout).toMatch(/^ok {7}Discord commands: \d/mu);
    expect(stdout).toMatch(/^ok {7}Slack manifest: slack-manifest\.json .*\/bell$/mu);
    expect(stdout).toMatch(/^ok {7}Slack scopes: .*\d/mu);
    expect(stdout).toMatch(/^ok {7}OPERATOR_CHANNEL: /mu);
    expect(stdout.match(/^(?:fault|warning) +[^:]+/gmu)).toEqual(["warning  networks", "warning  DEADMAN_URL"]);
    expect(code).toBe(0);
    expect([...discord.complaints(), ...slack.complaints()]).toEqual([]);
  } finally {
    await Promise.all([discord.stop(), slack.stop()]);
  }
});
