import { chmodSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Finding } from "../../../src/adapters/finding.ts";
import { lineFindings } from "../../../src/config/environment.ts";
import { examineConsole } from "../../../src/main/doctor/console.ts";
import { networkChecks } from "../../../src/main/doctor/networks.ts";
import {
  alertsConfigOf,
  examineDeadManSwitch,
  examineEnvFile,
  examineNode,
  examineSettings,
} from "../../../src/main/doctor/doctor.ts";
import { writeHolderRecord } from "../../../src/store/file/holder-record.ts";
import { saying } from "../../support/said.ts";
import { findingLines, problemLines } from "./finding-lines.ts";
import { examineConfig } from "../../support/platforms.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "bellwether-doctor-"));
});
afterEach(() => rm(folder, { recursive: true }));

const nodes = { MAINNET_URLS: "http://127.0.0.1:9" };
const discord = { ...nodes, DISCORD_TOKEN: "a-secret-token" };

/** What is found of these settings, but of those named. */
function aside(env: Record<string, string>, ...checks: readonly string[]): string[] {
  return problemLines(examineSettings(examineConfig(env)).filter(({ check }) => !checks.includes(check)));
}

describe("the doctor at the settings", () => {
  it.each<[string, Record<string, string>, RegExp[]]>([
    ["none", {}, []],
    ["a wrong one", { WEB_PORT: "http" }, [/^fault settings: WEB_PORT/u]],
    [
      "several, and a name that is none",
      { LOG_LEVEL: "loud", DISCORD_TOKEN: "a-secret-token", MAINET_URLS: "http://a" },
      [
        /^fault settings: LOG_LEVEL/u,
        /^fault settings: DISCORD_TOKEN/u,
        /^fault settings: MAINET_URLS .*MAINNET_URLS/u,
      ],
    ],
  ])("%s", (_name, env, lines) => {
    const found = aside(env, "OPERATOR_CHANNEL", "DISCORD_TOKEN");
    expect(found).toEqual(lines.map((line) => expect.stringMatching(line)));
    expect(found).toMatchSnapshot();
    expect(found.join()).not.toContain("a-secret-token");
  });

  it("says what to do about each hint of the settings", () => {
    const examined = examineConfig({ MAINET_URLS: "http://a", WEBPORT: "1", WEB_PORT: "2", SLACK_TOKEN: "s" });
    const findings = [...lineFindings("\n\nWEB_PORT\nOPERATOR_CHANNEL=#ops"), ...examined.findings];
    const found = problemLines(examineSettings({ ...examined, findings }));
    expect(found).toEqual([
      expect.stringMatching(saying("warning settings", 3, ".env", "->", "NAME=value")),
      expect.stringMatching(saying("fault settings", "OPERATOR_CHANNEL", 4, "->", "quotes")),
      expect.stringMatching(saying("fault settings", "MAINET_URLS", "MAINNET_URLS", "->")),
      expect.stringMatching(saying("warning settings", "WEBPORT", "WEB_PORT", "->")),
      expect.stringMatching(saying("warning settings", "SLACK_TOKEN", "SLACK_BOT_TOKEN", "->")),
    ]);
    expect(found).toMatchSnapshot();
  });

  it.each<[string, Record<string, string>, RegExp[]]>([
    ["nothing set", {}, []],
    [
      "tokens as they look",
      {
        DISCORD_TOKEN: `${"a".repeat(24)}.abcdef.${"b".repeat(38)}`,
        SLACK_BOT_TOKEN: "xoxb-1",
        SLACK_APP_TOKEN: "xapp-1",
      },
      [],
    ],
    [
      "a secret, a person's and a signing one in the place of tokens",
      { DISCORD_TOKEN: "s3cret".repeat(5), SLACK_BOT_TOKEN: "xoxp-s3cret", SLACK_APP_TOKEN: "s3cret" },
      [/^warning DISCORD_TOKEN: /u, /^warning SLACK_BOT_TOKEN: .*xoxb-/u, /^warning SLACK_APP_TOKEN: .*xapp-/u],
    ],
    [
      "a signing secret beside an app token",
      { SLACK_APP_TOKEN: "xapp-1", SLACK_SIGNING_SECRET: "s3cret" },
      [/^warning SLACK_SIGNING_SECRET: .*SLACK_APP_TOKEN.*Socket Mode/u],
    ],
    ["what HTTP needs", { SLACK_SIGNING_SECRET: "s3cret", DISCORD_PUBLIC_KEY: "ab".repeat(32) }, []],
    [
      "a secret key without an app that many workspaces install",
      { SECRET_KEY: Buffer.alloc(32, "s3cret").toString("base64") },
      [],
    ],
    [
      "what many workspaces need",
      {
        SLACK_CLIENT_ID: "1.2",
        SLACK_CLIENT_SECRET: "s3cret",
        SECRET_KEY: Buffer.alloc(32, "s3cret").toString("base64"),
      },
      [],
    ],
  ])("one by one: %s", (_name, env, lines) => {
    const found = aside(env, "settings", "OPERATOR_CHANNEL");
    expect(found).toEqual(lines.map((line) => expect.stringMatching(line)));
    expect(found).toMatchSnapshot();
    expect(found.join()).not.toContain("s3cret");
  });

  it.each<[string, Record<string, string>, RegExp[]]>([
    ["two networks", { MAINNET_URLS: "https://a, https://b", TESTNET_URLS: "https://c" }, []],
    [
      "one node twice, in four spellings",
      { MAINNET_URLS: "https://a,https://b/x,HTTPS://A/,https://u:s3cret@A:443,http://b/x/" },
      [
        /^warning settings: .*no\. 1 .*no\. 3/u,
        /^warning settings: .*no\. 1 .*no\. 4/u,
        /^warning settings: .*no\. 2 .*no\. 5/u,
      ],
    ],
    [
      "two networks at one address",
      { MAINNET_URLS: "https://a,https://b", TESTNET_URLS: "https://B:443/" },
      [/^fault TESTNET_URLS: .*MAINNET_URLS/u],
    ],
    [
      "a public address with a path",
      { PUBLIC_URL: "https://b/x", WEB_TOKEN: "s3cret".repeat(5), TRUST_PROXY: "::1" },
      [/^fault PUBLIC_URL: .*path/u],
    ],
    ["every address as a proxy", { TRUST_PROXY: "127.0.0.1, 0.0.0.0/0" }, [/^fault TRUST_PROXY: /u]],
    ["every IPv6 address as a proxy", { TRUST_PROXY: "::/0" }, [/^fault TRUST_PROXY: /u]],
    [
      "a short token with an outside address",
      { PUBLIC_URL: "https://b", WEB_TOKEN: "s3cret-s3cret-123", TRUST_PROXY: "::1" },
      [/^warning WEB_TOKEN: .*20/u],
    ],
    [
      "a node, once with the dot at its host's end",
      { MAINNET_URLS: "https://a.b,https://a.b.:443" },
      [/^warning settings: .*no\. 1 .*no\. 2/u],
    ],
    [
      "a token that is refused: it is set",
      { PUBLIC_URL: "https://b", WEB_TOKEN: "s3cret", TRUST_PROXY: "::1" },
      [/^fault settings: WEB_TOKEN /u],
    ],
    ["a short token for this machine alone", { WEB_TOKEN: "s3cret-s3cret-123" }, []],
  ])("among the addresses: %s", (_name, env, lines) => {
    const found = aside(env);
    expect(found).toEqual(lines.map((line) => expect.stringMatching(line)));
    expect(found).toMatchSnapshot();
    expect(found.join()).not.toContain("s3cret");
  });

  it("names what .env sets for nobody, once", () => {
    const unknown = [
      { name: "SLACK_SECRET", nearest: "SLACK_CLIENT_SECRET" },
      { name: "MAINET_URLS", nearest: "MAINNET_URLS" },
      { name: "OTHER", nearest: undefined },
    ];
    const examined = { ...examineConfig({ MAINET_URLS: "x" }), unknown };
    const found = problemLines(examineSettings(examined));
    expect(found).toEqual([
      expect.stringMatching(saying("MAINET_URLS", "MAINNET_URLS")),
      expect.stringMatching(saying("SLACK_SECRET", "SLACK_CLIENT_SECRET", "->")),
      expect.stringMatching(saying("OTHER", "->")),
    ]);
    expect(found).toMatchSnapshot();
  });

  it("goes on with what is right", () => {
    const { config } = examineConfig({ ...discord, WEB_PORT: "http", TESTNET_URLS: "ftp://x" });
    expect(config.networks).toMatchObject([{ name: "mainnet" }]);
    const served = config.platforms.filter(({ service }) => service !== undefined);
    expect(served.map(({ platform }) => platform.id)).toEqual(["discord"]);
  });

  it("finds a file of settings that others may read", () => {
    expect(examineEnvFile(folder)).toMatchObject({ state: "ok", check: "file .env" });
    const file = path.join(folder, ".env");
    writeFileSync(file, "");
    chmodSync(file, 0o644);
    expect(problemLines([examineEnvFile(folder, "linux")])).toEqual([
      expect.stringMatching(saying("warning file .env", "mode 644", "chmod 600 .env")),
    ]);
    expect(problemLines([examineEnvFile(folder, "win32")])).toEqual([]);
    chmodSync(file, 0o600);
    expect(problemLines([examineEnvFile(folder, "linux")])).toEqual([]);
  });

  it.each<[string, boolean]>([
    ["20.19.0", false],
    ["24.14.9", false],
    ["24.15.0", true],
    ["25.0.0", true],
  ])("of Node.js %s", (version, good) => {
    expect(examineNode(version).state).toBe(good ? "ok" : "fault");
  });
});

