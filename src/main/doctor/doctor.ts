// The subcommand `doctor`: checks an installation. This module lists the checks and `checks.ts` runs and prints them;
// each other module examines one side.
import { readFile } from "node:fs/promises";

import { type Finding, noAnswer, ok } from "../../adapters/finding.ts";
import { webhookUrl } from "../../adapters/webhook.ts";
import { type Config, loadExaminedConfig } from "../../config.ts";
import type { SlackOAuthConfig } from "../../config/slack-settings.ts";
import { NETWORKS } from "../../config/environment.ts";
import { UserError } from "../../errors.ts";
import { isPostgresUrl, passwordsOf } from "../../store/postgres/postgres-url.ts";
import { exportFolders } from "../export-jobs.ts";
import { pingOnce } from "../health/dead-man-switch.ts";
import { PLATFORMS, slackAddresses } from "../platforms/platforms.ts";
import { type Check, createRedactor, exitCodeOf, findingLine, runChecks, summaryOf, withoutFaulty } from "./checks.ts";
import { examineConsole } from "./console.ts";
import { examineDatabase } from "./database.ts";
import { examineExportPlace } from "./export-folder.ts";
import { endpointChecks } from "./endpoints.ts";
import { networkChecks } from "./networks.ts";
import {
  alertsConfigOf,
  examineDeadManSwitch,
  examineEachSetting,
  examineEnvFile,
  examineNode,
  examineOperators,
  examineSettings,
} from "./settings.ts";

/** Checks everything the bot depends on: one line per finding, with its remedy. */
export async function doctor(args: readonly string[]): Promise<number> {
  const unknown = args.find((arg) => arg !== "--ping");
  if (unknown !== undefined) {
    throw new UserError("npm run doctor takes nothing but --ping.", {
      remedy: "With --ping it also pings DEADMAN_URL once, which tells that service that all is well.",
    });
  }
  const examined = loadExaminedConfig();
  const { config } = examined;
  const redact = createRedactor(secretsOf(config));
  const { config: alerts, finding: alertsFile } = alertsConfigOf(config.alerting.configFile);
  const checks: Check[] = [
    { name: "settings", run: () => Promise.resolve([...examineSettings(examined), ...examineEachSetting(examined)]) },
    { name: "file .env", run: () => Promise.resolve([examineEnvFile(process.cwd())]) },
    { name: "Node.js", run: () => Promise.resolve([examineNode()]) },
    ...networkChecks(config, alerts.clock.drift),
    ...platformChecks(config),
    ...endpointChecks(config),
    { name: "console", run: (signal) => examineConsole(config, signal) },
    { name: "alerts", run: () => Promise.resolve([alertsFile, ...examineOperators(config)]) },
    { name: "DEADMAN_URL", run: (signal) => checkDeadManSwitch(config, args.includes("--ping"), signal) },
    ...exportFolderChecks(config),
    databaseCheck(config),
  ];
  const findings = await runChecks(withoutFaulty(checks, examined.faults), (finding) =>
    console.log(findingLine(finding, redact)),
  );
  console.log(summaryOf(findings));
  return exitCodeOf(findings);
}

/** Without a setting it is beside the database, or where the system has its temporary files. */
function exportFolderChecks({ exportFolder }: Config): Check[] {
  if (exportFolder === undefined) return [];
  return [{ name: "EXPORT_DIR", run: async () => [await examineExportPlace(exportFolder)] }];
}

function databaseCheck(config: Config): Check {
  const { databaseUrl: url } = config;
  if (!isPostgresUrl(url)) return { name: "database", blocks: true, run: () => examineDatabase(url, Date.now()) };
  return {
    name: "database",
    run: async () =>
      (await import("./database-server.ts")).examineServer(url, exportFolders(config).directory, Date.now()),
  };
}

