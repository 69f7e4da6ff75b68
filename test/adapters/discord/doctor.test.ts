import assert from "node:assert/strict";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { examineDiscord, type DiscordExaminationOptions } from "../../../src/adapters/discord/doctor.ts";
import { registrationOf } from "../../../src/adapters/discord/registration.ts";
import { sampleCommands as commands } from "../../bot/sample-commands.ts";
import { FakeDiscord } from "../../support/fake-discord/fake-discord.ts";
import { saying } from "../../support/said.ts";

const networks = ["mainnet", "testnet"];
const GUILD = "700000000000000001";

let discord: FakeDiscord;
beforeEach(async () => {
  discord = await FakeDiscord.start();
});
afterEach(async () => {
  await discord.stop();
  assert.deepEqual(discord.complaints(), []);
});

/** The findings, one line each; the ok ones only where asked for. */
async function find(more: Partial<DiscordExaminationOptions> = {}, all = false): Promise<string[]> {
  const findings = await examineDiscord({
    token: discord.state.token,
    apiUrl: discord.apiUrl,
    commands,
    networks,
    now: () => Date.now(),
    signal: AbortSignal.timeout(5000),
    ...more,
  });
  return findings
    .filter(({ state }) => all || state !== "ok")
    .map((one) => `${one.state} ${one.check}: ${one.what}${one.state === "ok" ? "" : ` -> ${one.remedy}`}`);
}

function register(scope: "global" | "guild", guild = ""): void {
  const stored = registrationOf(commands, networks, scope).map((command) => ({ ...command, id: "1", version: "1" }));
  discord.state.commands.set(guild, stored as never);
}

