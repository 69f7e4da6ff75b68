import { afterEach, beforeEach, describe, expect, it } from "vitest";

import {
  examineSlack,
  type KeptInstallation,
  type SlackExaminationOptions,
} from "../../../src/adapters/slack/doctor.ts";
import { manifestFile, slackManifest } from "../../../src/adapters/slack/manifest.ts";
import { sampleCommands as commands } from "../../bot/sample-commands.ts";
import { FakeSlack } from "../../support/fake-slack/fake-slack.ts";
import { saying } from "../../support/said.ts";

let slack: FakeSlack;
beforeEach(async () => {
  slack = await FakeSlack.start();
});
afterEach(() => slack.stop());

function provoke(method: string, error: string): undefined {
  slack.fail({ method, answer: { error } });
}

/** What is found, one line each; the ok ones only where asked for. */
async function find(more: Partial<SlackExaminationOptions> = {}, all = false): Promise<string[]> {
  const findings = await examineSlack({
    botToken: slack.state.botToken,
    appToken: slack.state.appToken,
    command: "/bell",
    apiUrl: slack.apiUrl,
    commands,
    manifest: manifestFile(commands),
    now: () => Date.now(),
    signal: AbortSignal.timeout(5000),
    ...more,
  });
  return findings
    .filter(({ state }) => all || state !== "ok")
    .map((one) => `${one.state} ${one.check}: ${one.what}${one.state === "ok" ? "" : ` -> ${one.remedy}`}`);
}

