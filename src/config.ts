// The settings: environment variables and `.env`, read here alone and checked all at once.
// Read next: config/environment.ts (every variable, and the values it takes), config/env-file.ts (`.env`),
// config/slack-settings.ts.
import { existsSync, readFileSync } from "node:fs";

import { closest, distance } from "fastest-levenshtein";

import { type EnvFile, parseEnvFile } from "./config/env-file.ts";
import { Environment, type NetworkName, NETWORKS, VARIABLES } from "./config/environment.ts";
import { type NeedsServer, type SlackConfig, slackConfigOf, slackFaults } from "./config/slack-settings.ts";
import { messageOf, UserError } from "./errors.ts";
import type { LogLevel } from "./log.ts";
import { isLoopback } from "./loopback.ts";

interface NetworkConfig {
  readonly name: NetworkName;
  /** Data nodes in the order in which they are asked; one at least. */
  readonly urls: readonly string[];
  /** The node that serves /parties/stake, where it is not the data node. */
  readonly coreUrl: string | undefined;
  /** How long each data node keeps ledger entries, in days, Infinity for ever: one for each, or none where unknown. */
  readonly ledgerDays: readonly number[];
}

interface DiscordConfig {
  readonly token: string;
  readonly applicationId: string | undefined;
  readonly guildId: string | undefined;
  /** 64 hexadecimal digits: interactions come over HTTP, and no gateway is opened. */
  readonly publicKey: string | undefined;
  readonly apiUrl: string | undefined;
}

/** Destinations of alerts besides subscribed channels, and the people who may change them. */
interface AlertingConfig {
  /** A JSON file; see AlertsConfig in alerts/. */
  readonly configFile: string | undefined;
  /** Ids of people, `slack:U…`, `discord:…` or bare; undefined = whoever manages the channel. */
  readonly managers: readonly string[] | undefined;
  /** The channel for notices to the operators. */
  readonly operators: { readonly platform: string; readonly workspace?: string; readonly channel: string } | undefined;
  /** Requested regularly while the bot is healthy. */
  readonly deadmanUrl: string | undefined;
}

/** The checked settings. */
export interface Config {
  /** The default network first. Empty = the embedded simulator serves. */
  readonly networks: readonly NetworkConfig[];
  readonly defaultNetwork: NetworkName;
  readonly discord: DiscordConfig | undefined;
  readonly slack: SlackConfig | undefined;
  readonly slackCommand: string;
  /** How Slack's requests come, whether or not its bot token is set yet. */
  readonly slackMode: "socket" | "http";
  readonly alerting: AlertingConfig;
  readonly databaseUrl: string;
  /** Where ledger exports are made and kept; undefined = beside the database, and among temporary files. */
  readonly exportFolder: string | undefined;
  readonly web: {
    readonly host: string;
    /** 0 = no web page; undefined = 8080 or the next free one. */
    readonly port: number | undefined;
    readonly token: string | undefined;
    readonly publicUrl: string | undefined;
    /** IP addresses and networks of proxies that name their client. */
    readonly trustProxy: readonly string[];
  };
  /** Whether people on the platforms may be shown the simulator where no data node is set up. */
  readonly allowSimulator: boolean;
  /** Undefined = whatever suits the subcommand. */
  readonly logLevel: LogLevel | undefined;
  /** Possible mistakes that are no faults, such as a name close to one of ours. Sentences without values. */
  readonly hints: readonly string[];
}

/** The default. */
const DATABASE_URL = "file:./data/bellwether.db";

/**
 * Reads `.env` in the working directory where there is one, then the environment, which wins.
 *
 * @throws UserError that names every fault at once, and no value.
 */
export function loadConfig(): Config {
  const { hints } = readEnvFile();
  const config = parseConfig(process.env);
  return hints.length === 0 ? config : { ...config, hints: [...hints, ...config.hints] };
}

/** LOG_LEVEL alone; undefined when unset or wrong. */
export function loadLogLevel(): LogLevel | undefined {
  readEnvFile();
  return Environment.shape.LOG_LEVEL.safeParse(process.env["LOG_LEVEL"] || undefined).data;
}

