import { statSync } from "node:fs";
import path from "node:path";

import { fault, type Finding, ok, warning } from "../../adapters/finding.ts";
import type { ExaminedConfig } from "../../config/config.ts";

/** The settings as they were read. */
export function examineSettings({ config, faults }: ExaminedConfig): Finding[] {
  const check = "settings";
  const remedy = "Mend it in .env or the environment; .env.example describes each setting.";
  const findings: Finding[] = [
    ...faults.map((what) => fault(check, what, remedy)),
    ...config.hints.map((hint) =>
      warning(check, hint.replace(/did you mean (\w+)\?$/u, "$1 is").replace(/\.$/u, ""), remedyOf(hint)),
    ),
  ];
  if (findings.length > 0) return findings;
  const platforms = [
    ...(config.discord === undefined ? [] : ["Discord"]),
    ...(config.slack === undefined ? [] : ["Slack"]),
  ];
  return [
    ok(
      check,
      platforms.length === 0 ? "no platform is set up: the console and the terminal alone" : platforms.join(" and "),
    ),
  ];
}

/** A line without “=” sets nothing, so there is no name to mend. */
function remedyOf(hint: string): string {
  return /^Line \d+ of \.env /u.test(hint) ? "Write it as NAME=value, or take it away." : "Rename it, or take it away.";
}

/** The file of settings holds tokens: nobody else on this machine needs to read it. */
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
const OLDEST = [24, 15] as const;

export function examineNode(version = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const check = "Node.js";
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return ok(check, version);
  return fault(check, `${version} is too old`, `Install Node.js ${OLDEST.join(".")} or later, then run npm ci.`);
}