describe("the doctor at Discord", () => {
  it("finds nothing wrong where nothing is, and changes nothing", async () => {
    register("global");
    const channel = discord.channel();
    const found = await find({ channels: [{ id: channel, setting: "OPERATOR_CHANNEL" }] }, true);
    expect(found).toEqual([
      expect.stringMatching(saying("ok Discord token", "Bellwether")),
      expect.stringMatching(saying("ok Discord application", discord.state.applicationId)),
      expect.stringContaining("scope=bot+applications.commands&permissions=309237763072"),
      expect.stringMatching(saying("ok Discord interactions")),
      expect.stringMatching(saying("ok Discord gateway", 999, 1000)),
      expect.stringMatching(saying("ok Discord commands", registrationOf(commands, networks, "global").length)),
      expect.stringMatching(saying("ok OPERATOR_CHANNEL")),
    ]);
    expect(found).toMatchSnapshot();
    expect(new Set(discord.requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
  });

  // One fault each, and the line that it makes.
  const faults: [string, () => Partial<DiscordExaminationOptions> | undefined, RegExp][] = [
    ["a wrong token", () => ({ token: "stolen-token" }), /^fault Discord token: .* -> .*Reset Token/u],
    [
      "another application's id",
      () => ({ applicationId: "123456789012345678" }),
      /^fault .*DISCORD_APPLICATION_ID .* -> .*\b900000000000000001\b/u,
    ],
    [
      "another application's key",
      () => {
        discord.state.application = { verify_key: "a".repeat(64) };
        return { publicKey: "b".repeat(64) };
      },
      /^fault .*DISCORD_PUBLIC_KEY\b/u,
    ],
    [
      "an endpoint that is not entered",
      () => ({ publicKey: "a".repeat(64), publicUrl: "https://bell.example/" }),
      /^fault Discord interactions: .* -> .*https:\/\/bell\.example\/discord\/interactions/u,
    ],
    [
      "an endpoint elsewhere",
      () => {
        discord.state.application = { interactions_endpoint_url: "https://old.example/discord/interactions" };
        return { publicKey: "a".repeat(64), publicUrl: "https://bell.example" };
      },
      /^fault Discord interactions: .* -> .*https:\/\/bell\.example\/discord\/interactions/u,
    ],
    [
      "an endpoint that takes the commands away",
      () => {
        discord.state.application = { interactions_endpoint_url: "https://elsewhere.example" };
        return undefined;
      },
      /^fault .*Interactions Endpoint URL/u,
    ],
    [
      "an installation for servers only",
      () => {
        discord.state.application = { integration_types_config: { "0": {} } };
        return undefined;
      },
      /^warning Discord installation: .* -> .*User Install/u,
    ],
    [
      "no server",
      () => {
        discord.state.application = { approximate_guild_count: 0 };
        return undefined;
      },
      /^warning Discord installation: .* -> .*https:\/\/discord\.com\/oauth2/u,
    ],
    [
      "hardly a session left",
      () => {
        const limit = { total: 1000, remaining: 3, reset_after: 7_200_000, max_concurrency: 1 };
        discord.fail({
          path: /^\/gateway\/bot$/u,
          answer: { status: 200, body: { shards: 1, session_start_limit: limit } },
        });
        return undefined;
      },
      /^warning Discord gateway: 3 .*\b1000 .* -> .*\b2 h\b/u,
    ],
    [
      "a command that is out of date",
      () => {
        const [first, ...rest] = discord.state.commands.get("") ?? [];
        discord.state.commands.set("", [{ ...first, description: "old" } as never, ...rest.slice(1)]);
        return undefined;
      },
      /^warning Discord commands: [^/]*\/\S+; [^/]*\/\S+ -> .*npm run discord:register/u,
    ],
    [
      "a server that it is not in",
      () => ({ guildId: "111111111111111111" }),
      /^fault Discord server: .*DISCORD_GUILD_ID/u,
    ],
    [
      "a server that takes no commands",
      () => {
        discord.channel(GUILD);
        discord.fail({ path: /guilds\/\d+\/commands/u, answer: { status: 403, body: { code: 50_001 } } });
        return { guildId: GUILD };
      },
      /^fault Discord commands: .* -> .*applications\.commands/u,
    ],
    [
      "a channel that is gone",
      () => ({ channels: [{ id: "1", setting: "OPERATOR_CHANNEL" }] }),
      /^fault OPERATOR_CHANNEL: .* -> (?!.*View Channel)/u,
    ],
    [
      "a channel that it may not see",
      () => {
        const id = discord.channel();
        discord.state.channels.set(id, { id, guild: GUILD, recipient: undefined, gone: "no-access" });
        return { channels: [{ id, setting: "OPERATOR_CHANNEL" }] };
      },
      /^fault OPERATOR_CHANNEL: .* -> .*View Channel/u,
    ],
    [
      "a slow clock",
      () => ({ now: () => Date.now() - 61_000 }),
      /^warning Discord clock: .* 6[0-2] s behind .* -> .*NTP/u,
    ],
  ];
  it.each(faults)("%s", async (_name, prepare, line) => {
    register("global");
    for (const code of [0, 10_003, 10_004, 50_001]) discord.expected.add(code);
    const more = prepare();
    const found = await find(more);
    const others = found.filter((one) => !one.startsWith("warning Discord commands: not registered") || line.test(one));
    expect(others).toEqual([expect.stringMatching(line)]);
    expect(others.map((one) => one.replace(/\b\d+ s behind/u, "<n> s behind"))).toMatchSnapshot();
    expect(found.join("\n")).not.toContain("stolen-token");
  });

  it("calls it a failure of the network where Discord is gone, or out of order", async () => {
    discord.offline = true;
    expect(await find()).toEqual([expect.stringMatching(/^fault Discord token: /u)]);
    discord.offline = false;
    discord.fail({ path: /users/u, answer: { status: 502 } });
    const findings = await examineDiscord({
      token: discord.state.token,
      apiUrl: discord.apiUrl,
      commands,
      networks,
      now: () => Date.now(),
      signal: AbortSignal.timeout(5000),
    });
    expect(findings).toMatchObject([{ state: "fault", cause: "network", what: expect.stringMatching(saying(502)) }]);
  });
});
