import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { describe, expect, it } from "vitest";

import { loadConfig } from "../src/config.ts";
import { parseEnvFile, unknownNames } from "../src/config/env-file.ts";
import { lineFindings } from "../src/config/environment.ts";
import { UserError } from "../src/errors.ts";
import { saying } from "./support/said.ts";
import { VARIABLES, examineConfig, parseConfig } from "./support/platforms.ts";
import { PLATFORM_RECORDS } from "../src/main/platforms/list.ts";
import { configuredChats } from "../src/main/platforms/platforms.ts";

const nodes = { MAINNET_URLS: "https://node.example.org" };

/** Where the platforms that are set up are to post requests, or send browsers. */
const endpointsOf = (env: Record<string, string>) =>
  configuredChats(parseConfig(env)).flatMap(({ service }) => service.endpoints.map(({ url }) => url));

/** The settings without what a platform makes of them. */
const plain = ({ platforms, ...config }: ReturnType<typeof parseConfig>) => ({
  ...config,
  setUp: configuredChats({ platforms }).map(({ platform }) => platform.id),
});

function faultsOf(env: Record<string, string>): string {
  try {
    parseConfig(env);
  } catch (thrown) {
    if (!(thrown instanceof UserError)) throw thrown;
    return thrown.message;
  }
  return "";
}

const KEY = Buffer.alloc(32).toString("base64");
/** What it takes for any workspace to install the app. */
const many = {
  SLACK_CLIENT_ID: "1.2",
  SLACK_CLIENT_SECRET: "s3cret",
  SECRET_KEY: KEY,
  SLACK_SIGNING_SECRET: "s",
  PUBLIC_URL: "https://b",
};

const both = { ...nodes, DISCORD_TOKEN: "t", SLACK_BOT_TOKEN: "b", SLACK_APP_TOKEN: "a" };