/** The terminal preferences of the environment, each variable unchanged. */
export interface TerminalPreferences {
  readonly noColor: string | undefined;
  readonly forceColor: string | undefined;
  readonly term: string | undefined;
  readonly columns: string | undefined;
}

/** The variables that every terminal program reads; they are no settings of Bellwether's. */
export function terminalPreferences(): TerminalPreferences {
  const { NO_COLOR, FORCE_COLOR, TERM, COLUMNS } = process.env;
  return { noColor: NO_COLOR, forceColor: FORCE_COLOR, term: TERM, columns: COLUMNS };
}

/** Adds the settings of the file to the environment, which wins. */
function readEnvFile(): EnvFile {
  if (!existsSync(".env")) return { values: {}, hints: [], unknown: [] };
  try {
    const read = parseEnvFile(readFileSync(".env"));
    for (const [name, value] of Object.entries(read.values)) process.env[name] ??= value;
    return read;
  } catch (thrown) {
    if (thrown instanceof UserError) throw thrown;
    throw new UserError(`The file .env cannot be read: ${messageOf(thrown)}.`, {
      remedy: "Let this user read it, or remove it.",
      cause: thrown,
    });
  }
}

/** The valid settings of an environment, and all its faults. */
export interface ExaminedConfig {
  /** A variable at fault counts as unset. */
  readonly config: Config;
  /** Sentences without their full stop, and without values. */
  readonly faults: readonly string[];
  /** The variables that are set, with their values: secrets among them. */
  readonly set: Partial<Readonly<Record<keyof Environment, string>>>;
  /** Names in `.env` that are no settings. */
  readonly unknown: EnvFile["unknown"];
}

/** The same as `loadConfig` for callers that go on despite faults. Never throws. */
export function loadExaminedConfig(): ExaminedConfig {
  try {
    const { hints, unknown } = readEnvFile();
    const examined = examineConfig(process.env);
    return { ...examined, config: { ...examined.config, hints: [...hints, ...examined.config.hints] }, unknown };
  } catch (thrown) {
    const examined = examineConfig(process.env);
    return { ...examined, faults: [messageOf(thrown).replace(/\.$/u, ""), ...examined.faults] };
  }
}

/** The same for a given environment. */
export function examineConfig(given: Readonly<Record<string, string | undefined>>): ExaminedConfig {
  const set = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined && value.trim() !== ""),
  );
  const hints = [...likelyTypos(Object.keys(set)), ...idleKeys(set)];
  const issues = Environment.safeParse(set).error?.issues ?? [];
  const wrong = new Set(issues.map(({ path: [name] }) => String(name)));
  const right = Object.fromEntries(Object.entries(set).filter(([name]) => !wrong.has(name)));
  const faults = issues.map((issue) => `${issue.path.join(".")} ${issue.message}`);
  const known = Object.fromEntries(VARIABLES.flatMap((name) => (set[name] === undefined ? [] : [[name, set[name]]])));
  return {
    config: configOf(Environment.parse(right), hints),
    faults: [...faults, ...contradictions(set)],
    set: known,
    unknown: [],
  };
}

/** Keys that serve nothing, since the token beside them is missing. */
function idleKeys(set: Readonly<Record<string, unknown>>): string[] {
  const idle = (key: string, ...tokens: readonly string[]): string[] =>
    set[key] === undefined || tokens.some((token) => set[token] !== undefined)
      ? []
      : [`${key} is set, but not ${tokens.join(" or ")}: nothing connects to that platform.`];
  return [
    ...idle("DISCORD_PUBLIC_KEY", "DISCORD_TOKEN"),
    ...idle("SLACK_SIGNING_SECRET", "SLACK_BOT_TOKEN", "SLACK_CLIENT_ID"),
  ];
}

/** The same for a given environment, which must be right. An empty variable counts as unset. */
export function parseConfig(given: Readonly<Record<string, string | undefined>>): Config {
  const { config, faults } = examineConfig(given);
  if (faults.length > 0) throw configError(faults, config.hints);
  return config;
}

