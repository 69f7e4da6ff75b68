// The subcommand `doctor`: checks an installation. This module lists the checks, and examines settings, addresses and
// the folder of exports; `checks.ts` runs and prints them. Each other module examines one side.
import { existsSync, statSync } from "node:fs";
import { mkdtemp, rmdir, statfs } from "node:fs/promises";
import path from "node:path";

import type { ConfiguredPlatform, PlatformRecord, PlatformService } from "../../adapters/chat/chat.ts";
import { fault, type Finding, noAnswer, ok, warning } from "../../adapters/finding.ts";
import { type AlertsConfig, DEFAULT_ALERTS_CONFIG } from "../../alerts/alerts-config.ts";
import { type ExaminedConfig, loadExaminedConfig } from "../../config.ts";
import type { SettingFinding } from "../../config/settings.ts";
import { codeOf, UserError } from "../../errors.ts";
import { silentLog } from "../../log.ts";
import { isLoopback } from "../../units/loopback.ts";
import { isPostgresUrl } from "../../store/postgres-url.ts";
import type { Milliseconds } from "../../units/time.ts";
import { formatBytes } from "../../units/format-number.ts";
import { readAlertsConfig } from "../alerting/alerting-settings.ts";
import { exportSettings } from "../export-jobs.ts";
import { pingOnce } from "../health/dead-man-switch.ts";
import { networkNames } from "../networks.ts";
import { PLATFORM_RECORDS } from "../platforms/list.ts";
import { type ChatConfig, type Config, configuredChats, platformsOf } from "../platforms/platforms.ts";
import { type Check, exitCodeOf, findingLine, runChecks, summaryOf, withoutFaulty } from "./checks.ts";
import { examineConsole } from "./console.ts";
import { examineDatabase } from "./database.ts";
import { networkChecks } from "./networks.ts";

const TIMEOUT_MILLIS: Milliseconds = 5000;

/** Checks everything the bot depends on: one line per finding, with its remedy. */
export async function doctor(
  args: readonly string[],
  records: readonly PlatformRecord[] = PLATFORM_RECORDS,
): Promise<number> {
  const unknown = args.find((arg) => arg !== "--ping");
  if (unknown !== undefined) {
    throw new UserError("npm run doctor takes nothing but --ping.", {
      remedy: "With --ping it also pings DEADMAN_URL once, which tells that service that all is well.",
    });
  }
  const examined = loadExaminedConfig(records);
  const { config } = examined;
  const { config: alerts, finding: alertsFile } = alertsConfigOf(config.alerting.configFile);
  const { exportFolder } = config;
  const exportFolderChecks: Check[] =
    exportFolder === undefined
      ? []
      : [{ name: "EXPORT_DIR", run: async () => [await examineExportPlace(exportFolder)] }];
  const checks: Check[] = [
    { name: "settings", run: () => Promise.resolve(examineSettings(examined)) },
    { name: "file .env", run: () => Promise.resolve([examineEnvFile(process.cwd())]) },
    { name: "Node.js", run: () => Promise.resolve([examineNode()]) },
    ...networkChecks(config, alerts.clock.drift),
    ...platformChecks(config),
    ...endpointChecks(config),
    { name: "console", run: async (signal) => [await examineConsole(config, signal)] },
    { name: "alerts", run: () => Promise.resolve([alertsFile]) },
    { name: "pictures", run: async () => [await examinePictures()] },
    { name: "DEADMAN_URL", run: (signal) => checkDeadManSwitch(examined, args.includes("--ping"), signal) },
    ...exportFolderChecks,
    databaseCheck(config),
  ];
  const findings = await runChecks(withoutFaulty(checks, examined.faults), (finding) =>
    console.log(findingLine(finding)),
  );
  console.log(summaryOf(findings));
  return exitCodeOf(findings);
}

function databaseCheck(config: Config): Check {
  const { databaseUrl: url, looks } = config;
  const platforms = platformsOf(config);
  const now = Date.now();
  if (!isPostgresUrl(url))
    return { name: "database", blocks: true, run: () => examineDatabase({ url, platforms, now, looks }) };
  return {
    name: "database",
    run: async () =>
      (await import("./database-server.ts")).examineServer({
        url,
        exportFolder: exportSettings(config).directory,
        platforms,
        now,
        looks,
      }),
  };
}

/** Checks each platform that is set up, without its libraries. */
function platformChecks(config: Config): Check[] {
  const { operators } = config.alerting;
  return configuredChats(config).map(({ platform: { id, name }, service }) => ({
    name,
    async run(signal) {
      const { commands } = await import("../../../commands/index.ts");
      return service.examine({
        commands,
        platforms: platformsOf(config),
        networks: networkNames(config),
        channels: operators?.platform === id ? [{ id: operators.channel, setting: "OPERATOR_CHANNEL" }] : [],
        // Another check says what is wrong with a database that cannot be read.
        installations: () => installationsIn(config.databaseUrl, id).catch(() => undefined),
        now: () => Date.now(),
        signal,
      });
    },
  }));
}