describe("the configuration", () => {
  it("needs nothing: the simulator then serves mainnet and testnet, on this machine alone", () => {
    expect(parseConfig({})).toEqual({
      networks: [],
      allowSimulator: false,
      defaultNetwork: "mainnet",
      platforms: PLATFORM_RECORDS.map(({ platform: { id } }) =>
        expect.objectContaining({ platform: expect.objectContaining({ id }), service: undefined }),
      ),
      alerting: { configFile: undefined, operators: undefined, deadmanUrl: undefined },
      exportSliceMillis: 31 * 86_400_000,
      databaseUrl: "file:./data/bellwether.db",
      looks: { keepMillis: 365 * 86_400_000, maxBytes: 2_000_000_000, markets: 200 },
      web: { host: "127.0.0.1", port: undefined, token: undefined, publicUrl: undefined, trustProxy: [] },
      logLevel: undefined,
      hints: [],
    });
  });

  it("takes Slack's requests over Socket Mode where there is an app token, else over HTTP", () => {
    const http = { ...nodes, SLACK_BOT_TOKEN: "xoxb-1", SLACK_SIGNING_SECRET: "s", PUBLIC_URL: "https://b" };
    expect(endpointsOf(http)).toEqual(["https://b/slack/events"]);
    expect(endpointsOf({ ...http, SLACK_APP_TOKEN: "xapp-1" })).toEqual([]);
  });

  it("takes an app that many workspaces install in place of a bot token", () => {
    const env = { ...nodes, ...many, SECRET_KEY: `${KEY}, ${KEY.replace("A", "B")}` };
    expect(endpointsOf(env)).toEqual(["https://b/slack/events", "https://b/slack/install"]);
    const [chat] = configuredChats(parseConfig(env));
    expect(chat?.platform.destinationsPerWorkspace).toBe(true);
    const { SLACK_SIGNING_SECRET: _, ...socket } = { ...nodes, ...many, SLACK_APP_TOKEN: "xapp-1" };
    expect(endpointsOf(socket)).toEqual(["https://b/slack/install"]);
  });

  it("takes empty variables for unset ones", () => {
    const empty = { MAINNET_URLS: "", DISCORD_TOKEN: "", WEB_PORT: " ", LOG_LEVEL: "" };
    expect(plain(parseConfig(empty))).toEqual(plain(parseConfig({})));
  });

  it("keeps the nodes of each network in order, the default network first", () => {
    const both = {
      MAINNET_URLS: "http://a:3008, https://u:p@b/path/?key=1",
      TESTNET_URLS: "https://t",
      TESTNET_CORE_URL: "http://c:3003",
    };
    const urls = ["http://a:3008", "https://u:p@b/path/?key=1"];
    const mainnet = { name: "mainnet", urls, coreUrl: undefined, ledgerDays: [] };
    const testnet = { name: "testnet", urls: ["https://t"], coreUrl: "http://c:3003", ledgerDays: [] };
    expect(parseConfig(both)).toMatchObject({ networks: [mainnet, testnet], defaultNetwork: "mainnet" });
    expect(parseConfig({ ...both, DEFAULT_NETWORK: "testnet" }).networks).toEqual([testnet, mainnet]);
    const days = (MAINNET_LEDGER_DAYS: string) => parseConfig({ ...both, MAINNET_LEDGER_DAYS }).networks[0]!.ledgerDays;
    expect([days("180, ALL"), days("30")]).toEqual([
      [180, Infinity],
      [30, 30],
    ]);
    const looks = (LOOKS_KEEP: string, LOOKS_MAX = "2GB") => parseConfig({ ...both, LOOKS_KEEP, LOOKS_MAX }).looks;
    expect(looks("0")).toBeUndefined();
    expect([looks("30"), looks("1d", "50 MB")]).toMatchObject([
      { keepMillis: 30 * 86_400_000, maxBytes: 2e9 },
      { keepMillis: 86_400_000, maxBytes: 5e7 },
    ]);
    const slice = (EXPORT_SLICE: string) => parseConfig({ ...both, EXPORT_SLICE }).exportSliceMillis / 3_600_000;
    expect([slice("7"), slice("1w"), slice("1d12h")]).toEqual([168, 168, 36]);
    expect(parseConfig({ TESTNET_URLS: "https://t" })).toMatchObject({
      defaultNetwork: "testnet",
      networks: [{ name: "testnet" }],
    });
  });

  it("reads platforms, store, web page and log", () => {
    const config = parseConfig({
      ...nodes,
      DISCORD_TOKEN: "dt",
      DISCORD_APPLICATION_ID: "123456789012345678",
      SLACK_BOT_TOKEN: "xoxb-1",
      SLACK_APP_TOKEN: "xapp-1",
      SLACK_COMMAND: "/vega",
      DATABASE_URL: "/srv/b.db",
      WEB_HOST: "0.0.0.0",
      WEB_PORT: "0",
      LOG_LEVEL: "Debug",
    });
    expect(plain(config)).toMatchObject({
      setUp: ["discord", "slack"],
      databaseUrl: "/srv/b.db",
      web: { host: "0.0.0.0", port: 0 },
      logLevel: "debug",
    });
  });

  // Each with the settings named, and the figures.
  it.each<[Record<string, string>, RegExp]>([
    [{ MAINNET_URLS: "node.example.org" }, saying("MAINNET_URLS", "http://", "https://")],
    [{ MAINNET_URLS: "https://a,ftp://b,c" }, saying("MAINNET_URLS", "no. 2, no. 3")],
    [{ MAINNET_URLS: "https://a,node.example.org:3008" }, saying("MAINNET_URLS", "no. 2", "https://")],
    [{ PUBLIC_URL: "bell.example.org" }, saying("PUBLIC_URL", "https://")],
    [{ DEADMAN_URL: "hc-ping.com/uuid" }, saying("DEADMAN_URL", "https://")],
    [{ ...nodes, MAINNET_CORE_URL: "localhost:3003" }, saying("MAINNET_CORE_URL", "https://")],
    [{ MAINNET_URLS: "https://a,," }, saying("MAINNET_URLS", "no. 2, no. 3")],
    [{ PUBLIC_URL: "https://user:pass@a" }, saying("PUBLIC_URL")],
    [{ TESTNET_URLS: "https://a#b" }, saying("TESTNET_URLS")],
    [{ WEB_TOKEN: "short" }, saying("WEB_TOKEN", 16)],
    [{ ALERT_MANAGERS: "slack:U0123456789,bob" }, saying("ALERT_MANAGERS", "no. 2")],
    [{ ALERT_MANAGERS: "discord:@ada,slack:,112233445566778899" }, saying("ALERT_MANAGERS", "no. 1, no. 2")],
    [{ MAINNET_CORE_URL: "https://c" }, saying("MAINNET_CORE_URL", "MAINNET_URLS")],
    [{ ...nodes, MAINNET_CORE_URL: "c:3003" }, saying("MAINNET_CORE_URL")],
    [{ ...nodes, MAINNET_LEDGER_DAYS: "180,forever,0,," }, saying("MAINNET_LEDGER_DAYS", "no. 2, no. 3, no. 4, no. 5")],
    [{ ...nodes, EXPORT_SLICE: "soon" }, saying("EXPORT_SLICE", "31d")],
    [{ ...nodes, LOOKS_KEEP: "23h" }, saying("LOOKS_KEEP", "0", "1d", "1825d")],
    [{ ...nodes, LOOKS_KEEP: "1826d" }, saying("LOOKS_KEEP", "0", "1d", "1825d")],
    [{ ...nodes, LOOKS_KEEP: "ever" }, saying("LOOKS_KEEP", "365d")],
    [{ ...nodes, LOOKS_MAX: "49.9MB" }, saying("LOOKS_MAX", "50MB", "2GB")],
    [{ ...nodes, LOOKS_MAX: "2" }, saying("LOOKS_MAX", "50MB", "2GB")],
    [{ ...nodes, LOOKS_MARKETS: "some" }, saying("LOOKS_MARKETS", "0", "99999")],
    [{ ...nodes, EXPORT_SLICE: "59m" }, saying("EXPORT_SLICE", "1 h")],
    [{ ...nodes, MAINNET_LEDGER_DAYS: "180,all" }, saying("MAINNET_LEDGER_DAYS", 1, 2)],
    [{ ...nodes, TESTNET_LEDGER_DAYS: "30" }, saying("TESTNET_LEDGER_DAYS", "TESTNET_URLS")],
    [{ DEFAULT_NETWORK: "fairground" }, saying("DEFAULT_NETWORK", "mainnet", "testnet")],
    [{ ...nodes, DEFAULT_NETWORK: "testnet" }, saying("DEFAULT_NETWORK", "TESTNET_URLS")],
    [{ ALLOW_SIMULATOR: "perhaps" }, saying("ALLOW_SIMULATOR", 1, 0)],
    [{ DISCORD_TOKEN: "t" }, saying("DISCORD_TOKEN", "MAINNET_URLS", "TESTNET_URLS")],
    [{ DISCORD_TOKEN: "t", ALLOW_SIMULATOR: "0" }, saying("DISCORD_TOKEN", "ALLOW_SIMULATOR=1")],
    [{ SLACK_BOT_TOKEN: "b", SLACK_APP_TOKEN: "a" }, saying("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "MAINNET_URLS")],
    [{ ...nodes, SLACK_APP_TOKEN: "a" }, saying("SLACK_APP_TOKEN", "SLACK_BOT_TOKEN")],
    [{ ...nodes, SLACK_BOT_TOKEN: "b" }, saying("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN")],
    [{ ...nodes, SLACK_BOT_TOKEN: "b", SLACK_SIGNING_SECRET: "s" }, saying("SLACK_SIGNING_SECRET", "PUBLIC_URL")],
    [
      { ...nodes, SLACK_CLIENT_ID: "1.2" },
      saying("SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET", "SECRET_KEY", "PUBLIC_URL", "SLACK_SIGNING_SECRET"),
    ],
    [{ ...nodes, ...many, SLACK_BOT_TOKEN: "b", WEB_PORT: "0" }, saying("SLACK_BOT_TOKEN", "WEB_PORT")],
    [{ ...nodes, ...many, SECRET_KEY: "c2hvcnQ=" }, saying("SECRET_KEY", 32, "openssl rand -base64 32", "no. 1")],
    [{ ...nodes, ...many, SECRET_KEY: `${KEY},${KEY}` }, saying("SECRET_KEY")],
    [many, saying("SLACK_CLIENT_ID", "MAINNET_URLS")],
    [
      { ...nodes, SLACK_BOT_TOKEN: "b", SLACK_SIGNING_SECRET: "s", PUBLIC_URL: "https://b", WEB_PORT: "0" },
      saying("SLACK_SIGNING_SECRET", "WEB_PORT=0"),
    ],
    [{ ...nodes, SLACK_BOT_TOKEN: "xapp-1", SLACK_APP_TOKEN: "xapp-2" }, saying("SLACK_BOT_TOKEN")],
    [{ ...nodes, SLACK_BOT_TOKEN: "xoxb-1", SLACK_APP_TOKEN: "xoxb-1" }, saying("SLACK_APP_TOKEN")],
    [{ ...nodes, DISCORD_TOKEN: "two words" }, saying("DISCORD_TOKEN")],
    [{ DISCORD_APPLICATION_ID: "me" }, saying("DISCORD_APPLICATION_ID")],
    [{ DISCORD_PUBLIC_KEY: "abc" }, saying("DISCORD_PUBLIC_KEY", 64)],
    [{ ...nodes, DISCORD_TOKEN: "t", DISCORD_PUBLIC_KEY: "ab".repeat(32) }, saying("DISCORD_PUBLIC_KEY", "PUBLIC_URL")],
    [
      { ...nodes, DISCORD_TOKEN: "t", DISCORD_PUBLIC_KEY: "ab".repeat(32), PUBLIC_URL: "https://b", WEB_PORT: "0" },
      saying("DISCORD_PUBLIC_KEY", "WEB_PORT=0"),
    ],
    [{ SLACK_COMMAND: "bell" }, saying("SLACK_COMMAND")],
    [{ DATABASE_URL: "redis://h" }, saying("DATABASE_URL")],
    [{ WEB_PORT: "80800" }, saying("WEB_PORT", 1, 65_535, 0)],
    [{ WEB_PORT: "http" }, saying("WEB_PORT")],
    [{ WEB_HOST: "localhost:8080" }, saying("WEB_HOST")],
    [{ WEB_HOST: "0.0.0.0" }, saying("WEB_TOKEN")],
    [{ WEB_HOST: "::" }, saying("WEB_TOKEN")],
    [{ TRUST_PROXY: "127.0.0.1,proxy,10.0.0.0/33" }, saying("TRUST_PROXY", "no. 2, no. 3")],
    [{ TRUST_PROXY: "::1/64,::1/129,1.2.3.4/8/8" }, saying("TRUST_PROXY", "no. 2, no. 3")],
    [{ DEADMAN_URL: "ping" }, saying("DEADMAN_URL", "http://", "https://")],
    [{ OPERATOR_CHANNEL: "#ops" }, saying("OPERATOR_CHANNEL")],
    [{ ...both, OPERATOR_CHANNEL: "#ops" }, saying("OPERATOR_CHANNEL", "discord:", "slack:C")],
    [
      { ...both, ALERT_MANAGERS: "bob" },
      saying("ALERT_MANAGERS", "discord:112233445566778899", "slack:U0123456789", "no. 1"),
    ],
    [{ LOG_LEVEL: "verbose" }, saying("LOG_LEVEL", "fatal, error, warn, info, debug, trace, silent")],
  ])("refuses %j", (env, named) => {
    expect(faultsOf(env)).toMatch(named);
    expect(faultsOf(env)).toMatchSnapshot();
  });

  it("is right with ALLOW_SIMULATOR=1, with WEB_TOKEN, and on any loopback address", () => {
    expect(parseConfig({ DISCORD_TOKEN: "t", ALLOW_SIMULATOR: "1" }).networks).toEqual([]);
    expect(parseConfig({ WEB_HOST: "0.0.0.0", WEB_TOKEN: "long-random-word" }).web.host).toBe("0.0.0.0");
    for (const host of ["localhost", "LOCALHOST", "127.8.8.8", "::1"]) {
      expect(parseConfig({ WEB_HOST: host }).web.host.toLowerCase()).toBe(host.toLowerCase());
    }
  });

  it("names every fault at once, and no value", () => {
    const message = faultsOf({
      MAINNET_URLS: "hunter2",
      DISCORD_TOKEN: "hunter2 hunter2",
      DISCORD_PUBLIC_KEY: "hunter2",
      SLACK_APP_TOKEN: "xoxb-hunter2",
      DATABASE_URL: "mysql://hunter2:hunter2@hunter2/hunter2",
      WEB_PORT: "hunter2",
      LOG_LEVEL: "hunter2",
      TESTNET_CORE_URL: "https://hunter2",
    });
    expect(message.split("\n")).toHaveLength(11);
    for (const name of [
      "MAINNET_URLS",
      "DISCORD_TOKEN",
      "DISCORD_PUBLIC_KEY",
      "SLACK_APP_TOKEN",
      "DATABASE_URL",
      "WEB_PORT",
      "LOG_LEVEL",
      "TESTNET_CORE_URL",
    ]) {
      expect(message).toContain(`- ${name} `);
    }
    expect(message).not.toContain("hunter2");
  });

  it.each([
    ["MAINET_URLS", "MAINNET_URLS"],
    ["mainnet_urls", "MAINNET_URLS"],
    ["MAINNET_URL", "MAINNET_URLS"],
    ["DISCORD_TOKN", "DISCORD_TOKEN"],
    ["WEBPORT", "WEB_PORT"],
    ["SLACK_BOT_TOKENS", "SLACK_BOT_TOKEN"],
    ["SLACK_TOKEN", "SLACK_BOT_TOKEN"],
    ["DISCORD_BOT_TOKEN", "DISCORD_TOKEN"],
    ["MAINNET_NODE_URLS", "MAINNET_URLS"],
  ])("hints at %s, which may be meant for %s", (typed, meant) => {
    expect(parseConfig({ [typed]: "x" }).hints).toEqual([expect.stringMatching(saying(typed, meant))]);
    expect(faultsOf({ [typed]: "x", WEB_PORT: "x" })).toMatch(saying(typed, meant));
  });

  it.each([
    ["DISCORD_PUBLIC_KEY", "ab".repeat(32), ["DISCORD_TOKEN"]],
    ["SLACK_SIGNING_SECRET", "s3cret", ["SLACK_BOT_TOKEN", "SLACK_CLIENT_ID"]],
  ])("hints at %s that serves nothing without a token", (key, value, tokens) => {
    const { hints } = parseConfig({ [key]: value });
    expect(hints).toEqual([expect.stringMatching(saying(key, ...tokens))]);
    expect(hints.join()).not.toContain(value);
    for (const token of tokens) expect(examineConfig({ [key]: value, [token]: "t" }).config.hints).toEqual([]);
  });

  it("takes no notice of strangers", () => {
    const strangers = {
      PATH: "/bin",
      HOME: "/root",
      TERM: "xterm",
      npm_lifecycle_event: "start",
      LANG: "C",
      EDITOR: "vi",
      SLACK: "x",
      DISCORD_THEME: "dark",
      API_TOKEN: "x",
    };
    expect(parseConfig(strangers).hints).toEqual([]);
  });
});

describe("a data node", () => {
  it("that is named twice is one node, which keeps the days of its first name", () => {
    const env = { MAINNET_URLS: "https://a, https://b, HTTPS://A:443/", MAINNET_LEDGER_DAYS: "7,all,9" };
    const { networks, hints } = parseConfig(env);
    expect(networks).toMatchObject([{ urls: ["https://a", "https://b"], ledgerDays: [7, Infinity] }]);
    expect(hints).toEqual([expect.stringMatching(saying("MAINNET_URLS", 1, 3))]);
  });

  it.each([
    ["https://a/x", "https://a/y"],
    ["https://a:3008", "https://a:3009"],
    ["https://gateway/?node=1", "https://gateway/?node=2"],
  ])("is another than the next one: %s, %s", (...urls) => {
    expect(parseConfig({ MAINNET_URLS: urls.join() })).toMatchObject({ networks: [{ urls }], hints: [] });
  });
});

describe(".env", () => {
  it("is read from the working directory, and the environment wins over it", async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "bellwether-config-"));
    const before = process.cwd();
    await writeFile(path.join(folder, ".env"), "WEB_PORT=4321\nEXPORT_DIR=/dotenv # a comment\nMAINNET_URLS\n");
    try {
      process.chdir(folder);
      process.env["EXPORT_DIR"] = "/env";
      const hints = [expect.stringMatching(saying(3, ".env"))];
      expect(loadConfig(PLATFORM_RECORDS)).toMatchObject({ web: { port: 4321 }, exportFolder: "/env", hints });
    } finally {
      process.chdir(before);
      delete process.env["EXPORT_DIR"];
      delete process.env["WEB_PORT"];
      await rm(folder, { recursive: true });
    }
  });
});

