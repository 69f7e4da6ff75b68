import { isIP } from "node:net";

import { z } from "zod";

import { LOG_LEVELS } from "../log.ts";
import { parseBytes } from "../units/format-number.ts";
import { DAY, type Milliseconds, parseDuration } from "../units/time.ts";
import {
  areDistinct,
  eachEntry,
  endpoint,
  endpoints,
  entries,
  type GivenSettings,
  listed,
  type PlatformSettings,
  secret,
  type SettingFinding,
  text,
  url,
} from "./settings.ts";

// The variables of all platforms together, and the values they take. Messages never repeat a value: it may be a secret.

const words = entries.transform((parts) => parts.filter((part) => part !== ""));

/** A wrong entry is a fault. If wrong entries were skipped, the list could be empty, and an empty list limits nobody. */
const listOf = (isEntry: (entry: string) => boolean, what: string) =>
  words.check(eachEntry(isEntry, `must hold ${what}`));

/** IP addresses and networks in CIDR notation. */
const proxies = listOf((entry) => {
  const [address = "", prefix, ...more] = entry.split("/");
  const bits = isIP(address) === 6 ? 128 : 32;
  return (
    isIP(address) !== 0 &&
    more.length === 0 &&
    (prefix === undefined || (/^\d{1,3}$/u.test(prefix) && Number(prefix) <= bits))
  );
}, "IP addresses or networks of proxies, such as 127.0.0.1 or 10.0.0.0/8");

const yesOrNo = text
  .refine((value) => /^(?:1|true|yes|0|false|no)$/iu.test(value), "must be 1 or 0")
  .transform((value) => /^(?:1|true|yes)$/iu.test(value));

const port = text
  .refine(
    (value) => /^\d{1,5}$/u.test(value) && Number(value) <= 65_535,
    "must be a port from 1 to 65535, or 0 for no web page",
  )
  .transform(Number);

/** A secret key has 256 bits. */
const SECRET_KEY_BYTES = 32;

const secretKeys = entries
  .check(
    eachEntry(
      (part) => /^[\w+/-]+={0,2}$/u.test(part) && Buffer.from(part, "base64").length === SECRET_KEY_BYTES,
      `must be a key of ${SECRET_KEY_BYTES} bytes in base64, as openssl rand -base64 ${SECRET_KEY_BYTES} prints it, or several separated by commas`,
    ),
  )
  .refine(areDistinct, "names the same key twice")
  .transform((value): readonly Uint8Array[] => value.map((part) => Buffer.from(part, "base64")));

const host = text.refine(
  (value) => isIP(value) !== 0 || /^(?!-)[a-z\d-]+(\.[a-z\d-]+)*$/iu.test(value),
  "must be a host name or an IP address, without a port",
);

/** Days, Infinity for a node that drops nothing; one for each data node, or one for all of them. */
const ledgerDays = entries
  .check(
    eachEntry(
      (part) => /^(?:[1-9]\d{0,4}|all)$/iu.test(part),
      "must be days from 1 to 99999, or all, for each data node",
    ),
  )
  .transform((value) => value.map((part) => (/^all$/iu.test(part) ? Infinity : Number(part))));

const SHORTEST_SLICE: Milliseconds = 3_600_000;

/** A duration of whole seconds; a number alone is days. */
const slice = text
  .transform((value) => parseDuration(/^\d+$/u.test(value) ? `${value}d` : value) ?? 0)
  .refine((value) => value >= SHORTEST_SLICE && value % 1000 === 0, "must be a duration of 1 h or more, such as 31d");

/** How long looks are kept; 0 = none is. */
const looksKeep = text
  .transform((value) => (value === "0" ? 0 : (parseDuration(/^\d+$/u.test(value) ? `${value}d` : value) ?? -1)))
  .refine(
    (value) => value === 0 || (value >= DAY && value <= 1825 * DAY),
    "must be 0, or a duration from 1d to 1825d, such as 365d",
  );

const looksMax = text
  .transform((value) => parseBytes(value) ?? 0)
  .refine((value) => value >= 50_000_000, "must be a size of 50MB or more, such as 2GB");

const looksMarkets = text
  .refine((value) => /^\d{1,5}$/u.test(value), "must be a number of markets from 0 to 99999")
  .transform(Number);

/** The networks that the project knows. */
export const NETWORKS = ["mainnet", "testnet"] as const;
export type NetworkName = (typeof NETWORKS)[number];

const networkName = text
  .transform((value) => value.toLowerCase())
  .pipe(z.enum(NETWORKS, `must be ${NETWORKS.join(" or ")}`));

const networkVariables = {
  MAINNET_URLS: endpoints.optional(),
  TESTNET_URLS: endpoints.optional(),
  MAINNET_CORE_URL: endpoint.optional(),
  TESTNET_CORE_URL: endpoint.optional(),
  MAINNET_LEDGER_DAYS: ledgerDays.optional(),
  TESTNET_LEDGER_DAYS: ledgerDays.optional(),
  DEFAULT_NETWORK: networkName.optional(),
  ALLOW_SIMULATOR: yesOrNo.optional(),
};

