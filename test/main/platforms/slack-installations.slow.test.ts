import { randomBytes } from "node:crypto";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";

import { afterEach, beforeEach, expect, test } from "vitest";

import type { slackManifest } from "../../../src/adapters/slack/manifest.ts";
import { askWeb, createSandbox, type Running, type Sandbox } from "../../support/bellwether.ts";
import { until } from "../../support/fake-discord/until.ts";
import { FakeSlack } from "../../support/fake-slack/fake-slack.ts";
import type { Workspace } from "../../support/fake-slack/oauth.ts";
import { textOf } from "../../support/fake-slack/person.ts";
import { freePort } from "../../support/free-port.ts";
import { onServer, postgresMissing, scratchPostgres } from "../../support/postgres.ts";

// An app that any workspace installs, with the real process, a browser's requests and a Slack of several workspaces.

const PATIENCE = { timeout: 30_000 };
const PARTY = "f8ac".repeat(16);

let sandbox: Sandbox;
let slack: FakeSlack;
let port: number;
let env: Record<string, string>;
const [oldKey, newKey] = [randomBytes(32).toString("base64"), randomBytes(32).toString("base64")] as const;
beforeEach(async () => {
  sandbox = createSandbox();
  [slack, port] = await Promise.all([FakeSlack.start(), freePort()]);
  env = {
    SLACK_CLIENT_ID: slack.state.oauth.clientId,
    SLACK_CLIENT_SECRET: slack.state.oauth.clientSecret,
    SLACK_SIGNING_SECRET: slack.state.signingSecret,
    SLACK_API_URL: slack.apiUrl,
    SECRET_KEY: oldKey,
    ALLOW_SIMULATOR: "1",
    WEB_PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
  };
  const manifest = await sandbox.run(["slack-manifest"], env).ended;
  slack.state.manifest = JSON.parse(manifest.stdout) as ReturnType<typeof slackManifest>;
});
afterEach(async () => {
  await sandbox.cleanUp();
  await slack.stop();
});