function configOf(env: Environment, hints: readonly string[]): Config {
  const networks = NETWORKS.flatMap((name): NetworkConfig[] => {
    const [urls, coreUrl, days = []] =
      name === "mainnet"
        ? [env.MAINNET_URLS, env.MAINNET_CORE_URL, env.MAINNET_LEDGER_DAYS]
        : [env.TESTNET_URLS, env.TESTNET_CORE_URL, env.TESTNET_LEDGER_DAYS];
    if (urls === undefined) return [];
    return [{ name, urls, coreUrl, ledgerDays: days.length === 1 ? urls.flatMap(() => days) : days }];
  });
  const defaultNetwork = env.DEFAULT_NETWORK ?? networks[0]?.name ?? "mainnet";
  return {
    networks: networks.toSorted((a, b) => Number(b.name === defaultNetwork) - Number(a.name === defaultNetwork)),
    defaultNetwork,
    discord:
      env.DISCORD_TOKEN === undefined
        ? undefined
        : {
            token: env.DISCORD_TOKEN,
            applicationId: env.DISCORD_APPLICATION_ID,
            guildId: env.DISCORD_GUILD_ID,
            publicKey: env.DISCORD_PUBLIC_KEY,
            apiUrl: env.DISCORD_API_URL,
          },
    slack: slackConfigOf(env),
    slackCommand: env.SLACK_COMMAND ?? "/bell",
    slackMode: env.SLACK_APP_TOKEN === undefined && env.SLACK_SIGNING_SECRET !== undefined ? "http" : "socket",
    alerting: {
      configFile: env.ALERTS_CONFIG,
      managers: env.ALERT_MANAGERS,
      operators: operatorsOf(env.OPERATOR_CHANNEL),
      deadmanUrl: env.DEADMAN_URL,
    },
    databaseUrl: env.DATABASE_URL ?? DATABASE_URL,
    exportFolder: env.EXPORT_DIR,
    web: {
      host: env.WEB_HOST ?? "127.0.0.1",
      port: env.WEB_PORT,
      token: env.WEB_TOKEN,
      publicUrl: env.PUBLIC_URL,
      trustProxy: env.TRUST_PROXY ?? [],
    },
    allowSimulator: env.ALLOW_SIMULATOR === true,
    logLevel: env.LOG_LEVEL,
    hints,
  };
}

function operatorsOf(written: string | undefined): AlertingConfig["operators"] {
  const [, platform, workspace, channel] = /^(\w+):(?:(\w+)\/)?(\w+)$/u.exec(written ?? "") ?? [];
  if (platform === undefined || channel === undefined) return undefined;
  return { platform, ...(workspace === undefined ? {} : { workspace }), channel };
}

