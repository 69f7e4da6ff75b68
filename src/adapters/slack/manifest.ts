import type { AnyCommand } from "../../bot/command.ts";
import { shortUsage } from "../../bot/grammar/usage.ts";
import { WHY_THIS_ALERT } from "../chat/why-this-alert.ts";
import { MANIFEST_DESCRIPTION_LENGTH, MANIFEST_LONG_DESCRIPTION_LENGTHS, USAGE_HINT_LENGTH } from "./limits.ts";
import { ROOT_COMMAND } from "./platform.ts";
import { cutLabel } from "../chat/bounds.ts";

/** The bot's scopes and the feature that each is for. None lets it read conversations. */
export const SCOPES = {
  commands: "the slash command, its forms, and the shortcuts",
  "chat:write": "answers to mentions, answers that come late, and alerts",
  "files:write": "ledger exports and long tables as CSV files",
  "files:read": "seeing that a file arrived, since Slack may take one and share it nowhere",
  "im:write": "private files, late answers and what people watch for themselves, in the app's direct messages",
  "app_mentions:read": "mentions, which work in threads where slash commands do not",
  "users:read":
    "telling guests and apps from full members, who alone may change a channel's alerts and who sees answers; the time zone of who asks what was told",
  "usergroups:read":
    "optional: letting the members of a user group that an alert mentions acknowledge it, and of one in ALERT_MANAGERS change alerts; offering groups in forms",
} as const;

/** The scopes among them that may be left out: https://docs.slack.dev/changelog/2026/03/16/optional-scopes. */
export const OPTIONAL_SCOPES: readonly string[] = ["usergroups:read"];

/** Events that Slack sends, beside commands and buttons. */
const EVENTS: readonly string[] = ["app_home_opened", "app_mention", "app_uninstalled", "tokens_revoked"];

/** What people choose from Slack's menus: https://docs.slack.dev/interactivity/implementing-shortcuts. */
export const SHORTCUTS = {
  why: {
    name: WHY_THIS_ALERT,
    type: "message",
    callback_id: "why",
    description: "The whole story of the alert in a message: what was decided, sent and received",
  },
  ask: {
    name: "Ask Bellwether",
    type: "global",
    callback_id: "ask",
    description: "Ask about the network from anywhere in Slack",
  },
} as const;

const DESCRIPTION = "Answers questions about the trading network, and says first when something is wrong with it.";

/** The addresses that a manifest names. */
export interface ManifestAddresses {
  /** Where Slack posts requests; left out: they come over Socket Mode. */
  readonly endpoint?: string | undefined;
  /** Where Slack sends people who install the app; left out: it is installed in one workspace by hand. */
  readonly redirectUrl?: string | undefined;
}

/** The app's manifest (https://docs.slack.dev/reference/app-manifest, as far as it is used). */
export function slackManifest(
  commands: readonly AnyCommand[],
  command = ROOT_COMMAND,
  { endpoint, redirectUrl }: ManifestAddresses = {},
) {
  const requestUrl = endpoint === undefined ? {} : { request_url: endpoint };
  return {
    _metadata: { major_version: 2, minor_version: 1 },
    display_information: {
      name: "Bellwether",
      description: cutLabel(DESCRIPTION, MANIFEST_DESCRIPTION_LENGTH).text,
      long_description: longDescription(commands, command),
      background_color: "#1f2a44",
    },
    features: {
      app_home: { home_tab_enabled: true, messages_tab_enabled: true, messages_tab_read_only_enabled: true },
      bot_user: { display_name: "bellwether", always_online: true },
      slash_commands: [
        {
          command,
          ...(endpoint === undefined ? {} : { url: endpoint }),
          description: "Ask about the network: its time, markets, orders, stake, ledgers",
          usage_hint: usageHint(commands),
          should_escape: true,
        },
      ],
      shortcuts: Object.values(SHORTCUTS),
    },
    oauth_config: {
      ...(redirectUrl === undefined ? {} : { redirect_urls: [redirectUrl] }),
      scopes: { bot: Object.keys(SCOPES), bot_optional: OPTIONAL_SCOPES },
    },
    settings: {
      event_subscriptions: { ...requestUrl, bot_events: EVENTS },
      interactivity: {
        is_enabled: true,
        ...requestUrl,
        ...(endpoint === undefined ? {} : { message_menu_options_url: endpoint }),
      },
      org_deploy_enabled: redirectUrl !== undefined,
      socket_mode_enabled: endpoint === undefined,
      token_rotation_enabled: redirectUrl !== undefined,
    },
  };
}

function longDescription(commands: readonly AnyCommand[], command: string): string {
  const asked = commands.map((one) => `${command} ${one.name}: ${one.summary}`).join("\n");
  const scopes = Object.entries(SCOPES)
    .map(([scope, feature]) => `${scope}: ${feature}`)
    .join("\n");
  const text =
    "Bellwether reads the data nodes of the trading network and changes nothing there. Answers go to the asker alone, " +
    `who may share them.\n\nWhat it may do, and why:\n${scopes}\n\nWhat can be asked:\n${asked}`;
  return cutLabel(text, MANIFEST_LONG_DESCRIPTION_LENGTHS.max).text.padEnd(MANIFEST_LONG_DESCRIPTION_LENGTHS.min);
}

/** The commands in their shortest form, as many as Slack shows. */
function usageHint(commands: readonly AnyCommand[]): string {
  let hint = "";
  for (const one of commands) {
    const next = hint === "" ? shortUsage(one) : `${hint} | ${shortUsage(one)}`;
    if (next.length > USAGE_HINT_LENGTH - 4) return `${hint} | …`;
    hint = next;
  }
  return hint;
}

/** The manifest as the file that people paste into Slack. */
export function manifestFile(commands: readonly AnyCommand[], command?: string, addresses?: ManifestAddresses): string {
  return `${JSON.stringify(slackManifest(commands, command, addresses), undefined, 2)}\n`;
}