describe("the doctor at the networks", () => {
  it.each<[string, Record<string, string>, RegExp]>([
    ["without any, says that the simulator serves", {}, /^ok networks: .*everything is SIMULATED/u],
    [
      "without any, warns where people are shown that",
      { DISCORD_TOKEN: "a-secret-token", ALLOW_SIMULATOR: "1" },
      /^warning networks: .*simulated.* -> .*MAINNET_URLS/u,
    ],
  ])("%s", async (_name, env, line) => {
    const [check, ...more] = networkChecks(examineConfig(env).config, 30_000);
    expect(more).toEqual([]);
    const found = findingLines((await check?.run(new AbortController().signal)) ?? []);
    expect(found).toEqual([expect.stringMatching(line)]);
    expect(found).toMatchSnapshot();
  });

  it("cannot tell the clock where no node answers", async () => {
    const [, clock] = networkChecks(examineConfig(nodes).config, 30_000);
    const found = await clock?.run(new AbortController().signal);
    expect(found).toMatchObject([{ state: "warning", check: "clock" }]);
  });
});

describe("the doctor at the alerts", () => {
  it.each<[string, string | undefined, RegExp]>([
    ["no file", undefined, /^ok ALERTS_CONFIG: /u],
    ["a right one", '{"stalled": {"for": "60s"}}', /^ok ALERTS_CONFIG: .*alerts\.json/u],
    ["a wrong one", '{"staled": {}}', /^fault ALERTS_CONFIG: .*staled/u],
    ["one that is no JSON", "{", /^fault ALERTS_CONFIG: .*JSON/u],
  ])("%s", (_name, text, line) => {
    const file = path.join(folder, "alerts.json");
    if (text !== undefined) writeFileSync(file, text);
    const found = findingLines([alertsConfigOf(text === undefined ? undefined : file).finding]);
    expect(found).toEqual([expect.stringMatching(line)]);
    expect(found).toMatchSnapshot();
  });

  it("a file that is not there", () => {
    const { finding, config } = alertsConfigOf(path.join(folder, "none.json"));
    expect(findingLines([finding])).toEqual([expect.stringMatching(/^fault ALERTS_CONFIG: .*none\.json.*ENOENT/u)]);
    expect(config.clock.drift).toBe(30_000);
  });

  it.each<[string, Record<string, string>, RegExp[]]>([
    ["nothing is said of operators without a platform", {}, []],
    ["no operators", discord, [/^warning OPERATOR_CHANNEL: /u]],
    [
      "operators on a platform that is not set up",
      { ...discord, OPERATOR_CHANNEL: "slack:C123" },
      [/^fault OPERATOR_CHANNEL: .* -> .*SLACK_BOT_TOKEN/u],
    ],
    ["operators", { ...discord, OPERATOR_CHANNEL: "discord:123456789012345678" }, []],
  ])("%s", (_name, env, lines) => {
    const found = problemLines(examineSettings(examineConfig(env)).filter(({ check }) => check === "OPERATOR_CHANNEL"));
    expect(found).toEqual(lines.map((line) => expect.stringMatching(line)));
    expect(found).toMatchSnapshot();
  });

  it.each<[string, Record<string, string>, Finding["state"]]>([
    ["none, and nothing to watch for", {}, "ok"],
    ["none", discord, "warning"],
    ["one in the clear", { DEADMAN_URL: "http://hc.example/0d5b8f9c" }, "warning"],
    ["one beside it", { DEADMAN_URL: "http://127.0.0.1:99/0d5b8f9c" }, "ok"],
    ["a good one", { DEADMAN_URL: "https://hc.example/0d5b8f9c" }, "ok"],
  ])("the dead man's switch: %s", (_name, env, state) => {
    const found = findingLines(examineDeadManSwitch(examineConfig(env)));
    expect(found).toEqual([expect.stringMatching(new RegExp(`^${state} DEADMAN_URL: `, "u"))]);
    expect(found).toMatchSnapshot();
    expect(found.join()).not.toContain("0d5b8f9c");
  });
});

