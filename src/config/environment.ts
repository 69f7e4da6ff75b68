import { isIP } from "node:net";

import { z } from "zod";

import { LOG_LEVELS } from "../log.ts";

// Every variable that Bellwether reads, and the values it takes. Messages never repeat a value: it may be a secret.

const text = z
  .string()
  .transform((value) => value.trim())
  .refine((value) => !/\p{Cc}/u.test(value), "must be one line of plain text");

const secret = text.refine((value) => !/\s/u.test(value), "must not contain spaces");

const isHttp = (value: string): boolean => /^https?:\/\//iu.test(value) && URL.canParse(value);

/** Whether it would be an address with `https://` before it: a host with a dot, a port or a path. */
const lacksScheme = (value: string): boolean =>
  !/^[a-z][a-z\d+.-]*:\/\//iu.test(value) && /[.:/]/u.test(value) && isHttp(`https://${value}`);
const WRITE_SCHEME = "write https:// (or http://) before it";

/** A fault in words; a forgotten scheme is named. */
const addressFault = (words: string) => (issue: { readonly input: unknown }) =>
  typeof issue.input === "string" && lacksScheme(issue.input) ? `${words}: ${WRITE_SCHEME}` : words;

/** An address for people or programs. */
const url = text.refine(
  (value) => {
    if (!isHttp(value)) return false;
    const { username, password, search, hash } = new URL(value);
    return `${username}${password}${search}${hash}` === "";
  },
  { error: addressFault("must be an http:// or https:// address without a user name, query or fragment") },
);

/** An address that only this process requests; path, query and credentials are allowed. */
const isEndpoint = (value: string): boolean => isHttp(value) && new URL(value).hash === "";
const ENDPOINT_WORDS = "must be an http:// or https:// address without a fragment";
const endpoint = text.refine(isEndpoint, { error: addressFault(ENDPOINT_WORDS) });

const endpoints = text
  .transform((value) => value.split(",").map((part) => part.trim()))
  .check((context) => {
    const say = (message: string): void => {
      context.issues.push({ code: "custom", message, input: context.value });
    };
    const wrong = context.value.flatMap((part, index) => (isEndpoint(part) ? [] : [`no. ${index + 1}`]));
    const bare = context.value.some((part) => !isEndpoint(part) && lacksScheme(part));
    const words = `${ENDPOINT_WORDS}, or several separated by commas; wrong: ${wrong.join(", ")}`;
    if (wrong.length > 0) say(bare ? `${words}: ${WRITE_SCHEME}` : words);
    if (new Set(context.value).size < context.value.length) say("names the same address twice");
  });

const words = text.transform((value) =>
  value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== ""),
);

/** An entry that names nobody must not be skipped: an empty list would allow everybody what it was written to forbid. */
const listOf = (isEntry: (entry: string) => boolean, what: string) =>
  words.check((context) => {
    const wrong = context.value.flatMap((entry, index) => (isEntry(entry) ? [] : [`no. ${index + 1}`]));
    if (wrong.length === 0) return;
    const message = `must hold ${what}; wrong: ${wrong.join(", ")}`;
    context.issues.push({ code: "custom", message, input: context.value });
  });

const people = listOf(
  (entry) => /^(?:(?:slack:)?[UW][A-Z\d]{2,}|(?:discord:)?\d{15,21})$/iu.test(entry),
  "ids of people, such as slack:U0123456789 or discord:112233445566778899",
);

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

const snowflake = text.refine((value) => /^\d{15,21}$/u.test(value), "must be an id of Discord's: 15 to 21 digits");

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

const secretKeys = text
  .transform((value) => value.split(",").map((part) => part.trim()))
  .check((context) => {
    const isKey = (part: string): boolean =>
      /^[\w+/-]+={0,2}$/u.test(part) && Buffer.from(part, "base64").length === SECRET_KEY_BYTES;
    const wrong = context.value.flatMap((part, index) => (isKey(part) ? [] : [`no. ${index + 1}`]));
    const say = (message: string): void => {
      context.issues.push({ code: "custom", message, input: context.value });
    };
    const words = `must be a key of ${SECRET_KEY_BYTES} bytes in base64, as openssl rand -base64 ${SECRET_KEY_BYTES} prints it, or several separated by commas`;
    if (wrong.length > 0) say(`${words}; wrong: ${wrong.join(", ")}`);
    else if (new Set(context.value).size < context.value.length) say("names the same key twice");
  })
  .transform((value): readonly Uint8Array[] => value.map((part) => Buffer.from(part, "base64")));

const host = text.refine(
  (value) => isIP(value) !== 0 || /^(?!-)[a-z\d-]+(\.[a-z\d-]+)*$/iu.test(value),
  "must be a host name or an IP address, without a port",
);