/** Whether the native module that draws pictures for chats can be loaded. */
async function examinePictures(): Promise<Finding> {
  const { whyNoPictures } = await import("../../chart/png.ts");
  const why = await whyNoPictures();
  return why === undefined
    ? ok("pictures", "can be drawn for chats")
    : warning(
        "pictures",
        `cannot be drawn here, so that answers in chats come without them (${why})`,
        "Run npm ci again, without --omit=optional; or go without pictures.",
      );
}

async function installationsIn(url: string, platform: string) {
  const { createStore } = await import("../../store/create-store.ts");
  const store = createStore({ url, log: silentLog(), hold: "read" });
  try {
    return await store.installations.all(platform);
  } finally {
    await store.close();
  }
}

async function checkDeadManSwitch(examined: ExaminedConfig, ping: boolean, signal: AbortSignal): Promise<Finding[]> {
  const found = examineDeadManSwitch(examined);
  const { deadmanUrl } = examined.config.alerting;
  if (!ping || deadmanUrl === undefined) return found;
  const failed = await pingOnce(deadmanUrl, signal);
  const check = "DEADMAN_URL";
  return [
    failed === undefined
      ? ok(check, "was pinged once, and took it")
      : noAnswer(check, failed, "Compare the address with what the service shows."),
  ];
}

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
    ...contradictions.filter(({ setting }) => setting === undefined).map(findingOf),
  ];
  const platforms = configuredChats(config).map(({ platform }) => platform.name);
  const served =
    platforms.length === 0 ? "no platform is set up: the console and the terminal alone" : platforms.join(" and ");
  return [
    ...(findings.length > 0 ? findings : [ok(check, served)]),
    ...contradictions.filter(({ setting }) => setting !== undefined && setting !== DEADMAN).map(findingOf),
    // A name that is nearly right is among the findings already.
    ...unknown
      .filter(({ name }) => !contradictions.some(({ what }) => what.startsWith(`${name} `)))
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

/** The endpoints to which platforms post over HTTP, or send browsers, as they are reached from outside. */
export function endpointChecks(config: ChatConfig): Check[] {
  return configuredChats(config).flatMap(({ platform, service }) =>
    service.endpoints.map((endpoint) => ({
      name: endpoint.name,
      run: async (signal) => [await examineEndpoint(endpoint, platform.name, signal)],
    })),
  );
}

/**
 * Posts nothing, unsigned, which the running bot refuses with 401. Gets a page as a browser would, which the running bot
 * redirects with 302, and does not follow it. Never rejects.
 */
export async function examineEndpoint(
  { name, url, method }: PlatformService["endpoints"][number],
  platform: string,
  signal: AbortSignal,
): Promise<Finding> {
  const isPage = method === "GET";
  const { hostname, protocol } = new URL(url);
  if (!isPage && protocol === "http:" && !isLoopback(hostname)) {
    const remedy = "Put a proxy with TLS in front of it, and set PUBLIC_URL to its https:// address.";
    return fault(name, "PUBLIC_URL is an http:// address, to which no platform posts", remedy);
  }
  const requests = isPage ? "requests" : "POST requests";
  const remedy = `Look whether the bot runs, and whether the proxy of PUBLIC_URL passes ${requests} to it.`;
  const right = isPage ? 302 : 401;
  try {
    const late = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MILLIS)]);
    const { status } = await fetch(url, { method: method ?? "POST", redirect: "manual", signal: late });
    if (status !== right) {
      return warning(name, `${url} answers HTTP ${status} from here, where the running bot says ${right}`, remedy);
    }
    const does = isPage
      ? `sends people to ${platform}: give them this link`
      : "answers, and refuses what is not signed";
    return ok(name, `${url} ${does}`);
  } catch {
    return warning(name, `${url} cannot be reached from here`, remedy);
  }
}

/** Whether the folder of EXPORT_DIR, or the parent in which it is to be made, takes files. */
export async function examineExportPlace(folder: string): Promise<Finding> {
  const check = "EXPORT_DIR";
  let there = path.resolve(folder);
  while (!existsSync(there) && path.dirname(there) !== there) there = path.dirname(there);
  try {
    await rmdir(await mkdtemp(path.join(there, ".bellwether-probe-")));
  } catch (thrown) {
    const remedy = "Name a folder to which this user may write: no ledger export can be made there.";
    return fault(check, `${there} takes no files (${codeOf(thrown)})`, remedy);
  }
  const { bavail, bsize } = await statfs(there);
  return ok(check, `${formatBytes(bavail * bsize)} are free in ${there}`);
}
