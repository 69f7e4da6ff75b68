import { isLoopback } from "../units/loopback.ts";
import {
  fault,
  type GivenSettings,
  nodeOf,
  type PlatformSettings,
  refuse,
  type SettingRule,
  warning,
} from "./settings.ts";

/** The database where DATABASE_URL is not set. */
export const DATABASE_URL = "file:./data/bellwether.db";

const isSimulated = ({ has }: GivenSettings): boolean => !has("MAINNET_URLS") && !has("TESTNET_URLS");
const hasConsole = ({ value }: GivenSettings): boolean => value("WEB_PORT") !== "0";

/** A token that anybody on the internet may try to guess has this length at least. */
const LONG_TOKEN = 20;

/** Whether the console listens for other machines, too. */
const listensBeyond = (given: GivenSettings): boolean =>
  given.has("WEB_HOST") && !isLoopback(given.value("WEB_HOST").toLowerCase()) && hasConsole(given);

/** The public address of the console; undefined where only this machine reaches it. */
function publicAddress(given: GivenSettings): URL | undefined {
  if (!hasConsole(given) || !URL.canParse(given.value("PUBLIC_URL"))) return undefined;
  const address = new URL(given.value("PUBLIC_URL"));
  return isLoopback(address.hostname) ? undefined : address;
}

const addressesOf = (given: GivenSettings, setting: string): string[] =>
  given.has(setting)
    ? given
        .value(setting)
        .split(",")
        .map((address) => nodeOf(address.trim()))
    : [];

/** The rules of one network's settings. */
function networkRules(network: "MAINNET" | "TESTNET"): SettingRule[] {
  const urls = `${network}_URLS`;
  const days = `${network}_LEDGER_DAYS`;
  return [
    refuse(({ has, value }) => {
      const count = (name: string): number => (has(name) ? value(name).split(",").length : 0);
      const [nodes, entries] = [count(urls), count(days)];
      return [
        ...[`${network}_CORE_URL`, days].map(
          (more) => has(more) && !has(urls) && `${more} is set, but not ${urls}, which it adds to`,
        ),
        nodes > 0 &&
          entries > 1 &&
          entries !== nodes &&
          `${days} must hold one entry, or one for each of ${urls}: ${nodes}, not ${entries}`,
      ];
    }),
    {
      severity: "hint",
      find(given) {
        const nodes = addressesOf(given, urls);
        return nodes.flatMap((node, index) => {
          const first = nodes.indexOf(node);
          return first === index
            ? []
            : [`${urls} names one node twice, as no. ${first + 1} and no. ${index + 1}: it is asked once`];
        });
      },
      remedy: "Take one of the two away.",
    },
    refuse(
      (given) =>
        !isSimulated(given) &&
        given.value("DEFAULT_NETWORK").toLowerCase() === network.toLowerCase() &&
        !given.has(urls) &&
        `DEFAULT_NETWORK names a network that has no ${urls}`,
    ),
  ];
}

