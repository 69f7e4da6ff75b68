import type { REST } from "discord.js";
import { type APIGuildChannel, type APIRole, OverwriteType, PermissionFlagsBits, Routes } from "discord-api-types/v10";

import { withTimeout } from "../../../units/time.ts";
import type { UserInteraction } from "./interaction.ts";

const NEEDED = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.ManageChannels;
const LOOKUP_MILLIS = 1500;

/** The channels of the server that the member may manage; none where Discord does not answer in time. */
export async function managedChannels(
  rest: Pick<REST, "get">,
  { guild_id: guild, member }: UserInteraction,
): Promise<ReadonlySet<string>> {
  if (guild === undefined || member === undefined) return new Set();
  const asked = Promise.all([rest.get(Routes.guildRoles(guild)), rest.get(Routes.guildChannels(guild))]);
  const found = await withTimeout(asked, LOOKUP_MILLIS).catch(() => undefined);
  const [roles, channels] = (found ?? [[], []]) as [APIRole[], APIGuildChannel[]];
  const base = roles
    .filter(({ id }) => id === guild || member.roles.includes(id))
    .reduce((held, { permissions }) => held | BigInt(permissions), 0n);
  const managed = channels.filter(({ permission_overwrites: overwrites = [] }) => {
    // In this order: https://docs.discord.com/developers/topics/permissions#permission-overwrites.
    const held = [[guild], member.roles, [member.user.id]].reduce((before, ids, layer) => {
      const type = layer === 2 ? OverwriteType.Member : OverwriteType.Role;
      const own = overwrites.filter((one) => one.type === type && ids.includes(one.id));
      const all = (which: "allow" | "deny"): bigint => own.reduce((bits, one) => bits | BigInt(one[which]), 0n);
      return (before & ~all("deny")) | all("allow");
    }, base);
    return (held & NEEDED) === NEEDED;
  });
  return new Set(managed.map(({ id }) => id));
}