describe("the doctor at Slack", () => {
  it("finds nothing wrong where nothing is, and posts nothing", async () => {
    const channels = [{ id: slack.channel(), setting: "OPERATOR_CHANNEL" }];
    slack.expected.add("message_not_found");
    const found = await find({ channels }, true);
    expect(found).toEqual([
      expect.stringMatching(saying("ok Slack bot token", "bellwether", "Acme")),
      expect.stringMatching(saying("ok Slack scopes", slack.state.manifest.oauth_config.scopes.bot.length)),
      expect.stringMatching(saying("ok Slack app token")),
      expect.stringMatching(saying("ok Slack manifest", "slack-manifest.json", "/bell")),
      expect.stringMatching(saying("ok OPERATOR_CHANNEL")),
    ]);
    expect(found).toMatchSnapshot();
    expect(slack.state.messages).toEqual([]);
    expect(slack.complaints()).toEqual([]);
  });

  it("says that requests come over HTTP, and where", async () => {
    const endpoint = "https://bell.example/slack/events";
    const manifest = manifestFile(commands, "/bell", { endpoint });
    const found = await find({ appToken: undefined, signingSecret: "s", addresses: { endpoint }, manifest }, true);
    expect(found).toContainEqual(expect.stringMatching(saying("ok Slack requests", "HTTP", endpoint)));
    expect(found).toContainEqual(expect.stringMatching(saying("ok Slack manifest", endpoint)));
    expect(found.filter((line) => !line.startsWith("ok "))).toEqual([]);
    expect(slack.begun).not.toContain("apps.connections.open");
  });

  describe("at the installations of an app of many workspaces", () => {
    const scopes = slackManifest(commands).oauth_config.scopes.bot.join(",");
    const installUrl = "https://bell.example/slack/install";
    const kept = (id: string, more: Partial<KeptInstallation> = {}): KeptInstallation => ({
      id,
      name: `Name of ${id}`,
      scopes,
      botToken: slack.state.botToken,
      expired: false,
      ...more,
    });

    it.each<[string, () => readonly KeptInstallation[] | undefined, RegExp[]]>([
      ["none yet", () => [], [saying("ok Slack installations", installUrl)]],
      ["no database yet", () => undefined, [saying("warning Slack installations", "->")]],
      ["all well", () => [kept("T1"), kept("T2")], [saying("ok Slack installations", 2)]],
      [
        "a refused token",
        () => [kept("T1"), kept("T2", { botToken: "xoxb-revoked" })],
        [saying("ok Slack installations", 2), saying("fault Slack installations", "Name of T2 (T2)", "->", installUrl)],
      ],
      [
        "a token that expired while nothing ran",
        () => [kept("T1"), kept("T2", { botToken: "xoxb-old", expired: true })],
        [saying("ok Slack installations", 2, 1)],
      ],
      [
        "tokens that no key opens",
        () => [kept("T1"), ...["T2", "T3"].map((id) => kept(id, { botToken: undefined }))],
        [saying("fault Slack installations", "SECRET_KEY", 2, 3, "T2", "T3", "->", installUrl)],
      ],
      [
        "scopes of an earlier version",
        () => [kept("T1", { scopes: "commands,chat:write" })],
        [saying("ok Slack installations", 1), saying("warning Slack installations", "T1", "->", installUrl)],
      ],
    ])("%s", async (_name, installations, lines) => {
      slack.expected.add("invalid_auth");
      const found = await find({ botToken: undefined, installUrl, installations: installations() }, true);
      const about = found.filter((line) => line.includes("Slack installations"));
      expect(about).toEqual(lines.map((line) => expect.stringMatching(line)));
      expect(about).toMatchSnapshot();
      expect(found.join()).not.toContain("xoxb");
    });

    it("looks for the operators' channel in each workspace", async () => {
      const channels = [{ id: slack.channel(), setting: "OPERATOR_CHANNEL" }];
      slack.expected.add("message_not_found").add("invalid_auth").add("channel_not_found");
      const installations = [kept("T1", { botToken: "xoxb-revoked" }), kept("T2")];
      const found = await find({ botToken: undefined, installUrl, installations, channels }, true);
      expect(found).toContainEqual(expect.stringMatching(saying("ok OPERATOR_CHANNEL")));
      const none = await find({ botToken: undefined, installUrl, installations: [], channels }, true);
      expect(none).toContainEqual(expect.stringMatching(saying("fault OPERATOR_CHANNEL")));
    });
  });

  it("compares the manifest with where people install the app", async () => {
    const addresses = { redirectUrl: "https://bell.example/slack/oauth_redirect" };
    const manifest = manifestFile(commands, "/bell", addresses);
    expect(await find({ addresses, manifest })).toEqual([]);
    expect(await find({ addresses })).toEqual([
      expect.stringMatching(saying("warning Slack manifest", addresses.redirectUrl, "->")),
    ]);
  });

  it("finds nothing wrong without the optional scope where no group is named, and says what it is for", async () => {
    slack.state.scopes.delete("usergroups:read");
    const found = await find({ managers: ["U0123456789"] }, true);
    expect(found.filter((line) => !line.startsWith("ok"))).toEqual([]);
    expect(found).toContainEqual(expect.stringMatching(/^ok Slack scopes: .*usergroups:read \(optional: /u));
  });

  // One fault each, and the line that it makes.
  const faults: [string, () => Partial<SlackExaminationOptions> | undefined, RegExp][] = [
    [
      "a wrong bot token",
      () => ({ botToken: "xoxb-stolen" }),
      /^fault Slack bot token: .*invalid_auth.* -> .*SLACK_BOT_TOKEN/u,
    ],
    ["a revoked bot token", () => provoke("auth.test", "token_revoked"), /^fault Slack bot token: .*token_revoked/u],
    [
      "scopes that were never granted",
      () => void [slack.state.scopes.delete("im:write"), slack.state.scopes.delete("files:write")],
      /^fault Slack scopes: .*files:write .*im:write .* -> .*Reinstall to Workspace/u,
    ],
    [
      "a user group in ALERT_MANAGERS without the scope that tells who is in it",
      () => {
        slack.state.scopes.delete("usergroups:read");
        return { managers: ["U0123456789", "S0123ABCD"] };
      },
      /^warning Slack scopes: .*S0123ABCD.*usergroups:read .* -> .*Reinstall to Workspace/u,
    ],
    [
      "no app token",
      () => ({ appToken: undefined }),
      /^fault Slack app token: SLACK_APP_TOKEN .* -> .*connections:write/u,
    ],
    [
      "an installation for a whole organisation",
      () => void (slack.state.orgWide = true),
      /^fault Slack bot token: .*organisation.* -> .*workspace/u,
    ],
    [
      "HTTP without an address",
      () => ({ appToken: undefined, signingSecret: "s" }),
      /^fault Slack requests: .*HTTP.* -> .*PUBLIC_URL/u,
    ],
    [
      "HTTP with the manifest of Socket Mode",
      () => ({ appToken: undefined, signingSecret: "s", addresses: { endpoint: "https://bell.example/slack/events" } }),
      /^warning Slack manifest: .*https:\/\/bell\.example\/slack\/events.* -> .*slack:manifest/u,
    ],
    ["a wrong app token", () => ({ appToken: "xapp-stolen" }), /^fault Slack app token: .*invalid_auth.*Socket Mode/u],
    [
      "an app token without its scope",
      () => provoke("apps.connections.open", "missing_scope"),
      /^fault Slack app token: .*missing_scope.* -> .*connections:write/u,
    ],
    ["another command than the manifest's", () => ({ command: "/vega" }), /^warning Slack manifest: .*\/vega/u],
    [
      "an old manifest",
      () => ({ manifest: manifestFile(commands.slice(1)) }),
      /^warning Slack manifest: .*slack-manifest\.json .* -> /u,
    ],
    ["no manifest", () => ({ manifest: undefined }), /^warning Slack manifest: .*slack-manifest\.json .* -> /u],
    [
      "a channel that nobody knows",
      () => ({ channels: [{ id: "C404", setting: "OPERATOR_CHANNEL" }] }),
      /^fault OPERATOR_CHANNEL: .* -> .*\/invite @bellwether/u,
    ],
    [
      "a channel that it was not invited to",
      () => ({ channels: [{ id: slack.channel({ member: false }), setting: "OPERATOR_CHANNEL" }] }),
      /^fault OPERATOR_CHANNEL: .*channel.* -> .*\/invite @bellwether/u,
    ],
    [
      "a fast clock",
      () => ({ now: () => Date.now() + 400_000 }),
      /^warning Slack clock: .* (?:399|40\d) s ahead .* -> .*NTP/u,
    ],
  ];
  it.each(faults)("%s", async (_name, prepare, line) => {
    for (const code of ["invalid_auth", "channel_not_found", "not_in_channel"]) slack.expected.add(code);
    const found = await find(prepare() ?? {});
    expect(found).toEqual([expect.stringMatching(line)]);
    expect(found.map((one) => one.replace(/\b\d+ s ahead/u, "<n> s ahead"))).toMatchSnapshot();
    expect(found.join("\n")).not.toContain("stolen");
  });

  it.each([
    ["gone", () => slack.goOffline(), /^/u],
    ["out of order", () => slack.fail({ method: "auth.test", answer: { status: 503 } }), /503/u],
    ["failing inside", () => slack.fail({ method: "auth.test", answer: { error: "fatal_error" } }), /503/u],
    ["asked too often", () => slack.fail({ method: "auth.test", answer: { status: 429 } }), /^/u],
  ])("calls it a failure of the network where Slack is %s", async (_name, prepare, figure) => {
    prepare();
    const [first] = await examineSlack({
      botToken: slack.state.botToken,
      appToken: slack.state.appToken,
      command: "/bell",
      apiUrl: slack.apiUrl,
      commands,
      now: () => Date.now(),
      signal: AbortSignal.timeout(5000),
    });
    expect(first).toMatchObject({ state: "fault", check: "Slack bot token", cause: "network" });
    expect(first?.what).toMatch(figure);
    expect(first?.what).toMatchSnapshot();
  });
});