/** The rules of the console's settings, of the database and of the dead man's switch. */
const otherRules: readonly SettingRule[] = [
  refuse(
    (given) =>
      listensBeyond(given) &&
      !given.has("WEB_TOKEN") &&
      "WEB_HOST is not this machine alone, so WEB_TOKEN must be set: a long random word of your own",
  ),
  refuse(({ value }) => {
    const scheme = /^([a-z][a-z\d+.-]+):/u.exec(value("DATABASE_URL").toLowerCase())?.[1] ?? "file";
    return (
      !["file", "postgres", "postgresql"].includes(scheme) &&
      `DATABASE_URL must be a file, such as ${DATABASE_URL}, or a PostgreSQL server, such as postgres://user:password@host/bellwether`
    );
  }),
  fault(
    "TESTNET_URLS",
    (given) => {
      const mainnet = addressesOf(given, "MAINNET_URLS");
      return (
        addressesOf(given, "TESTNET_URLS").some((node) => mainnet.includes(node)) &&
        "names a node that MAINNET_URLS names, too: a node serves one network"
      );
    },
    "Take it out of the list that it does not belong to.",
  ),
  fault(
    "PUBLIC_URL",
    ({ value }) =>
      URL.canParse(value("PUBLIC_URL")) &&
      new URL(value("PUBLIC_URL")).pathname !== "/" &&
      "has a path, and the console works at the root of a host alone",
    "Give the console a host name of its own, and set PUBLIC_URL to that without a path.",
  ),
  fault(
    "TRUST_PROXY",
    ({ value }) =>
      value("TRUST_PROXY")
        .split(",")
        .some((entry) => /\/0+$/u.test(entry.trim())) &&
      "takes every address for a proxy: a visitor may claim to be anybody, and the limit on wrong tokens limits nobody",
    "Set it to the proxies' addresses alone, such as 127.0.0.1.",
  ),
  warning(
    "WEB_TOKEN",
    (given) =>
      (publicAddress(given) !== undefined || listensBeyond(given)) &&
      given.has("WEB_TOKEN") &&
      given.value("WEB_TOKEN").length < LONG_TOKEN &&
      `has fewer than ${LONG_TOKEN} characters, and the console is reached from outside`,
    "Set it to a long random word (openssl rand -hex 24).",
  ),
  warning(
    "PUBLIC_URL",
    (given) =>
      publicAddress(given) !== undefined &&
      !given.has("WEB_TOKEN") &&
      "the console is reached from outside and WEB_TOKEN is not set: whoever finds it may silence alerts",
    "Set WEB_TOKEN to a long random word (openssl rand -hex 24).",
  ),
  warning(
    "PUBLIC_URL",
    (given) =>
      publicAddress(given)?.protocol === "http:" &&
      given.has("WEB_TOKEN") &&
      "goes over plain http, and WEB_TOKEN with it",
    "Put a proxy with TLS in front of it.",
  ),
  warning(
    "TRUST_PROXY",
    (given) =>
      publicAddress(given) !== undefined &&
      !given.has("TRUST_PROXY") &&
      "not set: all visitors behind the proxy of PUBLIC_URL count as one, for wrong tokens and connections",
    "Set it to the proxy's address, such as 127.0.0.1.",
  ),
  warning(
    "PUBLIC_URL",
    (given) =>
      listensBeyond(given) &&
      !given.has("PUBLIC_URL") &&
      "not set, though the console listens beyond this machine: links in messages cannot lead to it",
    "Set it to the address under which people reach the console.",
  ),
  warning(
    "DEADMAN_URL",
    ({ value }) => {
      const address = URL.canParse(value("DEADMAN_URL")) ? new URL(value("DEADMAN_URL")) : undefined;
      return (
        address?.protocol === "http:" &&
        !isLoopback(address.hostname) &&
        "goes over plain http, so anybody on the way can ping it"
      );
    },
    "Use its https:// address.",
  ),
];

/** The rules of the settings that all platforms share. */
function sharedRules(platforms: readonly PlatformSettings[]): SettingRule[] {
  const firstSetUp = (given: GivenSettings): PlatformSettings | undefined =>
    platforms.find((platform) => platform.isSetUp(given));
  return [
    refuse((given) => {
      const set = platforms.flatMap(({ tokens }) => tokens).filter(given.has);
      return (
        isSimulated(given) &&
        set.length > 0 &&
        !/^(?:1|true|yes)$/iu.test(given.value("ALLOW_SIMULATOR")) &&
        `${set.join(" and ")} ${set.length === 1 ? "is" : "are"} set, but neither MAINNET_URLS nor TESTNET_URLS: ` +
          "set one of them to your data nodes, or ALLOW_SIMULATOR=1 to show people a simulated network"
      );
    }),
    warning(
      "DEADMAN_URL",
      (given) =>
        firstSetUp(given) !== undefined &&
        !given.has("DEADMAN_URL") &&
        "not set: nobody notices when Bellwether itself is gone",
      "Set it to a check of a service that you trust: it notices when this machine is gone.",
    ),
    ...platforms.flatMap((one): SettingRule[] => {
      const { id, token, exampleChannel } = one.platform;
      return [
        warning(
          "OPERATOR_CHANNEL",
          (given) =>
            firstSetUp(given) === one &&
            !given.has("OPERATOR_CHANNEL") &&
            "not set: nobody is told when a channel is lost or the bot was away",
          `Set it to a channel of yours, such as ${id}:${exampleChannel}.`,
        ),
        {
          severity: "fault",
          setting: "OPERATOR_CHANNEL",
          find: (given) =>
            given.value("OPERATOR_CHANNEL").startsWith(`${id}:`) &&
            !one.isSetUp(given) &&
            "names a channel on a platform that is not set up",
          remedy: `Set ${token.setting}, or name a channel elsewhere.`,
        },
      ];
    }),
  ];
}

/** All rules. The start and the doctor judge by the same rules. */
export function settingRules(platforms: readonly PlatformSettings[]): readonly SettingRule[] {
  return [
    ...sharedRules(platforms),
    ...networkRules("MAINNET"),
    ...networkRules("TESTNET"),
    ...platforms.flatMap(({ rules }) => rules),
    ...otherRules,
  ];
}
