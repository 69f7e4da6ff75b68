import { describe, expect, test } from "vitest";

import {
  callerOf,
  maxBytesOf,
  targetOf,
  type UserInteraction,
} from "../../../../src/adapters/discord/respond/interaction.ts";

const user = { id: "5", username: "ann" };
const inServer = (permissions: string, owners: Record<string, string> = { 0: "700" }): object => ({
  guild_id: "700",
  channel: { id: "800" },
  context: 0,
  member: { user, permissions },
  authorizing_integration_owners: owners,
});
const direct = { user, channel: { id: "900" }, context: 1, authorizing_integration_owners: { 0: "0", 1: "5" } };

/** Both as a command and as a press: permissions must not depend on that. */
const kinds = [
  ["a command", { type: 2, data: { id: "1", type: 1, name: "alerts" } }],
  ["a press", { type: 3, data: { custom_id: "x", component_type: 2 }, message: { id: "1" } }],
] as const;

describe.each(kinds)("with %s", (_kind, base) => {
  const interaction = (more: object): UserInteraction =>
    ({ id: "1", application_id: "2", token: "t", version: 1, ...base, ...more }) as unknown as UserInteraction;

  // https://docs.discord.com/developers/topics/permissions#permissions-bitwise-permission-flags
  test.each<[string, object, boolean, string | undefined]>([
    ["a member without permissions", inServer("0"), false, "700"],
    ["one who may manage channels", inServer(String(1n << 4n)), true, "700"],
    ["an administrator", inServer(String(1n << 3n)), true, "700"],
    [
      "one with every permission beside those",
      inServer(String((1n << 50n) - 1n - (1n << 4n) - (1n << 3n))),
      false,
      "700",
    ],
    ["somebody in direct messages", direct, true, undefined],
    ["somebody in a group", { ...direct, context: 2 }, true, undefined],
    ["a user install, answered in private", inServer("0", { 1: "5" }), true, undefined],
    ["one who brought it along to where it is installed, too", inServer("0", { 0: "700", 1: "5" }), false, "700"],
    [
      "one of whom Discord does not say that",
      { ...inServer("0"), authorizing_integration_owners: undefined },
      false,
      "700",
    ],
  ])("%s", (_who, more, manages, workspace) => {
    const given = interaction(more);
    expect([callerOf(given).mayManageChannel, targetOf(given).workspace]).toEqual([manages, workspace]);
  });
});

test("only an administrator manages every channel of the server, where the bot is", () => {
  const all = [inServer("8"), inServer("16"), inServer("24"), inServer("8", { 1: "5" }), direct];
  expect(all.map((more) => callerOf(more as unknown as UserInteraction).managesWorkspace)).toEqual([
    true,
    undefined,
    true,
    undefined,
    undefined,
  ]);
});

// https://docs.discord.com/developers/resources/message#create-message-limitations: a request of 25 MiB.
test.each([
  [undefined, 10 * 1024 * 1024],
  [1_000_000, 1_000_000],
  [500 * 1024 * 1024, 25 * 1024 * 1024 - 64 * 1024],
])("a file may have what the place allows (%s), and no more than a request carries", (stated, allowed) => {
  expect(maxBytesOf({ attachment_size_limit: stated } as unknown as UserInteraction)).toBe(allowed);
});
