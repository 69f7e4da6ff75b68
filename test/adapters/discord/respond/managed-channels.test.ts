import { expect, test } from "vitest";

import type { UserInteraction } from "../../../../src/adapters/discord/respond/interaction.ts";
import { managedChannels } from "../../../../src/adapters/discord/respond/managed-channels.ts";

// https://docs.discord.com/developers/topics/permissions#permission-overwrites

const VIEW = 1n << 10n;
const MANAGE = 1n << 4n;
const [GUILD, MOD, MUTED, ANN] = ["700", "701", "702", "41"];

type Overwrite = readonly [of: string, type: 0 | 1, allow: bigint, deny: bigint];

/** Whether Ann manages a channel with these overwrites, with these roles. */
async function manages(roles: readonly string[], overwrites: readonly Overwrite[]): Promise<boolean> {
  const answers: Record<string, unknown> = {
    [`/guilds/${GUILD}/roles`]: [
      { id: GUILD, permissions: String(VIEW) },
      { id: MOD, permissions: String(MANAGE) },
      { id: MUTED, permissions: "0" },
    ],
    [`/guilds/${GUILD}/channels`]: [
      {
        id: "800",
        permission_overwrites: overwrites.map(([id, type, allow, deny]) => {
          return { id, type, allow: String(allow), deny: String(deny) };
        }),
      },
    ],
  };
  const rest = { get: (path: string) => Promise.resolve(answers[path]) };
  const interaction = { guild_id: GUILD, member: { user: { id: ANN }, roles } } as unknown as UserInteraction;
  return (await managedChannels(rest, interaction)).has("800");
}

test.each<[string, readonly string[], readonly Overwrite[], boolean]>([
  ["a role of the server gives it", [MOD], [], true],
  ["no role gives it", [MUTED], [], false],
  ["everyone is denied it there", [MOD], [[GUILD, 0, 0n, MANAGE]], false],
  [
    "a role is allowed it though everyone is denied",
    [MOD],
    [
      [GUILD, 0, 0n, MANAGE],
      [MOD, 0, MANAGE, 0n],
    ],
    true,
  ],
  [
    "one role is allowed it, another denied",
    [MOD, MUTED],
    [
      [MOD, 0, MANAGE, 0n],
      [MUTED, 0, 0n, MANAGE],
    ],
    true,
  ],
  [
    "the person is denied it though a role is allowed",
    [MOD],
    [
      [ANN, 1, 0n, MANAGE],
      [MOD, 0, MANAGE, 0n],
    ],
    false,
  ],
  ["the person is allowed it alone", [], [[ANN, 1, MANAGE, 0n]], true],
  ["somebody else is allowed it", [], [["42", 1, MANAGE, 0n]], false],
  ["the channel is hidden from the role", [MOD], [[GUILD, 0, 0n, VIEW]], false],
])("a channel is managed where %s: as Discord says", async (_why, roles, overwrites, expected) => {
  expect(await manages(roles, overwrites)).toBe(expected);
});

test("no channel is known where Discord does not answer, nor in direct messages", async () => {
  const rest = { get: () => Promise.reject(new Error("down")) };
  const member = { user: { id: ANN }, roles: [MOD] };
  expect(await managedChannels(rest, { guild_id: GUILD, member } as unknown as UserInteraction)).toEqual(new Set());
  expect(await managedChannels(rest, { user: { id: ANN } } as unknown as UserInteraction)).toEqual(new Set());
});
