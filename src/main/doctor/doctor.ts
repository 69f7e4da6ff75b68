// The subcommand `doctor`: checks an installation. This module lists the checks and `checks.ts` runs and prints them;
// each other module examines one side.
import { type Finding, noAnswer, ok } from "../../adapters/finding.ts";
import type { PlatformRecord } from "../../adapters/chat/chat.ts";
import { type ExaminedConfig, loadExaminedConfig } from "../../config.ts";
import { SECRETS } from "../../config/environment.ts";
import { UserError } from "../../errors.ts";
import { isPostgresUrl, passwordsOf } from "../../store/postgres-url.ts";
import { exportFolders } from "../export-jobs.ts";
import { pingOnce } from "../health/dead-man-switch.ts";
import { networkNames } from "../networks.ts";
import { PLATFORM_RECORDS } from "../platforms/list.ts";
import { type Config, configuredChats, platformsOf } from "../platforms/platforms.ts";
import { type Check, createRedactor, exitCodeOf, findingLine, runChecks, summaryOf, withoutFaulty } from "./checks.ts";
import { examineConsole } from "./console.ts";
import { examineDatabase } from "./database.ts";
import { examineExportPlace } from "./export-folder.ts";
import { endpointChecks } from "./endpoints.ts";
import { networkChecks } from "./networks.ts";
import { alertsConfigOf, examineDeadManSwitch, examineEnvFile, examineNode, examineSettings } from "./settings.ts";

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
  const redact = createRedactor(secretsOf(examined, records));
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
    { name: "DEADMAN_URL", run: (signal) => checkDeadManSwitch(examined, args.includes("--ping"), signal) },
    ...exportFolderChecks,
    databaseCheck(config),
  ];
  const findings = await runChecks(withoutFaulty(checks, examined.faults), (finding) =>
    console.log(findingLine(finding, redact)),
  );
  console.log(summaryOf(findings));
  return exitCodeOf(findings);
}

function databaseCheck(config: Config): Check {
  const { databaseUrl: url } = config;
  const platforms = platformsOf(config);
  const now = Date.now();
  if (!isPostgresUrl(url))
    return { name: "database", blocks: true, run: () => examineDatabase({ url, platforms, now }) };
  return {
    name: "database",
    run: async () =>
      (await import("./database-server.ts")).examineServer({
        url,
        exportFolder: exportFolders(config).directory,
        platforms,
        now,
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
        async installations() {
          const { readInstallations } = await import("../../store/installations.ts");
          return readInstallations(config.databaseUrl, id);
        },
        now: () => Date.now(),
        signal,
      });
    },
  }));
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

/** Each entry of a list is a secret of its own. */
function secretsOf({ config, set }: ExaminedConfig, records: readonly PlatformRecord[]): string[] {
  const { databaseUrl } = config;
  const database = isPostgresUrl(databaseUrl) ? passwordsOf(databaseUrl) : [];
  const names = [...SECRETS, ...records.flatMap(({ secrets }) => secrets)];
  const values = names.flatMap((name) => [set[name] ?? "", ...(set[name]?.split(",") ?? [])]);
  return [...values.map((value) => value.trim()), ...database];
}
