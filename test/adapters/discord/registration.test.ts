import assert from "node:assert/strict";

import { type APIApplicationCommandOption, ApplicationCommandOptionType } from "discord-api-types/v10";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { commands as declaredCommands } from "../../../commands/index.ts";
import { discordRegister } from "../../../src/adapters/discord/register-commands.ts";
import { compareCommands, registrationOf } from "../../../src/adapters/discord/registration.ts";
import { type AnyCommand, command, withCommonOptions } from "../../../src/bot/command.ts";
import { reply } from "../../../src/reply/reply.ts";
import { FakeDiscord } from "../../support/fake-discord/fake-discord.ts";
import { saying } from "../../support/said.ts";
import { commandRefusals } from "./judge-commands.ts";
import { PLATFORMS } from "../../support/platforms.ts";

const networks = ["mainnet", "testnet"];
const commands = declaredCommands.map((one) => withCommonOptions(one, PLATFORMS));

function declared(name: string, options: AnyCommand["options"] = {}): AnyCommand {
  return command({
    name,
    summary: `Does ${name}`,
    examples: [],
    access: "everyone",
    audience: "channel",
    options,
    run: async () => reply({ title: "x" }),
  });
}

function flags(count: number, description: string): AnyCommand["options"] {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`o${index}`, { kind: "flag", description, default: false }]),
  );
}

function optionsOf(one: object | undefined): readonly APIApplicationCommandOption[] {
  return one !== undefined && "options" in one ? (one.options as readonly APIApplicationCommandOption[]) : [];
}

describe("the registration", () => {
  test("leaves out what only the terminal and the console take", () => {
    const names = (offered: readonly { readonly name: string }[] = []): string[] => offered.map(({ name }) => name);
    const alerts = registrationOf(commands, networks, "global").find(({ name }) => name === "alerts");
    for (const sub of optionsOf(alerts)) {
      // A new subscription may tell whoever asks for it.
      const offered = names("options" in sub ? sub.options : []).includes("to");
      expect([sub.name, offered]).toEqual([sub.name, sub.name === "add"]);
    }
    const drill = commands.find(({ name }) => name === "alerts drill");
    expect(Object.keys(drill?.options ?? {})).toContain("to");
  });

  test("has every option of a subscription but those that `if` takes, pictures among them", () => {
    const alerts = registrationOf(commands, networks, "global").find(({ name }) => name === "alerts");
    for (const name of ["add", "edit"]) {
      const offered = optionsOf(optionsOf(alerts).find((one) => one.name === name)).map((one) => one.name);
      const all = Object.keys(commands.find((one) => one.name === `alerts ${name}`)?.options ?? {});
      const left = all.filter((one) => !offered.includes(one));
      expect([name, left, offered.includes("chart")]).toEqual([name, ["drift", "rounds", "factor", "at-least"], true]);
    }
  });

  test("takes its shape from the command list", () => {
    const [market] = registrationOf(
      [
        declared("market show", {
          count: { kind: "integer", description: "How many", min: 1, max: 50 },
          market: { kind: "text", description: "Which", example: "x", required: true, suggest: async () => [] },
          side: { kind: "choice", description: "Side", choices: [{ label: "Buy", value: "buy" }] },
          from: { kind: "time", description: "Start" },
          whom: { kind: "text", description: "Who; off = nobody", example: "@x", mention: { picked: "Who" } },
          network: { kind: "network", description: "Network" },
          private: { kind: "flag", description: "Private", default: false },
        }),
        declared("market list"),
      ],
      networks,
      "global",
    );
    expect(market).toMatchObject({
      name: "market",
      description: "Market: show, list",
      contexts: [0, 1, 2],
      integration_types: [0, 1],
    });
    const [show] = optionsOf(market);
    expect(show !== undefined && "options" in show ? show.options : []).toEqual([
      {
        name: "market",
        description: "Which",
        required: true,
        type: ApplicationCommandOptionType.String,
        autocomplete: true,
      },
      {
        name: "count",
        description: "How many",
        type: ApplicationCommandOptionType.Integer,
        min_value: 1,
        max_value: 50,
      },
      {
        name: "side",
        description: "Side",
        type: ApplicationCommandOptionType.String,
        choices: [{ name: "Buy", value: "buy" }],
      },
      { name: "from", description: "Start", type: ApplicationCommandOptionType.String, autocomplete: true },
      { name: "whom", description: "Who", type: ApplicationCommandOptionType.Mentionable },
      {
        name: "network",
        description: "Network",
        type: ApplicationCommandOptionType.String,
        choices: networks.map((name) => ({ name, value: name })),
      },
      { name: "private", description: "Private", type: ApplicationCommandOptionType.Boolean },
    ]);
  });

  test("hides a command where all of it is for managers, never one with a part that all may use", () => {
    const managed = (name: string): AnyCommand => ({ ...declared(name), access: "channel-manager" });
    const registered = registrationOf(
      [managed("purge"), managed("rules add"), managed("rules remove"), managed("alerts add"), declared("alerts list")],
      networks,
      "global",
    );
    expect(registered.map((one) => [one.name, one.default_member_permissions])).toEqual([
      ["purge", "16"],
      ["rules", "16"],
      ["alerts", undefined],
    ]);
  });

  test.each<[string, AnyCommand[]]>([
    ["three words", [declared("a b c")]],
    ["a name for itself and for a group", [declared("a"), declared("a b")]],
    ["a name that Discord does not take", [declared("Loud")]],
    ["too many subcommands", Array.from({ length: 26 }, (_, index) => declared(`a b${index}`))],
    ["too many commands", Array.from({ length: 101 }, (_, index) => declared(`a${index}`))],
    ["too many options", [declared("a", flags(26, "x"))]],
    [
      "too many characters",
      Array.from({ length: 4 }, (_, index) => declared(`a b${index}`, flags(25, "x".repeat(100)))),
    ],
  ])("refuses %s", (_what, list) => {
    expect(() => registrationOf(list, networks, "global")).toThrow(RangeError);
  });

  test.each(["global", "guild"] as const)("of all commands passes the check of Discord's own library (%s)", (scope) => {
    expect(commandRefusals(registrationOf(commands, networks, scope))).toEqual([]);
  });

  test("puts the story of an alert into the menu of its message, where the command is there", () => {
    const menu = { type: 3, name: "Why this alert?" };
    expect(registrationOf(commands, networks, "guild").at(-1)).toEqual(menu);
    expect(registrationOf(commands, networks, "global").at(-1)).toEqual({
      ...menu,
      contexts: [0, 1, 2],
      integration_types: [0, 1],
    });
    expect(registrationOf([declared("time")], networks, "guild").map(({ name }) => name)).toEqual(["time"]);
  });

  test("hides none of the commands there are: each has a part that is open to all", () => {
    const registered = registrationOf(commands, networks, "global");
    expect(registered.map((one) => one.default_member_permissions).filter((one) => one !== undefined)).toEqual([]);
    expect(registered.map(({ name }) => name)).toEqual(expect.arrayContaining(["alerts", "answers", "my"]));
  });
});