describe("the bytes of .env", () => {
  const read = (content: string, encoding: BufferEncoding = "utf8") => parseEnvFile(Buffer.from(content, encoding));

  it("may begin with a byte order mark, which is named and is no part of the first name", () => {
    const { values, findings } = read("\u{FEFF}WEB_PORT=1\nWEB_HOST=x\n");
    expect(values).toEqual({ WEB_PORT: "1", WEB_HOST: "x" });
    expect(findings).toHaveLength(1);
    expect(findings).toMatchSnapshot();
    expect(read("WEB_PORT=1").findings).toEqual([]);
  });

  it("are refused in UTF-16", () => {
    expect(() => read("\u{FEFF}WEB_PORT=1", "utf16le")).toThrow(/UTF-8/u);
  });

  it("hold names that are no settings, each with the nearest one", () => {
    const file = read("WEB_PORT=1\nDISCORD_SECRET_TOKEN=s\nPOSTGRES_PASSWORD=s\nNODE_OPTIONS=x\nTZ=UTC");
    expect(unknownNames(file, VARIABLES)).toEqual([
      { name: "DISCORD_SECRET_TOKEN", nearest: "DISCORD_TOKEN" },
      { name: "POSTGRES_PASSWORD", nearest: undefined },
    ]);
  });
});