/** Faults of variables that are valid alone and contradict each other. */
function contradictions(set: Readonly<Record<string, string | undefined>>): string[] {
  const faults: string[] = [];
  const has = (name: keyof Environment): boolean => set[name] !== undefined;
  const value = (name: keyof Environment): string => set[name]?.trim().toLowerCase() ?? "";
  const simulated = !has("MAINNET_URLS") && !has("TESTNET_URLS");
  const tokens = (["DISCORD_TOKEN", "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_CLIENT_ID"] as const).filter(has);
  const allowed = Environment.shape.ALLOW_SIMULATOR.safeParse(set["ALLOW_SIMULATOR"]).data === true;
  if (simulated && tokens.length > 0 && !allowed) {
    faults.push(
      `${tokens.join(" and ")} ${tokens.length === 1 ? "is" : "are"} set, but neither MAINNET_URLS nor TESTNET_URLS: ` +
        "set one of them to your data nodes, or ALLOW_SIMULATOR=1 to show people a simulated network",
    );
  }
  for (const name of ["MAINNET", "TESTNET"] as const) {
    for (const more of [`${name}_CORE_URL`, `${name}_LEDGER_DAYS`] as const) {
      if (has(more) && !has(`${name}_URLS`)) faults.push(`${more} is set, but not ${name}_URLS, which it adds to`);
    }
    const [nodes = 0, days = 0] = [`${name}_URLS`, `${name}_LEDGER_DAYS`].map((list) => set[list]?.split(",").length);
    if (nodes > 0 && days > 1 && days !== nodes) {
      faults.push(`${name}_LEDGER_DAYS must hold one entry, or one for each of ${name}_URLS: ${nodes}, not ${days}`);
    }
    if (!simulated && value("DEFAULT_NETWORK") === name.toLowerCase() && !has(`${name}_URLS`)) {
      faults.push(`DEFAULT_NETWORK names a network that has no ${name}_URLS`);
    }
  }
  /** Of a platform that posts its requests to this process. */
  const needsServer: NeedsServer = (why, sends, instead) => {
    const so = `${why}, so ${sends} over HTTP`;
    if (value("WEB_PORT") === "0")
      faults.push(`${so}, but WEB_PORT=0 switches the server off: set a port, or ${instead}`);
    if (!has("PUBLIC_URL"))
      faults.push(`${so}: set PUBLIC_URL to the address where this process is reached, or ${instead}`);
  };
  if (has("DISCORD_TOKEN") && has("DISCORD_PUBLIC_KEY")) {
    needsServer(
      "DISCORD_PUBLIC_KEY is set",
      "Discord sends interactions",
      "unset DISCORD_PUBLIC_KEY to use the gateway",
    );
  }
  faults.push(...slackFaults(has, { port: value("WEB_PORT") }, needsServer));
  if (has("WEB_HOST") && !isLoopback(value("WEB_HOST")) && value("WEB_PORT") !== "0" && !has("WEB_TOKEN")) {
    faults.push("WEB_HOST is not this machine alone, so WEB_TOKEN must be set: a long random word of your own");
  }
  const scheme = /^([a-z][a-z\d+.-]+):/u.exec(value("DATABASE_URL"))?.[1];
  if (scheme !== undefined && !["file", "postgres", "postgresql"].includes(scheme)) {
    faults.push(
      `DATABASE_URL must be a file, such as ${DATABASE_URL}, or a PostgreSQL server, such as postgres://user:password@host/bellwether`,
    );
  }
  return faults;
}

/** Names that are none of ours but nearly so. The environment is full of strangers, so this is a hint and no fault. */
function likelyTypos(names: readonly string[]): string[] {
  const known = new Set<string>(VARIABLES);
  return names.flatMap((name) => {
    if (known.has(name)) return [];
    const wanted = name.toUpperCase();
    const nearest = closest(wanted, VARIABLES);
    const allowed = nearest.length > 8 ? 2 : 1;
    const meant = distance(wanted, nearest) <= allowed ? nearest : VARIABLES.find((one) => isOneWordOff(wanted, one));
    return meant === undefined ? [] : [`${name} is not a setting; did you mean ${meant}?`];
  });
}

/** Other bots call theirs `DISCORD_BOT_TOKEN` or `SLACK_TOKEN`: set here, nothing would connect, and nothing say why. */
function isOneWordOff(typed: string, known: string): boolean {
  const [more, fewer] = typed.length > known.length ? [typed, known] : [known, typed];
  if (!/^(?:DISCORD|SLACK|MAINNET|TESTNET)_/u.test(fewer)) return false;
  const words = more.split("_");
  return words.some((_, index) => index > 0 && words.toSpliced(index, 1).join("_") === fewer);
}

function configError(faults: readonly string[], hints: readonly string[]): UserError {
  const lines = [...faults.map((fault) => `${fault}.`), ...hints];
  const [only] = lines;
  return new UserError(
    lines.length === 1 && only !== undefined
      ? `The configuration is wrong: ${only}`
      : `The configuration is wrong:\n${lines.map((line) => `- ${line}`).join("\n")}`,
    { remedy: "Settings come from the environment and from the file .env; .env.example describes each of them." },
  );
}
