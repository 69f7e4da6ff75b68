import { statSync } from "node:fs";
import path from "node:path";

import { fault, type Finding, ok, warning } from "../../adapters/finding.ts";
import { type AlertsConfig, DEFAULT_ALERTS_CONFIG } from "../../alerts/alerts-config.ts";
import type { Config, ExaminedConfig } from "../../config.ts";
import { UserError } from "../../errors.ts";
import { isLoopback } from "../../loopback.ts";
import { readAlertsConfig } from "../alerting/alerting-settings.ts";
import { type ChatConfig, configuredChats, PLATFORMS, platformsOf } from "../platforms/platforms.ts";

/** What a token must look like; another one is probably another thing from the same page. Values are never shown. */
const SHAPES = {
  DISCORD_TOKEN: [/^[\w-]{18,}\.[\w-]{4,}\.[\w-]{20,}$/u, "a bot's token: three parts with dots between them"],
  SLACK_BOT_TOKEN: [/^xoxb-/u, "a bot token: it begins with xoxb-"],
  SLACK_APP_TOKEN: [/^xapp-/u, "an app token: it begins with xapp-"],
} as const satisfies Partial<Record<keyof ExaminedConfig["set"], readonly [RegExp, string]>>;

/** The settings one by one: tokens that look like something else, settings without effect, names that are none. */
export function examineEachSetting({
  config,
  set,
  unknown,
}: Pick<ExaminedConfig, "config" | "set" | "unknown">): Finding[] {
  const value = (name: string): string | undefined => set[name as keyof typeof set]?.trim();
  return [
    ...Object.entries(SHAPES).flatMap(([name, [shape, what]]) => {
      const given = value(name);
      if (given === undefined || shape.test(given)) return [];
      return [warning(name, `does not look like ${what}`, "Copy it again from its page; docs/ says from which.")];
    }),
    ...(value("SLACK_SIGNING_SECRET") === undefined || value("SLACK_APP_TOKEN") === undefined
      ? []
      : [
          warning(
            "SLACK_SIGNING_SECRET",
            "is not used: SLACK_APP_TOKEN is set, so Slack's requests come over Socket Mode and not over HTTP",
            "Leave one of the two unset.",
          ),
        ]),
    ...(value("SECRET_KEY") === undefined || value("SLACK_CLIENT_ID") !== undefined
      ? []
      : [
          warning(
            "SECRET_KEY",
            "is not used: it encrypts the tokens of Slack workspaces that install the app by themselves",
            "Leave it unset, or set SLACK_CLIENT_ID and SLACK_CLIENT_SECRET, too.",
          ),
        ]),
    // A name that is nearly right is among the hints already.
    ...unknown
      .filter(({ name }) => !config.hints.some((hint) => hint.startsWith(`${name} `)))
      .map(({ name, nearest }) => {
        const near = nearest === undefined ? "" : `; the nearest one is ${nearest}`;
        return warning(
          "file .env",
          `${name} is no setting${near}`,
          "Rename it, or take it away; .env.example has them all.",
        );
      }),
  ];
}

/** The settings as they were read. */
export function examineSettings({ config, faults }: Pick<ExaminedConfig, "config" | "faults">): Finding[] {
  const check = "settings";
  const remedy = "Mend it in .env or the environment; .env.example describes each setting.";
  const findings: Finding[] = [
    ...faults.map((what) => fault(check, what, remedy)),
    ...config.hints.map((hint) =>
      warning(check, hint.replace(/did you mean (\w+)\?$/u, "$1 is").replace(/\.$/u, ""), remedyOf(hint)),
    ),
  ];
  if (findings.length > 0) return findings;
  const platforms = configuredChats(config).map(({ name }) => name);
  return [
    ok(
      check,
      platforms.length === 0 ? "no platform is set up: the console and the terminal alone" : platforms.join(" and "),
    ),
  ];
}

/** A line without “=” sets nothing, so there is no name to mend. */
function remedyOf(hint: string): string {
  if (hint.includes("byte order mark")) return "Save the file as UTF-8 without one.";
  return /^Line \d+ of \.env /u.test(hint) ? "Write it as NAME=value, or take it away." : "Rename it, or take it away.";
}