/** Each platform whose token is set, without its libraries. */
function platformChecks(config: Config): Check[] {
  const { discord, slack, slackCommand: command, alerting } = config;
  // As the bot names them, the default one first.
  const names =
    config.networks.length === 0
      ? NETWORKS.toSorted((a, b) => Number(b === config.defaultNetwork) - Number(a === config.defaultNetwork))
      : config.networks.map(({ name }) => name);
  const channelsOn = (platform: string) =>
    alerting.operators?.platform === platform ? [{ id: alerting.operators.channel, setting: "OPERATOR_CHANNEL" }] : [];
  const common = { now: () => Date.now() };
  const checks: Check[] = [];
  if (discord !== undefined) {
    checks.push({
      name: "Discord",
      async run(signal) {
        const [{ examineDiscord }, { commands: bare }, { withCommonOptions }] = await Promise.all([
          import("../../adapters/discord/doctor.ts"),
          import("../../../commands/index.ts"),
          import("../../bot/command.ts"),
        ]);
        const commands = bare.map((one) => withCommonOptions(one, PLATFORMS));
        return examineDiscord({
          ...common,
          ...discord,
          publicUrl: config.web.publicUrl,
          commands,
          networks: names,
          channels: channelsOn("discord"),
          signal,
        });
      },
    });
  }
  if (slack !== undefined) {
    checks.push({
      name: "Slack",
      async run(signal) {
        const [{ examineSlack }, { commands }, manifest] = await Promise.all([
          import("../../adapters/slack/doctor.ts"),
          import("../../../commands/index.ts"),
          readFile(new URL("../../../slack-manifest.json", import.meta.url), "utf8").catch(() => undefined),
        ]);
        return examineSlack({
          ...common,
          ...slack,
          command,
          commands,
          manifest,
          addresses: slackAddresses(config),
          ...(slack.oauth === undefined ? {} : await keptInstallations(slack.oauth, config.databaseUrl)),
          channels: channelsOn("slack"),
          signal,
        });
      },
    });
  }
  return checks;
}

/** What the database has of an app of many workspaces. */
async function keptInstallations({ publicUrl, secretKeys }: SlackOAuthConfig, databaseUrl: string) {
  const [{ readInstallations }, { KeyRing }, { openTokens }, { INSTALL_PATH }] = await Promise.all([
    import("../../store/read-installations.ts"),
    import("../../adapters/slack/install/key-ring.ts"),
    import("../../adapters/slack/install/sealed-tokens.ts"),
    import("../../adapters/slack/install/install-state.ts"),
  ]);
  const keys = new KeyRing(secretKeys);
  const rows = await readInstallations(databaseUrl, "slack");
  return {
    installUrl: webhookUrl(INSTALL_PATH, publicUrl),
    installations: rows
      ?.filter((row) => row.removed_at === null)
      .map((row) => ({
        ...row,
        botToken: openTokens(keys, row)?.botToken,
        expired: row.expires_at !== null && row.expires_at < Date.now(),
      })),
  };
}

async function checkDeadManSwitch(config: Config, ping: boolean, signal: AbortSignal): Promise<Finding[]> {
  const found = examineDeadManSwitch(config);
  const { deadmanUrl } = config.alerting;
  if (!ping || deadmanUrl === undefined) return [found];
  const failed = await pingOnce(deadmanUrl, signal);
  const check = "DEADMAN_URL";
  const after =
    failed === undefined
      ? ok(check, "was pinged once, and took it")
      : noAnswer(check, failed, "Compare the address with what the service shows.");
  return found.state === "ok" ? [after] : [found, after];
}

function secretsOf({ discord, slack, web, alerting, databaseUrl }: Config): (string | undefined)[] {
  const database = isPostgresUrl(databaseUrl) ? passwordsOf(databaseUrl) : [];
  const secrets = [discord?.token, slack?.botToken, slack?.appToken, slack?.signingSecret, web.token];
  if (slack?.oauth !== undefined) {
    const { clientSecret, secretKeys } = slack.oauth;
    secrets.push(clientSecret, ...secretKeys.map((key) => Buffer.from(key).toString("base64")));
  }
  return [...secrets, alerting.deadmanUrl, ...database];
}
