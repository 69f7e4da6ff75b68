import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createSandbox, type Sandbox } from "../support/bellwether.ts";
import { saying } from "../support/said.ts";

/** A Node too old for the project, as Debian has it: the launcher then runs the one that npm installed. */
const OLD_NODE = "/usr/bin/node";
const hasOldNode =
  existsSync(OLD_NODE) && /^v(?:18|20|22)\./u.test(execFileSync(OLD_NODE, ["--version"], { encoding: "utf8" }));

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.cleanUp());

describe("ask, while nobody holds the database", () => {
  it("tells mistakes of the caller, failures of the network and wrong settings apart, wherever it may write", async () => {
    const nowhere = { DATABASE_URL: "file:/proc/nowhere/b.db", LOG_LEVEL: "error" };
    const [good, mistake, network, config] = await Promise.all([
      sandbox.run(["ask", "--network", "testnet", "time"], nowhere).ended,
      sandbox.run(["ask", "market lits"], nowhere).ended,
      sandbox.run(["ask", "time"], { ...nowhere, MAINNET_URLS: "http://127.0.0.1:9" }).ended,
      sandbox.run(["ask", "time"], { MAINNET_URLS: "nowhere" }).ended,
    ]);
    expect(good).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("testnet") });
    expect(mistake).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("market list") });
    expect(network).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("127.0.0.1:9") });
    expect(config).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("MAINNET_URLS") });
  });

  it("says in one sentence that the database cannot be used, and answers all the same", async () => {
    const file = path.join(sandbox.folder, "other.txt");
    writeFileSync(file, "This is no database. ".repeat(500));
    const quiet = { LOG_LEVEL: "error" };
    const [found, unknown] = await Promise.all([
      sandbox.run(["ask", "stake d59213"], { ...quiet, DATABASE_URL: `file:${file}` }).ended,
      sandbox.run(["ask", "stake 000000"], { ...quiet, DATABASE_URL: `file:${sandbox.folder}` }).ended,
    ]);

    // The ids of the simulated network are known without any database.
    expect(found).toMatchObject({ code: 0, stdout: expect.stringContaining("stakes") });
    expect(found.stderr).toMatch(/^.+\.\n$/u);
    expect(found.stderr).toMatch(saying(file));
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toMatch(saying(sandbox.folder, "000000", "mainnet"));
    expect([found, unknown].map(({ stderr }) => stderr)).toMatchSnapshot();
  });

  it.skipIf(!hasOldNode)(`runs under an older Node, too (needs one at ${OLD_NODE})`, async () => {
    const ended = await sandbox.run(["ask", "help time"], {}, { node: OLD_NODE }).ended;
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("time") });
    const wrong = await sandbox.run(["ask", "help zzzzzz"], {}, { node: OLD_NODE }).ended;
    expect(wrong.code).toBe(1);
  });
});

describe("ask, beside a running bot", () => {
  it("is answered in several processes at once, mistakes too", async () => {
    const running = sandbox.run(["start"]);
    await running.printed(/http:\/\/127\.0\.0\.1:\d+\//u);
    const ask = (...args: string[]) =>
      sandbox.run(["ask", ...args], { MAINNET_URLS: "http://127.0.0.1:9", LOG_LEVEL: "error" }).ended;
    const [list, stake, wrong] = await Promise.all([
      ask("--json", "market list"),
      ask("--out", "files", "stake"),
      ask("order zzz"),
    ]);
    expect([list.code, stake.code, wrong.code]).toEqual([0, 0, 1]);
    expect(list.stdout).toContain("SIMULATED");
  });
});

describe("npm start", () => {
  it("refuses wrong settings, a busy port and arguments, each in readable words", async () => {
    const busy = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => {
      busy.once("listening", resolve);
    });
    const { port } = busy.address() as AddressInfo;
    const [config, web, token, more] = await Promise.all([
      sandbox.run(["start"], { WEB_PORT: "http", LOG_LEVEL: "loud", MAINET_URLS: "http://a" }).ended,
      sandbox.run(["start"], { WEB_PORT: String(port), DATABASE_URL: "file:./busy.db" }).ended,
      sandbox.run(["start"], { DISCORD_TOKEN: "hunter2" }).ended,
      sandbox.run(["start", "now"]).ended,
    ]);
    busy.close();
    expect(config.stderr.split("\n")).toEqual([
      expect.any(String),
      expect.stringMatching(/^- WEB_PORT /u),
      expect.stringMatching(/^- LOG_LEVEL /u),
      expect.stringMatching(/^- MAINET_URLS .*\bMAINNET_URLS\b/u),
      expect.stringContaining(".env.example"),
      "",
    ]);
    expect(web.stderr).toMatch(saying(port, "127.0.0.1", "WEB_PORT"));
    expect(token.stderr).toMatch(saying("DISCORD_TOKEN", "MAINNET_URLS", "TESTNET_URLS"));
    expect(token.stderr).not.toContain("hunter2");
    expect(more.stderr).toContain("npm start");
    expect([config, web, token, more].map(({ stderr }) => stderr)).toMatchSnapshot();
    for (const ended of [config, web, token, more]) {
      expect(ended).toMatchObject({ code: 1, stdout: "" });
      expect(ended.stderr).not.toContain("    at ");
    }
  });

  it("refuses settings that it cannot read before it starts anything", async () => {
    writeFileSync(path.join(sandbox.folder, "alerts.json"), JSON.stringify({ stalled: { four: "30s" } }));
    const wrong = await sandbox.run(["start"], { ALERTS_CONFIG: "alerts.json" }).ended;
    expect(wrong).toMatchObject({ code: 1, stdout: "" });
    expect(wrong.stderr).toMatch(saying("ALERTS_CONFIG", "stalled", "four"));
    const missing = await sandbox.run(["start"], { ALERTS_CONFIG: "nowhere.json" }).ended;
    expect(missing).toMatchObject({ code: 1, stdout: "" });
    expect(missing.stderr).toMatch(saying("ALERTS_CONFIG", "nowhere.json", "ENOENT"));
  });
});