/** The file holds tokens, so only its owner should be able to read it. */
export function examineEnvFile(folder: string, platform: NodeJS.Platform = process.platform): Finding {
  const check = "file .env";
  const found = statSync(path.join(folder, ".env"), { throwIfNoEntry: false });
  if (found === undefined) return ok(check, "there is none: the settings come from the environment");
  if (platform !== "win32" && (found.mode & 0o077) !== 0) {
    const mode = (found.mode & 0o777).toString(8).padStart(3, "0");
    return warning(check, `other users of this machine may read it (mode ${mode})`, "Run chmod 600 .env.");
  }
  return ok(check, "only its owner may read it");
}

/** Below it, node:sqlite warns and the HTTP client is not supported. */
const MIN_NODE_VERSION = [24, 15] as const;

export function examineNode(version = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const check = "Node.js";
  if (major > MIN_NODE_VERSION[0] || (major === MIN_NODE_VERSION[0] && minor >= MIN_NODE_VERSION[1]))
    return ok(check, version);
  return fault(
    check,
    `${version} is too old`,
    `Install Node.js ${MIN_NODE_VERSION.join(".")} or later, then run npm ci.`,
  );
}

/** The alerts' settings as far as they can be read; the defaults where not. */
export function alertsConfigOf(file: string | undefined): { readonly config: AlertsConfig; readonly finding: Finding } {
  const check = "ALERTS_CONFIG";
  try {
    const what = file === undefined ? "not set: the defaults hold" : `${file} is right`;
    return { config: readAlertsConfig(file), finding: ok(check, what) };
  } catch (thrown) {
    if (!(thrown instanceof UserError)) throw thrown;
    const finding = fault(check, thrown.message.replace(/\.$/u, ""), thrown.remedy ?? "Mend that file.");
    return { config: DEFAULT_ALERTS_CONFIG, finding };
  }
}

/** The operators' channel as far as the settings show it; its platform's check tells whether it is reachable. */
export function examineOperators(config: Pick<Config, "alerting"> & ChatConfig): Finding[] {
  const check = "OPERATOR_CHANNEL";
  const { operators } = config.alerting;
  const chats = configuredChats(config);
  if (operators === undefined) {
    if (chats.length === 0) return [];
    const remedy = "Set it to a channel of yours, such as slack:C0123456789.";
    return [warning(check, "not set: nobody is told when a channel is lost or the bot was away", remedy)];
  }
  const served = platformsOf(config).chat(operators.platform);
  if (served?.destinationsPerWorkspace === true && operators.workspace === undefined) {
    const remedy = `Write the workspace's id before it, as in ${served.id}:${served.exampleChannel}.`;
    return [warning(check, "does not name its workspace, so it is reached while there is only one", remedy)];
  }
  if (chats.some(({ id }) => id === operators.platform)) return [];
  const token = PLATFORMS.chat(operators.platform)?.token.setting ?? "its token";
  return [
    fault(check, `names a channel on a platform that is not set up`, `Set ${token}, or name a channel elsewhere.`),
  ];
}

/** The dead man's switch, by its address alone: a ping would report that the bot is well. */
export function examineDeadManSwitch(config: Pick<Config, "alerting"> & ChatConfig): Finding {
  const check = "DEADMAN_URL";
  const url = config.alerting.deadmanUrl;
  if (url === undefined) {
    if (configuredChats(config).length === 0) return ok(check, "not set");
    const remedy = "Set it to a check of a service that you trust: it notices when this machine is gone.";
    return warning(check, "not set: nobody notices when Bellwether itself is gone", remedy);
  }
  if (new URL(url).protocol === "http:" && !isLoopback(new URL(url).hostname)) {
    return warning(check, "goes over plain http, so anybody on the way can ping it", "Use its https:// address.");
  }
  return ok(check, "is set; it was not pinged (npm run doctor -- --ping does)");
}
