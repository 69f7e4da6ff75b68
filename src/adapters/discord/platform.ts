import type { ChatPlatform } from "../../alerts/destination.ts";
import { MAX_FILE_BYTES, MAX_FILES, MAX_TOTAL_FILE_BYTES } from "./limits.ts";

/** The folder of the scripts that draw its messages on the console's page. */
export const PAGE = new URL("./page/", import.meta.url);

/** The base of Discord's interface without version, unless DISCORD_API_URL names another. */
export const API_URL = "https://discord.com/api";

/** Discord, without its libraries. */
export const discordPlatform: ChatPlatform = {
  kind: "chat",
  id: "discord",
  name: "Discord",
  workspace: "server",
  peoplePerWorkspace: false,
  // Rights are granted per channel.
  managers: "people with Manage Channels here",
  managersInDirectMessages: false,
  token: { setting: "DISCORD_TOKEN", source: "in the Developer Portal, page Bot of your application: Reset Token" },
  files: { maxBytes: MAX_FILE_BYTES, maxCount: MAX_FILES, maxTotalBytes: MAX_TOTAL_FILE_BYTES },
  pictures: "edited",
  returnsFiles: true,
  exampleChannel: "1122334455667788990",
  isDirect: ({ workspace }) => workspace === undefined,
  kindOfId: (id) => (/^\d{15,20}$/u.test(id) ? "channel" : undefined),
  parseMention(typed, server) {
    const match = /^(?:<@(&|!)?(\d{15,20})>|(user:)?(\d{15,20}))$/u.exec(typed);
    const id = match?.[2] ?? match?.[4];
    // The id of @everyone is that of its server: https://docs.discord.com/developers/topics/permissions#role-object.
    if (id === server) return undefined;
    const person = (match?.[2] !== undefined && match[1] !== "&") || match?.[3] !== undefined;
    return person && id !== undefined ? `user:${id}` : id;
  },
  directMessagesRemedy:
    "Allow direct messages from members of a server that you share with the bot (the server's menu, Privacy Settings), and do not block the bot",
  mentionRemedy:
    "Pick the role with @, or give its id, as in 1122334455667788990. Everyone in the server cannot be notified.",
};