/** Days, Infinity for a node that drops nothing; one for each data node, or one for all of them. */
const ledgerDays = text
  .transform((value) => value.split(",").map((part) => part.trim()))
  .check((context) => {
    const wrong = context.value.flatMap((part, index) =>
      /^(?:[1-9]\d{0,4}|all)$/iu.test(part) ? [] : [`no. ${index + 1}`],
    );
    const message = `must be days from 1 to 99999, or all, for each data node; wrong: ${wrong.join(", ")}`;
    if (wrong.length > 0) context.issues.push({ code: "custom", message, input: context.value });
  })
  .transform((value) => value.map((part) => (/^all$/iu.test(part) ? Infinity : Number(part))));

/** The networks that the project knows. */
export const NETWORKS = ["mainnet", "testnet"] as const;
export type NetworkName = (typeof NETWORKS)[number];

const networkName = text
  .transform((value) => value.toLowerCase())
  .pipe(z.enum(NETWORKS, `must be ${NETWORKS.join(" or ")}`));

/** The environment, by variable. `.env.example` lists the same names, in the same order. */
export const Environment = z.object({
  MAINNET_URLS: endpoints.optional(),
  TESTNET_URLS: endpoints.optional(),
  MAINNET_CORE_URL: endpoint.optional(),
  TESTNET_CORE_URL: endpoint.optional(),
  MAINNET_LEDGER_DAYS: ledgerDays.optional(),
  TESTNET_LEDGER_DAYS: ledgerDays.optional(),
  DEFAULT_NETWORK: networkName.optional(),
  ALLOW_SIMULATOR: yesOrNo.optional(),
  DISCORD_TOKEN: secret.optional(),
  DISCORD_APPLICATION_ID: snowflake.optional(),
  DISCORD_GUILD_ID: snowflake.optional(),
  DISCORD_PUBLIC_KEY: text
    .refine((value) => /^[\da-f]{64}$/iu.test(value), "must be 64 hexadecimal digits, as the Developer Portal shows it")
    .optional(),
  DISCORD_API_URL: endpoint.optional(),
  SLACK_BOT_TOKEN: secret
    .refine((value) => !value.startsWith("xapp-"), "holds an app token (xapp-…); it belongs in SLACK_APP_TOKEN")
    .optional(),
  SLACK_APP_TOKEN: secret
    .refine((value) => !value.startsWith("xoxb-"), "holds a bot token (xoxb-…); it belongs in SLACK_BOT_TOKEN")
    .optional(),
  SLACK_SIGNING_SECRET: secret.optional(),
  SLACK_CLIENT_ID: secret.optional(),
  SLACK_CLIENT_SECRET: secret.optional(),
  SLACK_API_URL: endpoint.optional(),
  SLACK_COMMAND: text
    .refine((value) => /^\/[a-z\d_-]{1,31}$/u.test(value), "must be a slash and a word in lower case, such as /bell")
    .optional(),
  DATABASE_URL: text.optional(),
  EXPORT_DIR: text.optional(),
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
  ALERT_MANAGERS: people.optional(),
  OPERATOR_CHANNEL: text
    .refine(
      (value) => /^(?:slack:(?:[TE][A-Z\d]+\/)?[A-Z\d]{2,}|discord:\d{15,21})$/u.test(value),
      "must be slack:C…, slack:T…/C… with the workspace's id, or discord:…, with the channel's id",
    )
    .optional(),
  LOG_LEVEL: text
    .transform((value) => value.toLowerCase())
    .pipe(z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(", ")}`))
    .optional(),
});
export type Environment = z.infer<typeof Environment>;

/** The names of all variables. */
export const VARIABLES = Object.keys(Environment.shape) as readonly (keyof Environment)[];

/** A value in quotes may go on over many lines, until the same quote comes again. */
const QUOTED = /^[^=]*=\s*(["'`])/u;

/** A sentence for each line that Node skips without a word, since it has no `=`. Never the line itself: it may be a secret. */
export function ignoredLines(content: string): readonly string[] {
  const hints: string[] = [];
  let open: string | undefined;
  const lines = content.replace(/^\u{FEFF}/u, "").split(/\r?\n/u);
  for (const [index, line] of lines.entries()) {
    const words = line.trim();
    if (open !== undefined) {
      if (words.includes(open)) open = undefined;
    } else if (words !== "" && !words.startsWith("#")) {
      if (!words.includes("=")) {
        hints.push(`Line ${index + 1} of .env has no “=” and is ignored: a setting is written NAME=value.`);
      }
      const quote = QUOTED.exec(words)?.[1];
      // A quote that is never closed stands for itself.
      const closes = quote !== undefined && lines.slice(index + 1).some((later) => later.includes(quote));
      if (closes && words.split(quote).length === 2) open = quote;
    }
  }
  return hints;
}
