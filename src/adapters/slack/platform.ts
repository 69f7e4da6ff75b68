import type { ChatPlatform } from "../../alerts/destination.ts";
import { MAX_FILE_BYTES, MAX_FILES } from "./limits.ts";

/** The root command, unless SLACK_COMMAND names another. */
export const ROOT_COMMAND = "/bell";

/** What draws its messages on the console's page. */
export const PAGE = new URL("./page/", import.meta.url);

/** The base of Slack's methods, unless SLACK_API_URL names another. */
export const API_URL = "https://slack.com/api/";

/** Codes of a failure of Slack's that passes: https://docs.slack.dev/reference/methods/oauth.v2.access#errors. */
export const TEMPORARY_ERRORS: ReadonlySet<string> = new Set([
  "ratelimited",
  "internal_error",
  "fatal_error",
  "request_timeout",
  "service_unavailable",
]);

/** Slack, without its libraries. */
export const slackPlatform: ChatPlatform = {
  kind: "chat",
  id: "slack",
  name: "Slack",
  workspace: "workspace",
  peoplePerWorkspace: true,
  managers: "full members of this workspace",
  managersInDirectMessages: true,
  token: { setting: "SLACK_BOT_TOKEN", source: "on the page Install App of your app: the Bot User OAuth Token" },
  files: { maxBytes: MAX_FILE_BYTES, maxCount: MAX_FILES },
  pictures: "over",
  exampleChannel: "C0123ABCD",
  isDirect: ({ channel }) => channel.startsWith("D"),
  kindOfId(id) {
    if (!/^[A-Z][A-Z0-9]{5,}$/u.test(id)) return undefined;
    return /^[UW]/u.test(id) ? "person" : "channel";
  },
  parseMention(typed) {
    const group = /^(?:@?!?subteam\^|<!subteam\^)?(S[A-Z0-9]{5,})(?:\|.*)?>?$/u.exec(typed)?.[1];
    const person = /^(?:user:|<@)?([UW][A-Z0-9]{5,})(?:\|.*)?>?$/u.exec(typed)?.[1];
    return group ?? (person === undefined ? undefined : `user:${person}`);
  },
  directMessagesRemedy:
    "Ask the operator to give the app the scope im:write and its Messages Tab (on the page App Home of the app)",
  mentionRemedy:
    "Give the user group's id, as in S0123ABCD: it stands behind ⋮ in the group's profile. Everyone in the channel cannot be notified.",
  mentionHint: "on Slack a group's id (S0123ABCD)",
};

/** The same where its app is installed in many workspaces. */
export const manySlackPlatform: ChatPlatform = {
  ...slackPlatform,
  destinationsPerWorkspace: true,
  exampleChannel: `T0123ABCD/${slackPlatform.exampleChannel}`,
};