const otherVariables = {
  DATABASE_URL: text.optional(),
  EXPORT_DIR: text.optional(),
  EXPORT_SLICE: slice.optional(),
  WEB_HOST: host.optional(),
  WEB_PORT: port.optional(),
  WEB_TOKEN: secret
    .refine((value) => value.length >= 16, "must have 16 characters or more, so that nobody guesses it")
    .optional(),
  PUBLIC_URL: url.optional(),
  TRUST_PROXY: proxies.optional(),
  SECRET_KEY: secretKeys.optional(),
  DEADMAN_URL: endpoint.optional(),
  ALERTS_CONFIG: text.optional(),
  ALERT_MANAGERS: words.optional(),
  OPERATOR_CHANNEL: text.optional(),
  LOOKS_KEEP: looksKeep.optional(),
  LOOKS_MAX: looksMax.optional(),
  LOOKS_MARKETS: looksMarkets.optional(),
  LOG_LEVEL: text
    .transform((value) => value.toLowerCase())
    .pipe(z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(", ")}`))
    .optional(),
};

/** The variables that no platform declares. */
export const Environment = z.object({ ...networkVariables, ...otherVariables });
export type Environment = z.infer<typeof Environment>;

/** The variables whose values appear in no output. */
export const SECRETS = ["WEB_TOKEN", "SECRET_KEY", "DEADMAN_URL"] as const satisfies readonly (keyof Environment)[];

/** The schema of the whole environment. `.env.example` lists the same names, in the same order. */
export function environmentOf(platforms: readonly PlatformSettings[], given: Pick<GivenSettings, "has">) {
  const own: PlatformSettings["variables"] = Object.assign({}, ...platforms.map(({ variables }) => variables));
  const wanted = platforms.filter(({ tokens }) => tokens.some(given.has));
  const examples = wanted.map(({ platform, person }) => `${platform.id}:${person.forms[0]}`).join(" or ");
  const people = listOf(
    (entry) => platforms.some((one) => personOf(one, entry) !== undefined),
    `ids of people, roles or groups, ${examples === "" ? "each behind its platform's name and a colon" : `such as ${examples}`}`,
  );
  const forms = wanted.flatMap(({ platform, channel }) => channel.forms.map((form) => `${platform.id}:${form}`));
  const channel = text.refine(
    (value) =>
      platforms.some(({ platform: { id }, channel: { pattern } }) => {
        return value.startsWith(`${id}:`) && pattern.test(value.slice(id.length + 1));
      }),
    `must be ${forms.length === 0 ? "a platform's name, a colon and" : `${listed(forms, "or")}, with`} the channel's id`,
  );
  return Environment.extend({ ...own, ALERT_MANAGERS: people.optional(), OPERATOR_CHANNEL: channel.optional() });
}

/** The names of all variables, in the order of `.env.example`. */
export function variablesOf(platforms: readonly PlatformSettings[]): readonly string[] {
  const own = platforms.flatMap(({ variables }) => Object.keys(variables));
  return [...Object.keys(networkVariables), ...own, ...Object.keys(otherVariables)];
}

/** The id of a person, role or group of this platform in an entry of ALERT_MANAGERS; undefined where the entry has another form. */
export function personOf({ platform, person }: PlatformSettings, entry: string): string | undefined {
  const prefix = `${platform.id}:`;
  const id = entry.toLowerCase().startsWith(prefix) ? entry.slice(prefix.length) : entry;
  return person.pattern.test(id) ? id : undefined;
}

/** A value in quotes may span several lines; the same quote ends it. */
const QUOTED = /^[^=]*=\s*(["'`])/u;

/** Without quotes, `#` begins a comment wherever it stands. Behind a space it is meant as one. */
const CUT = /^(?:export\s+)?(\w+)\s*=\s*(?:#\S|[^\s"'`#][^#]*(?<=\S)#)/u;

/** Lines without `=`, which Node skips, and values that a `#` cuts. They are not repeated: they may hold secrets. */
export function lineFindings(content: string): readonly SettingFinding[] {
  const findings: SettingFinding[] = [];
  let open: string | undefined;
  const lines = content.replace(/^\u{FEFF}/u, "").split(/\r?\n/u);
  for (const [index, line] of lines.entries()) {
    const words = line.trim();
    if (open !== undefined) {
      if (words.includes(open)) open = undefined;
    } else if (words !== "" && !words.startsWith("#")) {
      if (!words.includes("=")) {
        const what = `Line ${index + 1} of .env has no “=” and is ignored: a setting is written NAME=value`;
        findings.push({ severity: "hint", what, remedy: "Write it as NAME=value, or take it away." });
      }
      const cut = CUT.exec(words)?.[1];
      if (cut !== undefined) {
        const what = `${cut}, in line ${index + 1} of .env, ends before its first #, which begins a comment`;
        findings.push({ severity: "fault", what, remedy: "Put the value in quotes." });
      }
      const quote = QUOTED.exec(words)?.[1];
      // A quote without a second one is part of the value.
      const closes = quote !== undefined && lines.slice(index + 1).some((later) => later.includes(quote));
      if (closes && words.split(quote).length === 2) open = quote;
    }
  }
  return findings;
}