describe("the doctor at the console", () => {
  const signal = new AbortController().signal;
  let server: Server | undefined;
  let sockets: Server[] = [];
  afterEach(() => {
    server?.close();
    for (const socket of sockets) socket.close();
    sockets = [];
  });

  /** Takes a port, and answers as given. */
  async function taken(body: unknown): Promise<string> {
    const other = createServer((_request, response) => response.end(JSON.stringify(body)));
    server = other;
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    return String((other.address() as AddressInfo).port);
  }

  /** A bot that holds a database, and whose console has a port of its own. */
  async function running({ answering = true } = {}): Promise<Record<"DATABASE_URL" | "port", string>> {
    const file = path.join(folder, "bellwether.db");
    const port = await taken({ ok: true });
    const socket = createServer();
    sockets.push(socket);
    await new Promise<void>((resolve) => socket.listen(`${file}.sock`, resolve));
    const record = { pid: process.pid, socket: `${file}.sock` };
    writeHolderRecord(file, answering ? { ...record, console: `http://127.0.0.1:${port}/` } : record);
    return { DATABASE_URL: `file:${file}`, port };
  }

  it.each<[string, () => Promise<Record<string, string>>, RegExp[]]>([
    ["is switched off", async () => ({ WEB_PORT: "0" }), [/^ok console: .*WEB_PORT=0/u]],
    [
      "has its port taken by another",
      async () => ({ WEB_PORT: await taken({ hello: 1 }) }),
      [/^fault console: Port \d+ on 127\.0\.0\.1 .* -> .*WEB_PORT/u],
    ],
    [
      "has its port taken by the bot of another database",
      async () => ({ WEB_PORT: await taken({ ok: true }) }),
      [/^fault console: port \d+ on 127\.0\.0\.1 .*Bellwether.* -> .*WEB_PORT/u],
    ],
    [
      "runs already, on another port than the first",
      async () => ({ DATABASE_URL: (await running()).DATABASE_URL }),
      [/^ok console: .*process \d+.*http:\/\/127\.0\.0\.1:\d+\/$/u],
    ],
    [
      "runs already, and is of a version that does not say where",
      async () => {
        const { DATABASE_URL, port } = await running({ answering: false });
        return { DATABASE_URL, WEB_PORT: port };
      },
      [/^ok console: .*Bellwether.* port \d+$/u],
    ],
    [
      "is open to the world",
      async () => ({ DATABASE_URL: (await running()).DATABASE_URL, PUBLIC_URL: "https://bell.example" }),
      [/^ok/u, /^warning PUBLIC_URL: .* -> .*WEB_TOKEN/u, /^warning TRUST_PROXY: /u],
    ],
    [
      "is reached in the clear",
      async () => ({
        DATABASE_URL: (await running()).DATABASE_URL,
        PUBLIC_URL: "http://bell.example",
        WEB_TOKEN: "x".repeat(20),
        TRUST_PROXY: "127.0.0.1",
      }),
      [/^ok/u, /^warning PUBLIC_URL: .*http\b/u],
    ],
    [
      "listens beyond this machine under no address",
      async () => ({ WEB_PORT: await taken({ ok: true }), WEB_HOST: "0.0.0.0", WEB_TOKEN: "x".repeat(20) }),
      [/console/u, /^warning PUBLIC_URL: /u],
    ],
    [
      "is not this machine's",
      async () => ({ WEB_HOST: "192.0.2.1", WEB_TOKEN: "x".repeat(20), PUBLIC_URL: "https://bell.example" }),
      [/^fault console: 192\.0\.2\.1 /u, /^warning TRUST_PROXY/u],
    ],
  ])("%s", async (_name, prepare, lines) => {
    const env = { DATABASE_URL: `file:${path.join(folder, "none.db")}`, ...(await prepare()) };
    const examined = examineConfig(env);
    const access = examineSettings(examined).filter(({ check }) => ["PUBLIC_URL", "TRUST_PROXY"].includes(check));
    const found = findingLines([await examineConsole(examined.config, signal), ...access]);
    expect(found).toEqual(lines.map((line) => expect.stringMatching(line)));
    expect(found).toMatchSnapshot();
  });

  it("has its port free", async () => {
    const port = await taken({});
    await new Promise((resolve) => server?.close(resolve));
    const { config } = examineConfig({ WEB_PORT: port, DATABASE_URL: `file:${path.join(folder, "none.db")}` });
    const found = findingLines([await examineConsole(config, signal)]);
    expect(found).toEqual([expect.stringMatching(saying("ok console", port, "127.0.0.1"))]);
    expect(found).toMatchSnapshot();
  });
});