describe("discord:register", () => {
  let fake: FakeDiscord;
  beforeAll(async () => {
    fake = await FakeDiscord.start();
  });
  afterAll(async () => {
    await fake.stop();
    assert.deepEqual(fake.complaints(), []);
  });

  const list = [
    declared("time"),
    declared("market list", { count: { kind: "integer", description: "How many", min: 1, max: 5 } }),
  ];
  async function register(
    args: readonly string[],
    given: readonly AnyCommand[] = list,
    more: { guildId?: string; token?: string } = {},
  ): Promise<[number, string[]]> {
    const printed: string[] = [];
    const code = await discordRegister(args, {
      token: fake.state.token,
      apiUrl: fake.apiUrl,
      commands: given,
      networks,
      print: (line) => printed.push(line),
      ...more,
    });
    return [code, printed];
  }
  const writes = (): number => fake.requests.filter((one) => one.method === "PUT").length;

  test("shows the difference and writes nothing with --dry-run", async () => {
    expect(await register(["--dry-run"])).toEqual([0, ["+ /time", "+ /market", expect.stringContaining("dry run")]]);
    expect(writes()).toBe(0);
  });

  test("writes once, and not again while nothing differs", async () => {
    expect(await register([])).toEqual([0, ["+ /time", "+ /market", expect.any(String)]]);
    expect(await register([])).toEqual([0, [expect.any(String)]]);
    expect(writes()).toBe(1);
  });

  test("names what changed and what goes", async () => {
    const changed = [declared("market list", { count: { kind: "integer", description: "How many", min: 1, max: 6 } })];
    expect(await register([], changed)).toEqual([0, ["~ /market", "- /time", expect.any(String)]]);
  });

  test("can be for one server", async () => {
    expect(await register([], list, { guildId: "123" })).toEqual([
      0,
      ["+ /time", "+ /market", expect.stringMatching(saying(123))],
    ]);
    expect(fake.state.commands.get("123")?.[0]).not.toHaveProperty("contexts");
    expect(await register([], list, { guildId: "123" })).toEqual([0, [expect.stringMatching(saying(123))]]);
  });

  test("says what is wrong with a token or an argument", async () => {
    fake.expected.add(0);
    expect(await register([], list, { token: "wrong" })).toEqual([2, [expect.stringContaining("DISCORD_TOKEN")]]);
    expect(await register(["--now"])).toEqual([1, [expect.stringContaining("--dry-run")]]);
  });
});

test("members that Discord fills in are no difference", () => {
  const wanted = registrationOf(commands, networks, "global");
  const served = wanted.map((one) => ({
    ...one,
    id: "1",
    version: "2",
    nsfw: false,
    dm_permission: true,
    default_member_permissions: null,
    contexts: [2, 1, 0],
  }));
  expect(compareCommands(served as never, wanted)).toEqual({ added: [], changed: [], removed: [] });
});
