import type { ChatPlatform } from "../../../src/alerts/destination.ts";

/** The words of a platform that does not exist. */
export const stub: ChatPlatform = {
  kind: "chat",
  id: "stub",
  name: "Stub Chat",
  workspace: "yard",
  peoplePerWorkspace: true,
  managers: "its members",
  managersInDirectMessages: false,
  token: { setting: "STUB_TOKEN", source: "at the gate" },
  files: { maxBytes: 1_000_000, maxCount: 1 },
  pictures: "edited",
  exampleChannel: "!den",
  isDirect: ({ channel }) => channel.startsWith("@"),
  kindOfId: (id) => (id.startsWith("!") ? "channel" : id.startsWith("@") ? "person" : undefined),
  parseMention: (typed) => /^%[a-z]+$/u.exec(typed)?.[0],
  directMessagesRemedy: "Let the bot in at the gate",
  mentionRemedy: "Give the crew's name, as in %night.",
  mentionHint: "on Stub Chat a crew (%night)",
};
