import { statSync } from "node:fs";
import path from "node:path";

import { fault, type Finding, ok, warning } from "../../adapters/finding.ts";
import { type AlertsConfig, DEFAULT_ALERTS_CONFIG } from "../../alerts/alerts-config.ts";
import type { ConfiguredPlatform } from "../../adapters/chat/chat.ts";
import type { ExaminedConfig } from "../../config.ts";
import { UserError } from "../../errors.ts";
import type { SettingFinding } from "../../config/settings.ts";
import { readAlertsConfig } from "../alerting/alerting-settings.ts";
import { configuredChats } from "../platforms/platforms.ts";

/** The faults, the contradictions and the unknown names of the settings. */
export function examineSettings({
  config,
  faults,
  findings: contradictions,
  unknown,
}: Pick<ExaminedConfig<ConfiguredPlatform>, "config" | "faults" | "findings" | "unknown">): Finding[] {
  const check = "settings";
  const remedy = "Mend it in .env or the environment; .env.example describes each setting.";
  const findings: Finding[] = [
    ...faults.map((what) => fault(check, what, remedy)),
    ...config.hints.map((hint) =>
      warning(check, hint.replace(/did you mean (\w+)\?$/u, "$1 is").replace(/\.$/u, ""), remedyOf(hint)),
    ),
  ];
  const platforms = configuredChats(config).map(({ platform }) => platform.name);
  const served =
    platforms.length === 0 ? "no platform is set up: the console and the terminal alone" : platforms.join(" and ");
  return [
    ...(findings.length > 0 ? findings : [ok(check, served)]),
    ...contradictions.filter(({ setting }) => setting !== DEADMAN).map(findingOf),
    // A name that is nearly right is among the hints already.
    ...unknown
      .filter(({ name }) => !config.hints.some((hint) => hint.startsWith(`${name} `)))
      .map(({ name, nearest }) => {
        const near = nearest === undefined ? "" : `; the nearest one is ${nearest}`;
        const renamed = "Rename it, or take it away; .env.example has them all.";
        return warning("file .env", `${name} is no setting${near}`, renamed);
      }),
  ];
}

function findingOf({ severity, setting = "settings", what, remedy = "Mend it." }: SettingFinding): Finding {
  return (severity === "fault" ? fault : warning)(setting, what, remedy);
}

const DEADMAN = "DEADMAN_URL";

/** What to do about a hint. A line without “=” has no name to mend. */
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

/** The settings of alerts; the defaults where the file cannot be read. */
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

/** Examines only the address of the dead man's switch: a ping would report that the bot is well. */
export function examineDeadManSwitch({ config, findings }: Pick<ExaminedConfig, "config" | "findings">): Finding[] {
  const found = findings.filter(({ setting }) => setting === DEADMAN).map(findingOf);
  if (found.length > 0) return found;
  const isSet = config.alerting.deadmanUrl !== undefined;
  return [ok(DEADMAN, isSet ? "is set; it was not pinged (npm run doctor -- --ping does)" : "not set")];
}
