// The settings: environment variables and `.env`. Only this module reads them; it checks all of them at once.
// Read next: config/environment.ts (every variable, and the values it takes), config/rules.ts (which of them contradict
// each other), config/env-file.ts (`.env`), config/settings.ts (what a platform declares).
import { existsSync, readFileSync } from "node:fs";

import { closest, distance } from "fastest-levenshtein";

import { type EnvFile, parseEnvFile, type UnknownName, unknownNames } from "./config/env-file.ts";
import { Environment, environmentOf, NETWORKS, personOf, SECRETS, variablesOf } from "./config/environment.ts";
import { DATABASE_URL, settingRules } from "./config/rules.ts";
import { messageOf, UserError } from "./errors.ts";
import type { LogLevel } from "./log.ts";
import { hideSecrets, secretsInAddress } from "./units/redact.ts";
import {
  type GivenSettings,
  judgeSettings,
  nodeOf,
  type PlatformSettings,
  type SettingFinding,
} from "./config/settings.ts";

/** The longest range of a ledger export that is fetched at once, by default. */
const EXPORT_SLICE = 31 * 86_400_000;

/** The defaults of what is kept of looks: how long, in how many bytes, and of how many markets a network. */
const LOOKS_KEEP = 365 * 86_400_000;
const LOOKS_MAX = 2_000_000_000;
const LOOKS_MARKETS = 200;

/** The checked settings; `P` is what a platform makes of its own. */
export type Config<P = unknown> = ReturnType<typeof configOf<P>>;

/**
 * Reads `.env` in the working directory where there is one, then the environment, which wins.
 *
 * @throws UserError that names every fault at once, and no value.
 */
export function loadConfig<P>(platforms: readonly PlatformSettings<P>[]): Config<P> {
  const { findings } = readEnvFile();
  hideSecrets(secretsOf(process.env, platforms));
  const config = parseConfig(process.env, platforms);
  return { ...config, hints: [...findings.map(sentenceOf), ...config.hints] };
}

/** LOG_LEVEL alone; undefined when unset or wrong. */
export function loadLogLevel(): LogLevel | undefined {
  readEnvFile();
  return Environment.shape.LOG_LEVEL.safeParse(process.env["LOG_LEVEL"] || undefined).data;
}

/** The variables that every terminal program reads, unchanged; they are no settings of Bellwether's. */
export function terminalPreferences() {
  const { NO_COLOR, FORCE_COLOR, TERM, COLUMNS } = process.env;
  return { noColor: NO_COLOR, forceColor: FORCE_COLOR, term: TERM, columns: COLUMNS };
}