async function start(more: Record<string, string> = {}): Promise<Running> {
  const running = sandbox.run(["start"], { ...env, ...more });
  await running.printed(/http:\/\/127\.0\.0\.1:\d+\//u);
  const readyz = new URL("/readyz", env["PUBLIC_URL"]);
  await expect.poll(async () => (await fetch(readyz)).status, { timeout: 20_000 }).toBe(200);
  return running;
}

/** What a browser shows in the end. */
async function install(workspace: Workspace): Promise<string> {
  const page = await fetch(new URL("/slack/install", env["PUBLIC_URL"]), { redirect: "manual" });
  const cookie = page.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  const back = slack.state.oauth.consent(page.headers.get("location") ?? "", workspace);
  return (await fetch(back, { headers: { cookie } })).text();
}

const doctor = async (more: Record<string, string> = {}): Promise<string> =>
  (await sandbox.run(["doctor"], { ...env, ...more }).ended).stdout;

/** The channel messages that everybody there sees. */
const posted = (channel: string): number =>
  slack.state.messages.filter((one) => one.channel === channel && one.onlyFor === undefined).length;

const drill = (): Promise<unknown> => askWeb(env["PUBLIC_URL"]!, "alerts drill to:all");

/** How many rows of each table name the workspace anywhere; those of none are left out. */
function rowsNaming(database: DatabaseSync, workspace: string): Record<string, number> {
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const counts = tables.map(({ name }) => {
    const rows = database.prepare(`SELECT * FROM ${String(name)}`).all();
    return [String(name), rows.filter((row) => JSON.stringify(row).includes(workspace)).length] as const;
  });
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

test("two workspaces install the app; one removes it, comes back, removes it, and is forgotten", async () => {
  const running = await start();
  await slack.endpoint.verify();
  const [acme, zenith] = [slack.state.oauth.workspace("Acme"), slack.state.oauth.workspace("Zenith & Sons")];
  expect(await install(acme)).toContain("Acme");
  expect(await install(zenith)).toContain("Zenith &amp; Sons");

  const [ann, zoe] = [slack.person("ann", {}, acme.id), slack.person("zoe", {}, zenith.id)];
  const [ours, theirs] = [slack.channel({ team: acme.id }), slack.channel({ team: zenith.id })];
  for (const [person, channel] of [
    [ann, ours],
    [zoe, theirs],
  ] as const) {
    expect(textOf((await person.run(channel, "time")).last)).toContain("SIMULATED");
    expect(textOf((await person.run(channel, "alerts add node.down")).last)).toContain("node outages");
    await person.run(channel, `my party ${PARTY}`);
    await person.run(channel, "answers set everyone");
    await person.run(channel, "alerts silence node.lagging for:1h");
  }
  await until(() => posted(ours) > 0 && posted(theirs) > 0, "the words about both subscriptions", 20_000);
  const before = [posted(ours), posted(theirs)];
  await drill();
  await expect.poll(() => [posted(ours) > before[0]!, posted(theirs) > before[1]!], PATIENCE).toEqual([true, true]);
  const examined = await doctor();
  expect(examined).toMatch(/^ok {7}Slack installations: 2\b/mu);
  expect(examined).toMatch(/^ok {7}Slack install page: /mu);
  expect(examined).not.toMatch(/xoxb|xoxe/u);
  const metrics = await (await fetch(new URL("/metrics", env["PUBLIC_URL"]))).text();
  expect(metrics).toContain('bellwether_installations{platform="slack",state="installed"} 2');
  expect(slack.complaints()).toEqual([]);

  // Removed: alerts stop there, and people read a sentence with the link.
  // What is on its way, such as edits of the drill, meets a revoked token.
  slack.expected.add("token_revoked");
  slack.uninstall(acme.id);
  await until(() => running.stderr().includes('"app uninstalled"'), "the word of the removal");
  const [oursThen, theirsThen] = [posted(ours), posted(theirs)];
  await drill();
  await expect.poll(() => posted(theirs) > theirsThen, PATIENCE).toBe(true);
  expect(textOf((await ann.run(ours, "time")).last)).toContain("/slack/install");
  expect(textOf((await zoe.run(theirs, "time")).last)).toContain("SIMULATED");
  expect(posted(ours)).toBe(oursThen);

  // Installed again, all comes back by itself.
  await install(acme);
  await expect.poll(() => posted(ours) > oursThen, { timeout: 90_000 }).toBe(true);
  expect(textOf((await ann.run(ours, "alerts list")).last)).toContain("node outages");

  slack.uninstall(acme.id);
  await until(() => running.stderr().split('"app uninstalled"').length === 3, "the second removal");
  expect((await running.kill("SIGTERM")).code).toBe(0);
  expect(slack.complaints()).toEqual([]);

  // The grace passes while the process is down, and the key changes.
  const database = new DatabaseSync(path.join(sandbox.folder, "data/bellwether.db"));
  database.prepare("UPDATE installations SET removed_at = removed_at - ? WHERE id = ?").run(8 * 86_400_000, acme.id);
  expect(Object.keys(rowsNaming(database, acme.id)).length).toBeGreaterThan(6);
  const kept = rowsNaming(database, zenith.id);
  database.close();
  const later = await start({ SECRET_KEY: `${newKey},${oldKey}` });
  await until(() => later.stderr().includes('"workspace deleted"'), "the deletion", 20_000);
  expect(textOf((await zoe.run(theirs, "alerts list")).last)).toContain("node outages");
  expect((await later.kill("SIGTERM")).code).toBe(0);
  const after = new DatabaseSync(path.join(sandbox.folder, "data/bellwether.db"));
  // What the operator was told of the removal stays for 30 days; it names no person and no channel.
  expect(Object.keys(rowsNaming(after, acme.id))).toEqual(["alert_messages"]);
  for (const name of [ann.id, ours]) expect(rowsNaming(after, name)).toEqual({});
  expect(Object.keys(rowsNaming(after, zenith.id))).toEqual(expect.arrayContaining(Object.keys(kept)));
  after.close();

  // The new key alone opens all; the old one nothing, and the start says so.
  const alone = await start({ SECRET_KEY: newKey });
  expect(textOf((await zoe.run(theirs, "time")).last)).toContain("SIMULATED");
  expect(await doctor({ SECRET_KEY: oldKey })).toMatch(/^fault {4}Slack installations: .*SECRET_KEY/mu);
  expect((await alone.kill("SIGTERM")).code).toBe(0);
  const refused = await sandbox.run(["start"], { ...env, SECRET_KEY: oldKey }).ended;
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("SECRET_KEY")]);
}, 240_000);

test.skipIf(postgresMissing !== undefined)(
  `of two processes one refreshes a token, once ${postgresMissing ?? ""}`,
  async () => {
    const server = await scratchPostgres();
    const shared = { DATABASE_URL: server.url };
    const first = await start(shared);
    const acme = slack.state.oauth.workspace("Acme");
    await install(acme);
    expect((await first.kill("SIGTERM")).code).toBe(0);
    const before = slack.state.oauth.grantOf(acme.id)?.token;
    const soon = Date.now() + 600_000;
    await onServer(server.url, `update installations set expires_at = ${soon}`);
    const other = String(await freePort());
    const both = [await start(shared), sandbox.run(["start"], { ...env, ...shared, WEB_PORT: other })];
    await both[1]!.printed(/http:\/\/127\.0\.0\.1:\d+\//u);
    await until(() => slack.state.oauth.spent.size > 0, "the refresh", 30_000);
    // Whichever process answers has the new token.
    const ann = slack.person("ann", {}, acme.id);
    const ours = slack.channel({ team: acme.id });
    expect(textOf((await ann.run(ours, "time")).last)).toContain("SIMULATED");
    await ann.run(ours, "alerts add node.down");
    await until(() => posted(ours) > 0, "the word about the subscription", 20_000);
    expect([slack.state.oauth.spent.size, slack.state.oauth.grantOf(acme.id)?.token === before]).toEqual([1, false]);
    expect(slack.complaints()).toEqual([]);
    await Promise.all(both.map((running) => running.kill("SIGTERM")));
    await server.drop();
  },
  120_000,
);