describe("a line of .env without =", () => {
  it.each([
    ["A=1\n\n# a comment\nWEB_TOKEN s3cret\nB=2", [4]],
    ["export A=1\nB='one\ntwo\nthree'\nC=\"=\nfour\"\nfive", [7]],
    ["A=\"never closed\nsix\nB=it's\nseven", [2, 4]],
    ["\u{FEFF}eight\r\nC=3\r\n", [1]],
    ["A=1 # no more\nB=\n", []],
  ])("is told by its number, and never what stands there: %j", (content, lines) => {
    const said = lineFindings(content).map(({ what }) => what);
    expect(said.map((what) => Number(/\d+/u.exec(what)))).toEqual(lines);
    expect(said.join()).not.toMatch(/s3cret|three|five|seven|eight/u);
  });
});

describe("a line of .env that # cuts", () => {
  it.each([
    ["OPERATOR_CHANNEL=#ops", ["OPERATOR_CHANNEL"]],
    ["WEB_PORT=1\nexport WEB_TOKEN = s3cret#s3cret # a comment", ["WEB_TOKEN"]],
    ["WEB_TOKEN=\"s3cret#s3cret\"\nA='#'\nB=x # c#d\nC= # c\n#D=x#y\nE=`a#`", []],
  ])("is told by the name of the setting, and never the value: %j", (content, names) => {
    const said = lineFindings(content);
    expect(said.map(({ what }) => /^\w+/u.exec(what)?.[0])).toEqual(names);
    expect(said.every(({ severity }) => severity === "fault")).toBe(true);
    expect(JSON.stringify(said)).not.toMatch(/ops|s3cret/u);
  });
});

describe(".env.example", () => {
  it("describes every variable, in order, and its examples are right", async () => {
    const example = await readFile(path.join(import.meta.dirname, "../.env.example"), "utf8");
    const lines = [...example.matchAll(/^#?([A-Z][A-Z_]*)=(.*)$/gmu)];
    expect(lines.map(([, name]) => name)).toEqual(VARIABLES);
    const given = Object.fromEntries(lines.map(([, name, value]) => [name, value]));
    const tokens = Object.fromEntries(PLATFORM_RECORDS.map((one) => [one.tokens[0], "t"]));
    expect(parseConfig({ ...given, ...tokens, SLACK_APP_TOKEN: "a" }).hints).toEqual([]);
    const active = lines.filter(([line]) => !line.startsWith("#")).map(([, name, value]) => [name, value]);
    expect(plain(parseConfig(Object.fromEntries(active)))).toEqual(plain(parseConfig({})));
  });
});