/** The values of the secret settings, each entry of a list by itself, and those in addresses. */
function secretsOf(
  given: Readonly<Record<string, string | undefined>>,
  platforms: readonly PlatformSettings[],
): readonly string[] {
  const secret = new Set<string>([...SECRETS, ...platforms.flatMap(({ secrets }) => secrets)]);
  return variablesOf(platforms).flatMap((name) => {
    const value = given[name]?.trim() ?? "";
    const entries = [value, ...value.split(",").map((entry) => entry.trim())];
    // A dead man's switch has its secret at the end of its path.
    const hidden = secret.has(name) ? entries.flatMap((entry) => [entry, /\/([^/?#]+)$/u.exec(entry)?.[1] ?? ""]) : [];
    return [...hidden, ...entries.flatMap(secretsInAddress)];
  });
}

/** Adds the settings of the file to the environment, which wins. */
function readEnvFile(): EnvFile {
  if (!existsSync(".env")) return { values: {}, findings: [] };
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

/** The valid settings of an environment, and what is wrong with it. */
export type ExaminedConfig<P = unknown> = ReturnType<typeof examineConfig<P>>;

/** Reads the same as `loadConfig`, for callers that go on despite faults. Never throws. */
export function loadExaminedConfig<P>(platforms: readonly PlatformSettings<P>[]): ExaminedConfig<P> {
  try {
    const file = readEnvFile();
    hideSecrets(secretsOf(process.env, platforms));
    const examined = examineConfig(process.env, platforms);
    return {
      ...examined,
      findings: [...file.findings, ...examined.findings],
      unknown: unknownNames(file, variablesOf(platforms)),
    };
  } catch (thrown) {
    const examined = examineConfig(process.env, platforms);
    return { ...examined, faults: [messageOf(thrown).replace(/\.$/u, ""), ...examined.faults] };
  }
}

/** Examines a given environment. */
export function examineConfig<P>(
  given: Readonly<Record<string, string | undefined>>,
  platforms: readonly PlatformSettings<P>[],
) {
  const set = Object.fromEntries(
    Object.entries(given).flatMap(([name, value = ""]) => (value.trim() === "" ? [] : [[name, value]])),
  );
  const environment = environmentOf(platforms, givenBy(set));
  // What is parsed once is not worth compiling.
  const read = environment.safeParse(set, { jitless: true });
  const issues = read.error?.issues ?? [];
  const wrong = new Set(issues.map(({ path: [name] }) => String(name)));
  const right = Object.fromEntries(Object.entries(set).filter(([name]) => !wrong.has(name)));
  const rules = settingRules(platforms);
  const all = judgeSettings(rules, givenBy(set));
  const of = (severity: SettingFinding["severity"]) => all.filter((one) => one.severity === severity);
  const typos = likelyTypos(Object.keys(set), platforms);
  const hints = [...typos, ...of("hint")];
  return {
    config: configOf(read.data ?? environment.parse(right), platforms, hints.map(sentenceOf)),
    faults: [
      ...issues.map((issue) => `${issue.path.join(".")} ${issue.message}`),
      ...of("refuse").map(({ what }) => what),
    ],
    /** The findings in spite of which the bot starts. A faulty variable is reported once, among the faults. */
    findings: [
      ...hints,
      ...judgeSettings(rules, { has: givenBy(set).has, value: givenBy(right).value }).filter(
        ({ severity, setting = "" }) => (severity === "fault" || severity === "warning") && !wrong.has(setting),
      ),
    ],
    /** Names in `.env` that are no settings. */
    unknown: [] as readonly UnknownName[],
  };
}

function givenBy(set: Readonly<Record<string, string>>): GivenSettings {
  return { has: (name) => set[name] !== undefined, value: (name) => set[name]?.trim() ?? "" };
}

/**
 * The settings of a given environment. An empty variable counts as unset.
 *
 * @throws UserError that names every fault at once, and no value.
 */
export function parseConfig<P>(
  given: Readonly<Record<string, string | undefined>>,
  platforms: readonly PlatformSettings<P>[],
): Config<P> {
  const { config, faults } = examineConfig(given, platforms);
  if (faults.length > 0) throw configError(faults, config.hints);
  return config;
}

function configOf<P>(env: Environment, platforms: readonly PlatformSettings<P>[], hints: readonly string[]) {
  const networks = NETWORKS.flatMap((name) => {
    // The data nodes in the order in which they are asked, one at least; the node that serves /parties/stake, where it
    // is not the data node; and how many days each keeps ledger entries, Infinity for ever: one entry a node, or none.
    const [urls, coreUrl, days = []] =
      name === "mainnet"
        ? [env.MAINNET_URLS, env.MAINNET_CORE_URL, env.MAINNET_LEDGER_DAYS]
        : [env.TESTNET_URLS, env.TESTNET_CORE_URL, env.TESTNET_LEDGER_DAYS];
    if (urls === undefined) return [];
    const kept = days.length === 1 ? urls.flatMap(() => days) : days;
    const nodes = urls.map(nodeOf);
    const once = <T>(list: readonly T[]): T[] => list.filter((_, index) => nodes.indexOf(nodes[index] ?? "") === index);
    return [{ name, urls: once(urls), coreUrl, ledgerDays: once(kept) }];
  });
  const defaultNetwork = env.DEFAULT_NETWORK ?? networks[0]?.name ?? "mainnet";
  return {
    /** The default network first. Empty = the embedded simulator serves. */
    networks: networks.toSorted((a, b) => Number(b.name === defaultNetwork) - Number(a.name === defaultNetwork)),
    defaultNetwork,
    /** Every chat platform of the program, set up or not. */
    platforms: platforms.map((one) => {
      const managers = (env.ALERT_MANAGERS ?? []).flatMap((entry) => personOf(one, entry) ?? []);
      return one.read(env, managers);
    }),
    /** Destinations of alerts besides subscribed channels. */
    alerting: {
      /** A JSON file; see AlertsConfig in alerts/. */
      configFile: env.ALERTS_CONFIG,
      /** The channel for notices to the operators. */
      operators: operatorsOf(env.OPERATOR_CHANNEL),
      /** Requested regularly while the bot is healthy. */
      deadmanUrl: env.DEADMAN_URL,
    },
    /** What is kept of the looks of watchers; undefined = nothing. */
    looks:
      env.LOOKS_KEEP === 0
        ? undefined
        : {
            keepMillis: env.LOOKS_KEEP ?? LOOKS_KEEP,
            maxBytes: env.LOOKS_MAX ?? LOOKS_MAX,
            markets: env.LOOKS_MARKETS ?? LOOKS_MARKETS,
          },
    databaseUrl: env.DATABASE_URL ?? DATABASE_URL,
    /** 32 bytes each; undefined = nothing is sealed. */
    secretKeys: env.SECRET_KEY,
    /** Where ledger exports are made and kept; undefined = beside the database, and among temporary files. */
    exportFolder: env.EXPORT_DIR,
    /** A ledger export of a longer range is fetched in slices of this length. */
    exportSliceMillis: env.EXPORT_SLICE ?? EXPORT_SLICE,
    web: {
      host: env.WEB_HOST ?? "127.0.0.1",
      /** 0 = no web page; undefined = 8080 or the next free one. */
      port: env.WEB_PORT,
      token: env.WEB_TOKEN,
      publicUrl: env.PUBLIC_URL,
      /** IP addresses and networks of proxies that name their client. */
      trustProxy: env.TRUST_PROXY ?? [],
    },
    /** Whether platforms may show people a simulated network where no data node is set up. */
    allowSimulator: env.ALLOW_SIMULATOR === true,
    /** Undefined = whatever suits the subcommand. */
    logLevel: env.LOG_LEVEL,
    /** Possible mistakes that are no faults, such as a name close to that of a setting. Sentences without values. */
    hints,
  };
}

function operatorsOf(
  written: string | undefined,
): { readonly platform: string; readonly workspace?: string; readonly channel: string } | undefined {
  const [, platform, workspace, channel] = /^(\w+):(?:([^/]+)\/)?([^/]+)$/u.exec(written ?? "") ?? [];
  if (platform === undefined || channel === undefined) return undefined;
  return { platform, ...(workspace === undefined ? {} : { workspace }), channel };
}

/**
 * Names that are close to that of a setting: a fault where the setting itself is not set, unless other programs use such
 * names, too. The bot starts all the same.
 */
function likelyTypos(names: readonly string[], platforms: readonly PlatformSettings[]): SettingFinding[] {
  const variables = variablesOf(platforms);
  const prefixes = ["mainnet", "testnet", ...platforms.map(({ platform }) => platform.id)];
  return names.flatMap((name) => {
    if (variables.includes(name)) return [];
    const wanted = name.toUpperCase();
    const nearest = closest(wanted, variables);
    const allowed = nearest.length > 8 ? 2 : 1;
    const isClose = distance(wanted, nearest) <= allowed;
    const meant = isClose ? nearest : variables.find((one) => isOneWordOff(wanted, one, prefixes));
    if (meant === undefined) return [];
    const severity = isClose && !names.includes(meant) ? "fault" : "hint";
    const what = `${name} is not a setting, but ${meant} is${severity === "fault" ? ", and that is not set" : ""}`;
    return [{ severity, what, remedy: `Rename it to ${meant}, or take it away.` }];
  });
}

/** A finding as a sentence of its own. */
function sentenceOf({ what }: SettingFinding): string {
  return `${what}.`;
}

/** Other bots use names such as `SLACK_TOKEN`: with such a name nothing connects, and no message would say why. */
function isOneWordOff(typed: string, known: string, prefixes: readonly string[]): boolean {
  const [more, fewer] = typed.length > known.length ? [typed, known] : [known, typed];
  if (!prefixes.some((prefix) => fewer.startsWith(`${prefix.toUpperCase()}_`))) return false;
  const words = more.split("_");
  return words.some((_, index) => index > 0 && words.toSpliced(index, 1).join("_") === fewer);
}

function configError(faults: readonly string[], hints: readonly string[]): UserError {
  const lines = [...faults.map((fault) => `${fault}.`), ...hints];
  const list = lines.length === 1 ? ` ${lines.join("")}` : lines.map((line) => `\n- ${line}`).join("");
  return new UserError(`The configuration is wrong:${list}`, {
    remedy: "Settings come from the environment and from the file .env; .env.example describes each of them.",
  });
}
